/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of changes to the tree: names, places, IDs, the numbers of entries below each
 * entry. A check of the database compares the tree and the indexes with the entries; and
 * a run of many changes makes the same database as a run for each change, byte by byte of
 * its records.
 */
#include "test.h"

#include <xxhash.h>

#include "base/error.h"
#include "modify_fixture.h"

static int setup(void **state)
{
	*state = modify_fixture_new("lastmod off\nmultival xMember 3,2\n");
	return 0;
}

#define ADD(dn, ou)                                                                      \
 "dn: " dn "\nchangetype: add\nobjectClass: organizationalUnit\nou: " ou "\n\n"
#define DELETE(dn) "dn: " dn "\nchangetype: delete\n\n"
#define RENAME(dn, rdn)                                                                  \
 "dn: " dn "\nchangetype: modrdn\nnewrdn: " rdn "\ndeleteoldrdn: 1\n\n"
#define MOVE(dn, rdn, superior)                                                          \
 "dn: " dn "\nchangetype: modrdn\nnewrdn: " rdn "\ndeleteoldrdn: 1\n"                    \
 "newsuperior: " superior "\n\n"
#define FIRST "1 dc=x\n2 ou=a,dc=x\n3 ou=b,dc=x\n"
#define FOUR  FIRST "4 cn=one,ou=a,dc=x\n"

/* ---- names ---- */

SETUP_TEST(two_entries_swap_names_through_a_third)
{
	struct modify_fixture *f = *state;

	run_well(f, RENAME("ou=a,dc=x", "ou=t") RENAME("ou=b,dc=x", "ou=a")
	                    RENAME("ou=t,dc=x", "ou=b"));
	assert_listed(f, "1 dc=x\n2 ou=b,dc=x\n3 ou=a,dc=x\n4 cn=one,ou=b,dc=x\n");
	assert_int_equal(f->stats.nrenamed, 3);
	assert_int_equal(f->stats.nentries, 2);
}

SETUP_TEST(a_name_can_be_given_up_and_taken)
{
	struct modify_fixture *f = *state;

	run_well(f,
	         RENAME("ou=b,dc=x", "ou=c") ADD("ou=b,dc=x", "b") DELETE("ou=c,dc=x"));
	assert_listed(f, "1 dc=x\n2 ou=a,dc=x\n4 cn=one,ou=a,dc=x\n5 ou=b,dc=x\n");
	run_well(f, RENAME("ou=b,dc=x", "ou=c") RENAME("ou=c,dc=x", "ou=b"));
	assert_listed(f, "1 dc=x\n2 ou=a,dc=x\n4 cn=one,ou=a,dc=x\n5 ou=b,dc=x\n");
}

SETUP_TEST(only_the_spelling_of_a_name_may_change)
{
	struct modify_fixture *f = *state;

	run_well(f, RENAME("cn=one,ou=a,dc=x", "CN=One") RENAME("ou=A,dc=x", "OU=A"));
	assert_listed(f, "1 dc=x\n2 ou=A,dc=x\n3 ou=b,dc=x\n4 cn=One,ou=A,dc=x\n");
}

/* slapd's tools say "rename" as well, and 0 alone keeps the values. */
SETUP_TEST(ldapmodify_s_words_for_a_rename)
{
	struct modify_fixture *f = *state;

	run_well(f, "dn: ou=a,dc=x\nchangetype: rename\nnewrdn: ou=c\n"
	            "deleteoldrdn: TRUE\n\n"
	            "dn: ou=b,dc=x\nchangetype: moddn\nnewrdn: ou=d\n"
	            "deleteoldrdn: 01\n");
	assert_listed(f, "1 dc=x\n2 ou=c,dc=x\n3 ou=d,dc=x\n4 cn=one,ou=c,dc=x\n");
	assert_shown(f, "ou=c,dc=x", "ou: c");
	assert_shown(f, "ou=d,dc=x", "ou: b, ou: d");
}

SETUP_TEST(a_glue_entry_may_become_another_one)
{
	struct modify_fixture *f = *state;
	struct dit_modify_opts opts = modify_fixture_opts(f);

	modify_fixture_load(f, "dn: dc=x\nobjectClass: domain\n\n"
	                       "dn: ou=a,dc=x\nobjectClass: glue\n");
	opts.keep_going = true;
	assert_int_equal(modify_fixture_run(f, &opts,
	                                    "dn: ou=a,dc=x\nchangetype: modify\n"
	                                    "replace: objectClass\n"
	                                    "objectClass: organizationalUnit\n\n"
	                                    "dn: ou=a,dc=x\nchangetype: modify\n"
	                                    "replace: objectClass\n"
	                                    "objectClass: organizationalUnit\n-\n"
	                                    "add: ou\nou: a\nou: b\n\n"
	                                    "dn: ou=a,dc=x\nchangetype: modify\n"
	                                    "delete: ou\nou: b\n-\n"
	                                    "add: description\ndescription: d\n"),
	                 0);
	assert_int_equal(f->stats.nrefused, 1);
	modify_fixture_check(f);
	assert_shown(f, "ou=a,dc=x", "ou: a, description: d");
}

SETUP_TEST(a_name_may_have_two_values)
{
	struct modify_fixture *f = *state;
	char *shown = NULL;

	run_well(f, "dn: cn=one,ou=a,dc=x\nchangetype: modrdn\nnewrdn: xWord=a+xInt=9\n"
	            "deleteoldrdn: 0\n\n");
	assert_listed(f, FIRST "4 xInt=9+xWord=a,ou=a,dc=x\n");
	shown = modify_fixture_show(f, "xWord=A+xInt=9,ou=a,dc=x");
	assert_string_equal(shown, "xWord: a, xWord: b, xWord: c, xInt: 5, xInt: 7, "
	                           "xInt: 9, xNoRule: n, xSingle: s, xOrdered: {0}o, "
	                           "xOrdered: {1}p");
	free(shown);
}

SETUP_TEST(the_longest_name_fits_and_a_longer_one_is_refused)
{
	struct modify_fixture *f = *state;
	char rdn[1200];
	char changes[1400];
	size_t longest = 0;
	int r = 0;

	for (size_t n = 100; n < 1100 && r == 0; n += n < 200 ? 50 : n < 240 ? 1 : 400) {
		memset(rdn, 'r', n);
		rdn[n] = '\0';
		(void)snprintf(changes, sizeof(changes),
		               "dn: ou=b,dc=x\nchangetype: modrdn\nnewrdn: ou=%s\n"
		               "deleteoldrdn: 1\n",
		               rdn);
		modify_fixture_load(f, modify_fixture_entries);
		r = modify_fixture_run(f, NULL, changes);
		longest = r == 0 ? n : longest;
		modify_fixture_check(f);
	}
	assert_int_equal(r, DIT_E_REFUSED);
	assert_true(longest > 200);
	assert_non_null(strstr(f->load.rejects, "is too long for the database"));
	assert_listed(f, FOUR);
}

/* ---- places ---- */

/* ou=a has two levels below, ou=b none. */
static const char deep[] = ADD("ou=c,ou=a,dc=x", "c") ADD("ou=d,ou=c,ou=a,dc=x", "d")
	ADD("ou=e,ou=c,ou=a,dc=x", "e");

SETUP_TEST(a_subtree_moves_with_all_below)
{
	struct modify_fixture *f = *state;

	run_well(f, deep);
	run_well(f, MOVE("ou=c,ou=a,dc=x", "ou=m", "ou=b,dc=x"));
	assert_listed(f, FOUR "5 ou=m,ou=b,dc=x\n6 ou=d,ou=m,ou=b,dc=x\n"
	                      "7 ou=e,ou=m,ou=b,dc=x\n");
	run_well(f, MOVE("ou=b,dc=x", "ou=b", "cn=one,ou=a,dc=x")
	                    MOVE("ou=d,ou=m,ou=b,cn=one,ou=a,dc=x", "ou=d", "dc=x"));
	assert_listed(f,
	              "1 dc=x\n2 ou=a,dc=x\n3 ou=b,cn=one,ou=a,dc=x\n4 cn=one,ou=a,dc=x\n"
	              "5 ou=m,ou=b,cn=one,ou=a,dc=x\n6 ou=d,dc=x\n"
	              "7 ou=e,ou=m,ou=b,cn=one,ou=a,dc=x\n");
}

SETUP_TEST(an_entry_and_its_parent_change_places)
{
	struct modify_fixture *f = *state;

	run_well(f, deep);
	run_well(f, MOVE("ou=d,ou=c,ou=a,dc=x", "ou=d", "dc=x")
	                    MOVE("ou=c,ou=a,dc=x", "ou=c", "ou=d,dc=x")
	                            MOVE("ou=a,dc=x", "ou=a", "ou=e,ou=c,ou=d,dc=x"));
	assert_listed(f,
	              "1 dc=x\n2 ou=a,ou=e,ou=c,ou=d,dc=x\n3 ou=b,dc=x\n"
	              "4 cn=one,ou=a,ou=e,ou=c,ou=d,dc=x\n5 ou=c,ou=d,dc=x\n6 ou=d,dc=x\n"
	              "7 ou=e,ou=c,ou=d,dc=x\n");
}

SETUP_TEST(a_new_superior_that_is_the_old_one_moves_nothing)
{
	struct modify_fixture *f = *state;

	run_well(f, MOVE("ou=a,dc=x", "ou=z", "DC=X"));
	assert_listed(f, "1 dc=x\n2 ou=z,dc=x\n3 ou=b,dc=x\n4 cn=one,ou=z,dc=x\n");
	run_well(f, MOVE("ou=z,dc=x", "ou=Z", "dc=x"));
	assert_listed(f, "1 dc=x\n2 ou=Z,dc=x\n3 ou=b,dc=x\n4 cn=one,ou=Z,dc=x\n");
	/* It is not asked whether it can be a parent. */
	modify_fixture_load(f, "dn: dc=x\nobjectClass: domain\n\n"
	                       "dn: ou=a,dc=x\nobjectClass: alias\n"
	                       "objectClass: extensibleObject\nou: a\n"
	                       "aliasedObjectName: dc=x\n\n"
	                       "dn: ou=b,ou=a,dc=x\nobjectClass: organizationalUnit\n");
	run_well(f, MOVE("ou=b,ou=a,dc=x", "ou=c", "ou=a,dc=x"));
	assert_listed(f, "1 dc=x\n2 ou=a,dc=x\n3 ou=c,ou=a,dc=x\n");
}

SETUP_TEST(an_entry_cannot_take_the_place_above_itself)
{
	struct modify_fixture *f = *state;

	run_well(f, deep);
	assert_int_equal(
		modify_fixture_run(f, NULL,
	                           MOVE("ou=d,ou=c,ou=a,dc=x", "ou=c", "ou=a,dc=x")),
		DIT_E_REFUSED);
	assert_int_equal(
		modify_fixture_run(f, NULL,
	                           MOVE("ou=c,ou=a,dc=x", "ou=x", "ou=d,ou=c,ou=a,dc=x")),
		DIT_E_REFUSED);
	assert_int_equal(
		modify_fixture_run(f, NULL,
	                           MOVE("ou=c,ou=a,dc=x", "ou=x", "ou=c,ou=a,dc=x")),
		DIT_E_REFUSED);
	modify_fixture_check(f);
}

/* ---- IDs ---- */

SETUP_TEST(the_id_of_the_highest_entry_is_given_again)
{
	struct modify_fixture *f = *state;

	/* in one run */
	run_well(f, ADD("ou=5,dc=x", "5") DELETE("ou=5,dc=x") ADD("ou=6,dc=x", "6"));
	assert_listed(f, FOUR "5 ou=6,dc=x\n");
	/* of a stored entry, which had other values */
	run_well(f, DELETE("ou=6,dc=x") ADD("ou=6,ou=b,dc=x", "6"));
	assert_listed(f, FOUR "5 ou=6,ou=b,dc=x\n");
	/* not of one below it */
	run_well(f, DELETE("cn=one,ou=a,dc=x") ADD("ou=7,dc=x", "7"));
	assert_listed(f, FIRST "5 ou=6,ou=b,dc=x\n6 ou=7,dc=x\n");
	/* all that are free from the top down, across an ID without an entry */
	run_well(f, DELETE("ou=7,dc=x") DELETE("ou=6,ou=b,dc=x") ADD("ou=8,dc=x", "8")
	                    ADD("ou=9,dc=x", "9"));
	assert_listed(f, FIRST "4 ou=8,dc=x\n5 ou=9,dc=x\n");
	/* in the next run */
	run_well(f, DELETE("ou=9,dc=x") DELETE("ou=8,dc=x"));
	run_well(f, ADD("ou=8,dc=x", "8"));
	assert_listed(f, FIRST "4 ou=8,dc=x\n");
}

SETUP_TEST(a_refused_addition_takes_no_id)
{
	struct modify_fixture *f = *state;
	struct dit_modify_opts opts = modify_fixture_opts(f);

	opts.keep_going = true;
	assert_int_equal(modify_fixture_run(f, &opts,
	                                    ADD("ou=a,dc=x", "a")
	                                            ADD("ou=x,ou=y,dc=x", "x")
	                                                    ADD("ou=n,dc=x", "n")),
	                 0);
	assert_int_equal(f->stats.nrefused, 2);
	assert_listed(f, FOUR "5 ou=n,dc=x\n");
}

SETUP_TEST(the_database_may_become_empty_and_be_filled_again)
{
	struct modify_fixture *f = *state;

	run_well(f, DELETE("cn=one,ou=a,dc=x") DELETE("ou=a,dc=x") DELETE("ou=b,dc=x")
	                    DELETE("dc=x"));
	assert_listed(f, "");
	run_well(f, "dn: dc=x\nchangetype: add\nobjectClass: domain\n\n" ADD("ou=q,dc=x",
	                                                                     "q"));
	assert_listed(f, "1 dc=x\n2 ou=q,dc=x\n");
	run_well(
		f,
		DELETE("ou=q,dc=x") DELETE(
			"dc=x") "dn: dc=x\nchangetype: add\nobjectClass: domain\ndescription: 2\n");
	assert_listed(f, "1 dc=x\n");
}

SETUP_TEST(a_database_without_a_name_gets_that_of_the_root)
{
	struct modify_fixture *f = *state;

	modify_fixture_load(f, "");
	run_well(f, "dn: dc=x\nchangetype: add\nobjectClass: domain\ndc: x\n\n");
	assert_listed(f, "1 dc=x\n");
}

/* A load has made a node for an entry that was missing above another one. */
SETUP_TEST(the_id_of_a_hole_is_not_given_to_an_entry)
{
	struct modify_fixture *f = *state;
	struct dit_load_opts load = load_fixture_opts(&f->load);
	struct dit_load_stats stats;

	load_fixture_reset(&f->load);
	load_fixture_write(&f->load, "dn: dc=x\nobjectClass: domain\ndc: x\n\n"
	                             "dn: ou=low,ou=hole,dc=x\n"
	                             "objectClass: organizationalUnit\nou: low\n");
	load.keep_going = true;
	(void)dit_load(&load, &stats);
	dit_load_stats_deinit(&stats);
	assert_listed(f, "1 dc=x\n3 ou=low,ou=hole,dc=x\n");
	assert_int_equal(modify_fixture_run(f, NULL, ADD("ou=new,ou=hole,dc=x", "new")),
	                 DIT_E_REFUSED);
	assert_int_equal(modify_fixture_run(f, NULL, DELETE("ou=hole,dc=x")),
	                 DIT_E_REFUSED);
	assert_int_equal(modify_fixture_run(f, NULL, RENAME("ou=hole,dc=x", "ou=x")),
	                 DIT_E_REFUSED);
	assert_int_equal(modify_fixture_run(f, NULL,
	                                    DELETE("ou=low,ou=hole,dc=x")
	                                            ADD("ou=new,dc=x", "new")),
	                 0);
	assert_listed(f, "1 dc=x\n3 ou=new,dc=x\n");
	assert_int_equal(modify_fixture_run(f, NULL, ADD("ou=more,dc=x", "more")), 0);
	assert_listed(f, "1 dc=x\n3 ou=new,dc=x\n4 ou=more,dc=x\n");
}

/* ---- any changes ---- */

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

#define NNAMES 4u

/* A new name below an entry, or the DN of one. @param list  modify_fixture_list() */
static void draw_dn(uint64_t *seed, const char *list, bool is_new, char *ret, size_t size)
{
	const char *line = list;
	size_t nlines = 0;
	size_t len = 0;

	for (const char *at = list; (at = strchr(at, '\n')) != NULL; at++) {
		nlines++;
	}
	for (uint64_t n = next_random(seed) % nlines; n > 0; n--) {
		line = strchr(line, '\n') + 1;
	}
	if (is_new) {
		len = (size_t)snprintf(ret, size, "ou=%c,",
		                       (char)('p' + next_random(seed) % NNAMES));
	}
	line = strchr(line, ' ') + 1;
	(void)snprintf(ret + len, size - len, "%.*s", (int)strcspn(line, "\n"), line);
}

static void draw_mods(FILE *file, uint64_t *seed)
{
	static const char *const hows[] = {"add", "replace", "replace", "delete", "add"};
	static const char *const attrs[] = {"xWord", "xInt", "xMember", "seeAlso",
	                                    "xOrdered"};
	static const char *const values[] = {"%u", "%u", "cn=%u,dc=x", "ou=%u,dc=x",
	                                     "{0}%u"};

	for (uint64_t n = next_random(seed) % 2; n < 2; n++) {
		const char *how = hows[next_random(seed) % 5];
		size_t i = next_random(seed) % 5;

		(void)fprintf(file, "%s: %s\n", how, attrs[i]);
		for (uint64_t k = next_random(seed) % 3; k < 2; k++) {
			(void)fprintf(file, "%s: ", attrs[i]);
			(void)fprintf(file, values[i], (unsigned)(next_random(seed) % 9));
			(void)fputs("\n", file);
		}
		(void)fputs("-\n", file);
	}
}

/* A record, which may be refused. */
static char *draw_record(uint64_t *seed, const char *list)
{
	char dn[500];
	char superior[500];
	char *text = NULL;
	size_t len = 0;
	FILE *file = open_memstream(&text, &len);
	uint64_t kind = next_random(seed) % 10;

	assert_non_null(file);
	draw_dn(seed, list, kind < 4, dn, sizeof(dn));
	draw_dn(seed, list, false, superior, sizeof(superior));
	(void)fprintf(file, "dn: %s\n", dn);
	if (kind < 4) {
		(void)fprintf(file,
		              "changetype: add\nobjectClass: organizationalUnit\n"
		              "objectClass: xThings\nxWord: %u\nxInt: 1\n",
		              (unsigned)(next_random(seed) % 9));
	} else if (kind < 5) {
		(void)fprintf(file, "changetype: delete\n");
	} else if (kind < 7) {
		(void)fprintf(file,
		              "changetype: modrdn\nnewrdn: ou=%c\ndeleteoldrdn: %u\n",
		              (char)('p' + next_random(seed) % NNAMES),
		              (unsigned)(next_random(seed) % 2));
		if (next_random(seed) % 2 == 0) {
			(void)fprintf(file, "newsuperior: %s\n", superior);
		}
	} else {
		(void)fputs("changetype: modify\n", file);
		draw_mods(file, seed);
	}
	(void)fputs("\n", file);
	assert_int_equal(fclose(file), 0);
	return text;
}

#define NRECORDS 40

static char *join(char *const *records)
{
	char *text = NULL;
	size_t len = 0;
	FILE *file = open_memstream(&text, &len);

	assert_non_null(file);
	for (size_t i = 0; i < NRECORDS; i++) {
		(void)fputs(records[i], file);
	}
	assert_int_equal(fclose(file), 0);
	return text;
}

/* A run for each record. @return how many were refused */
static uint64_t make_history(struct modify_fixture *f, uint64_t seed, char **records)
{
	struct dit_modify_opts opts = modify_fixture_opts(f);
	uint64_t nrefused = 0;

	opts.keep_going = true;
	modify_fixture_load(f, modify_fixture_entries);
	for (size_t i = 0; i < NRECORDS; i++) {
		char *list = modify_fixture_list(f);

		records[i] = draw_record(&seed, list);
		free(list);
		assert_int_equal(modify_fixture_run(f, &opts, records[i]), 0);
		nrefused += f->stats.nrefused;
	}
	return nrefused;
}

/* The records of all databases; the LDIF of a sealed one, which needs its key. */
static uint64_t digest_of(struct modify_fixture *f)
{
	char *text = f->is_sealed ? modify_fixture_export(f, NULL, true) : NULL;
	uint64_t digest = text == NULL ? load_fixture_digest(&f->load)
	                               : XXH3_64bits(text, strlen(text));

	free(text);
	return digest;
}

static void run_history(struct modify_fixture *f, uint64_t seed)
{
	struct dit_modify_opts opts = modify_fixture_opts(f);
	char *records[NRECORDS];
	uint64_t nrefused = make_history(f, seed * 7919, records);
	uint64_t digest = digest_of(f);
	char *all = join(records);

	modify_fixture_check(f);
	assert_in_range(nrefused, 1, NRECORDS - 10);
	opts.keep_going = true;
	for (opts.threads = 1; opts.threads <= 3; opts.threads += 2) {
		modify_fixture_load(f, modify_fixture_entries);
		if (modify_fixture_run(f, &opts, all) != 0 ||
		    f->stats.nrefused != nrefused || digest_of(f) != digest) {
			fail_msg("seed %u, %u threads: another database", (unsigned)seed,
			         opts.threads);
		}
		modify_fixture_check(f);
	}
	free(all);
	for (size_t i = 0; i < NRECORDS; i++) {
		free(records[i]);
	}
}

static uint64_t count_histories(void)
{
	const char *length = getenv("DIT_LONG");

	return length != NULL && strcmp(length, "yes") == 0 ? 500 : 1;
}

SETUP_TEST(a_run_of_many_changes_is_a_run_for_each)
{
	for (uint64_t seed = 1; seed <= count_histories(); seed++) {
		run_history(*state, seed);
	}
}

SETUP_TEST(so_it_is_in_databases_of_2_7)
{
	struct modify_fixture *f = *state;

	f->load.openldap = DIT_OPENLDAP_2_7;
	for (uint64_t seed = 1001; seed <= 1000 + count_histories(); seed++) {
		run_history(f, seed);
	}
}

TEST(so_it_is_in_sealed_databases)
{
	const char *dir = getenv("DIT_BUILDDIR");
	struct modify_fixture *f = NULL;
	char extra[4400];

	(void)snprintf(extra, sizeof(extra), "%s/tests/system/xor_module.so",
	               dir == NULL ? "." : dir);
	if (access(extra, R_OK) != 0) {
		skip_because("tests/system/xor_module.so is not built");
	}
	(void)snprintf(
		extra, sizeof(extra),
		"lastmod off\nmultival xMember 3,2\ncrypto %s/tests/system/xor_module.so\n"
		"passphrase sesame\n",
		dir == NULL ? "." : dir);
	f = modify_fixture_new_for(DIT_OPENLDAP_2_7, extra);
	for (uint64_t seed = 2001; seed <= 2000 + count_histories(); seed++) {
		run_history(f, seed);
	}
}
