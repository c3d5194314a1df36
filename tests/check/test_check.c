/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of dit_check(): which files are checked, what is said about them, in which
 * order, and that nothing is changed. Damaged files are in
 * tests/walk/test_walk_damage.c.
 */
#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

#include "check/check.h"
#include "check/told_fixture.h"
#include "load/load_fixture.h"
#include "page/lmdb_format.h"

static void flip(const char *dir, off_t at)
{
	int fd = data_file(dir, O_RDWR);
	char byte = 0;

	assert_int_equal(pread(fd, &byte, 1, at), 1);
	byte = (char)~byte;
	assert_int_equal(pwrite(fd, &byte, 1, at), 1);
	assert_int_equal(close(fd), 0);
}

/* Where the record of a database begins in the file: a node with the name as its key. */
static off_t find_database(const char *dir, const char *name)
{
	unsigned char node[40] = {sizeof(struct dit_tree_record), 0, 0, 0, DIT_NODE_TREE};
	size_t len = strlen(name);
	static char bytes[8 << 20];
	int fd = data_file(dir, O_RDONLY);
	ssize_t nbytes = read(fd, bytes, sizeof(bytes));
	const char *found = NULL;

	assert_true(nbytes > 0 && nbytes < (ssize_t)sizeof(bytes));
	assert_int_equal(close(fd), 0);
	node[6] = (unsigned char)len;
	memcpy(node + 8, name, len);
	found = memmem(bytes, (size_t)nbytes, node, 8 + len);
	assert_non_null(found);
	/* The file has one commit. */
	assert_null(
		memmem(found + 1, (size_t)(bytes + nbytes - found) - 1, node, 8 + len));
	return found - bytes;
}

static void put_byte(const char *dir, off_t at, char byte)
{
	int fd = data_file(dir, O_WRONLY);

	assert_int_equal(pwrite(fd, &byte, 1, at), 1);
	assert_int_equal(close(fd), 0);
}

/* ---- which files ---- */

TEST(the_configured_database_is_checked)
{
	struct load_fixture *fixture = load_fixture_new_people(300);
	struct told told;
	struct dit_check_opts opts = opts_for(&told);

	opts.conf = fixture->conf;
	assert_int_equal(count(&opts), 0);
	assert_int_equal(told.nfiles, 1);
	assert_string_equal(told.findings, "");
	assert_string_equal(told.reports, "");
}

/* Wrong content is in test_check_damage.c. */
TEST(the_content_is_checked_as_well)
{
	struct load_fixture *fixture = load_fixture_new_glued("");
	struct told told;
	struct dit_check_opts opts = opts_for(&told);
	struct dit_check_stats stats = {0};

	load_fixture_load_people(fixture, 300);
	opts.conf = fixture->conf;
	opts.is_quick = false;
	assert_int_equal(count(&opts), 0);
	assert_int_equal(told.nfiles, 2);
	assert_true(told.is_held);
	assert_string_equal(told.findings, "");
	assert_string_equal(told.reports, "");
	/* Many threads, little memory. */
	opts.threads = 7;
	opts.memory_bytes = 16 << 20;
	opts.tmpdir = fixture->tmpdir;
	assert_int_equal(count(&opts), 0);
	opts.memory_bytes = 1 << 20;
	assert_int_equal(dit_check(&opts, &stats), -EINVAL);
	dit_check_stats_deinit(&stats);
}

/* Nothing misleads a reader where the damage is below the records. */
TEST(damaged_content_is_not_read)
{
	struct load_fixture *fixture = load_fixture_new_people(300);
	struct told told;
	struct dit_check_opts opts = opts_for(&told);

	/* From the indexes, which come first, to some of the entries. */
	for (off_t page = 2; page < 140; page++) {
		flip(fixture->database, page * 4096);
	}
	opts.conf = fixture->conf;
	opts.is_quick = false;
	assert_true(count(&opts) >= 20);
	assert_non_null(strstr(told.reports, "so the content was not checked"));
}

/* liblmdb takes such a record for a value, and refuses to open it. */
TEST(a_database_that_has_become_a_value_is_found)
{
	struct load_fixture *fixture = load_fixture_new_people(300);
	struct told told;
	struct dit_check_opts opts = opts_for(&told);

	put_byte(fixture->database, find_database(fixture->database, "id2e") + 4, 0);
	opts.conf = fixture->conf;
	for (int i = 0; i < 2; i++) {
		opts.is_quick = i == 0;
		assert_true(count(&opts) >= 1);
		assert_non_null(strstr(told.findings, "node-flags (main)"));
	}
	assert_non_null(strstr(told.reports, "so the content was not checked"));
	assert_non_null(strstr(told.reports, "\"ditindex NAME\" mends a damaged index"));
}

static void damage_cn(const char *dir)
{
	load_fixture_damage_tree(dir, "cn");
}

static void damage_two(const char *dir)
{
	load_fixture_damage_tree(dir, "sn");
	load_fixture_damage_tree(dir, "cn");
}

/* They are after the node's head, the name and a word. */
static void damage_flags(const char *dir)
{
	put_byte(dir, find_database(dir, "cn") + 8 + 2 + 4, 0);
}

static void damage_names(const char *dir)
{
	load_fixture_damage_tree(dir, "cn");
	load_fixture_damage_tree(dir, "dn2i");
}

/* Either tree may be the second one that refers to the page. */
static void share_page(const char *dir)
{
	off_t at = 8 + (off_t)offsetof(struct dit_tree_record, root);
	int fd = data_file(dir, O_RDWR);
	char root[8];

	assert_int_equal(pread(fd, root, 8, find_database(dir, "id2e") + 4 + at), 8);
	assert_int_equal(pwrite(fd, root, 8, find_database(dir, "cn") + 2 + at), 8);
	assert_int_equal(close(fd), 0);
}

/* test_check_damage.c looks at the content that is checked. */
TEST(damaged_indexes_are_named)
{
	static const struct {
		const char *name;
		void (*damage)(const char *dir);
		bool is_unused; /* cn is not configured when the database is checked */
		const char *reports[2];
	} cases[] = {
		{"index", damage_cn, false, {"index cn is damaged", "\"ditindex cn\""}},
		{"two", damage_two, false, {"\"ditindex cn\"", "\"ditindex sn\""}},
		{"flags", damage_flags, false, {"index cn is damaged", "not compared"}},
		{"unused", damage_cn, true, {"is not configured", "--drop-unconf"}},
		{"names", damage_names, false, {"content was not checked", "ditcat"}},
		{"page", share_page, false, {"content was not checked", "ditcat"}},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct load_fixture fixture;
		struct told told;
		struct dit_check_opts opts = opts_for(&told);
		char sed[4400];

		load_fixture_init(&fixture, "");
		load_fixture_load_people(&fixture, 300);
		cases[i].damage(fixture.database);
		(void)snprintf(sed, sizeof(sed), "sed -i 's/x cn,/x /' '%s'",
		               fixture.conf);
		assert_int_equal(cases[i].is_unused ? system(sed) : 0, 0);
		opts.conf = fixture.conf;
		opts.is_quick = false;
		assert_true(count(&opts) > 0);
		if (strstr(told.reports, cases[i].reports[0]) == NULL ||
		    strstr(told.reports, cases[i].reports[1]) == NULL) {
			fail_msg("%s: %s", cases[i].name, told.reports);
		}
		load_fixture_deinit(&fixture);
	}
}

/* The counts do not matter: the content is checked. */
TEST(a_wrong_count_of_pages_is_all_that_is_found)
{
	struct load_fixture *fixture = load_fixture_new_people(300);
	struct told told;
	struct dit_check_opts opts = opts_for(&told);
	off_t at = find_database(fixture->database, "id2e") + 8 + (off_t)strlen("id2e") +
	           (off_t)offsetof(struct dit_tree_record, nbranch_pages);

	put_byte(fixture->database, at, 0);
	opts.conf = fixture->conf;
	opts.is_quick = false;
	assert_int_equal(count(&opts), 1);
	assert_non_null(strstr(told.findings, "tree-branches"));
	assert_string_equal(told.reports, "");
}

TEST(content_needs_a_file_of_the_right_name)
{
	struct load_fixture *fixture = load_fixture_new_people(10);
	struct told told;
	struct dit_check_opts opts = opts_for(&told);
	struct dit_check_stats stats;
	char *path = test_text("%s/data.mdb", fixture->database);
	char *other = test_text("%s/copy.mdb", fixture->database);

	opts.conf = fixture->conf;
	opts.path = path;
	opts.is_quick = false;
	assert_int_equal(count(&opts), 0);
	assert_int_equal(rename(path, other), 0);
	opts.path = other;
	assert_int_equal(dit_check(&opts, &stats), -EINVAL);
	dit_check_stats_deinit(&stats);
	assert_non_null(strstr(told.reports, "is not called data.mdb"));
	opts.is_quick = true;
	assert_int_equal(count(&opts), 0);
}

TEST(subordinate_databases_are_checked_but_for_g)
{
	struct load_fixture *fixture = load_fixture_new_glued("");
	struct told told;
	struct dit_check_opts opts = opts_for(&told);

	load_fixture_load_people(fixture, 300);
	opts.conf = fixture->conf;
	assert_int_equal(count(&opts), 0);
	assert_int_equal(told.nfiles, 2);

	flip(fixture->subordinate, 2 * 4096);
	assert_true(count(&opts) > 0);
	opts.no_glue = true;
	assert_int_equal(count(&opts), 0);
}

TEST(a_path_needs_no_configuration)
{
	struct load_fixture *fixture = load_fixture_new_people(300);
	struct told told;
	struct dit_check_opts opts = opts_for(&told);
	char path[4300];

	opts.path = fixture->database;
	assert_int_equal(count(&opts), 0);
	(void)snprintf(path, sizeof(path), "%s/data.mdb", fixture->database);
	opts.path = path;
	assert_int_equal(count(&opts), 0);
	assert_int_equal(told.nfiles, 2);
}

TEST(what_cannot_be_opened_is_an_error)
{
	struct load_fixture *fixture = load_fixture_new("");
	struct told told;
	struct dit_check_opts opts = opts_for(&told);
	struct dit_check_stats stats;

	opts.conf = fixture->conf;
	assert_int_equal(dit_check(&opts, &stats), -ENOENT);
	assert_non_null(strstr(told.reports, "could not be checked: No such file"));
	dit_check_stats_deinit(&stats);

	opts.conf = "/nonexistent";
	assert_int_equal(dit_check(&opts, &stats), DIT_E_CONFIG);
	dit_check_stats_deinit(&stats);
}

TEST(a_check_can_be_stopped)
{
	static const volatile sig_atomic_t stop = 1;
	struct load_fixture *fixture = load_fixture_new_people(300);
	struct told told;
	struct dit_check_opts opts = opts_for(&told);
	struct dit_check_stats stats;

	opts.path = fixture->database;
	opts.stop = &stop;
	assert_int_equal(dit_check(&opts, &stats), DIT_E_STOPPED);
	assert_int_equal(told.nfiles, 0);
	dit_check_stats_deinit(&stats);
}

/* ---- what is said ---- */

/* A page of zeros in several places, and one finding for each, in order. */
TEST(findings_are_sorted_and_limited)
{
	struct load_fixture *fixture = load_fixture_new_people(3000);
	struct told told;
	struct dit_check_opts opts = opts_for(&told);
	struct dit_check_stats stats;
	const char *line = NULL;
	const char *before = "";

	for (off_t page = 2; page < 40; page++) {
		flip(fixture->database, page * 4096);
	}
	opts.path = fixture->database;
	assert_int_equal(dit_check(&opts, &stats), 0);
	assert_true(stats.nkinds >= 1);
	assert_true(stats.nfindings >= 20);
	assert_int_equal(stats.nfindings, told.nfindings);
	for (line = strtok(told.findings, "\n"); line != NULL;
	     line = strtok(NULL, "\n")) {
		char kind[40];
		char name[40];
		static char last[40];

		assert_int_equal(sscanf(line, "%39s %39s", kind, name), 2);
		assert_true(strcmp(before, name) <= 0);
		(void)strcpy(last, name);
		before = last;
	}
	dit_check_stats_deinit(&stats);

	opts = opts_for(&told);
	opts.path = fixture->database;
	opts.max_findings = 3;
	assert_true(count(&opts) >= 20);
	assert_int_equal(strlen(told.findings) > 0, 1);
	assert_null(strchr(
		strchr(strchr(strchr(told.findings, '\n') + 1, '\n') + 1, '\n') + 1,
		'\n'));
}

static void make_database(MDB_txn *txn, const char *name, unsigned flags)
{
	(void)test_dbi(txn, name, MDB_CREATE | flags);
}

TEST(databases_that_slapd_would_not_make_are_told)
{
	struct told told;
	struct dit_check_opts opts = opts_for(&told);
	char *dir = test_scratch();
	MDB_txn *txn = test_begin(dir, MDB_NOSYNC);

	make_database(txn, "ad2i", MDB_INTEGERKEY);
	make_database(txn, "cn", MDB_DUPSORT);
	make_database(txn, "dn2i", MDB_DUPSORT);
	make_database(txn, "id2v", MDB_DUPSORT);
	make_database(txn, "mail",
	              MDB_DUPSORT | MDB_DUPFIXED | MDB_INTEGERDUP | MDB_INTEGERKEY);
	make_database(txn, "sn", MDB_DUPSORT | MDB_DUPFIXED | MDB_INTEGERDUP);
	test_commit(txn);

	opts.path = dir;
	assert_int_equal(count(&opts), 3);
	assert_string_equal(told.findings, "database-flags cn -1 -1\n"
	                                   "database-flags dn2i -1 -1\n"
	                                   "database-missing id2e -1 -1\n");
}

/* Names and numbers of what is told, a line each. */
static void note_database(void *ctx, const struct dit_check_database *database)
{
	struct told *told = ctx;

	test_append(told->reports, "%s %llu %llu %llu\n", database->name,
	            (unsigned long long)database->nkeys,
	            (unsigned long long)database->nrecords,
	            (unsigned long long)database->nentries);
}

TEST(sizes_of_databases_are_told)
{
	struct load_fixture *fixture = load_fixture_new_people(300);
	struct told told;
	struct dit_check_opts opts = opts_for(&told);

	opts.conf = fixture->conf;
	opts.sizes = note_database;
	opts.sizes_ctx = &told;
	assert_int_equal(count(&opts), 0);
	/* 300 people, 4 units, the suffix; dn2i has the root as well, and its dummy. */
	assert_non_null(strstr(told.reports, "dn2i 306 611 305\n"));
	assert_non_null(strstr(told.reports, "id2e 305 305 305\n"));
	assert_non_null(strstr(told.reports, "objectClass "));
}
