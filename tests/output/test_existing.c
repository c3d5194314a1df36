/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An existing database gets more:
 * - lists of IDs are continued, and become ranges by the rule of storage.md 5.4;
 * - children are found whatever lies next to them, subtrees grow up to the root;
 * - what was not committed, or was rolled back, was never there;
 * - a database in use is refused, a limit of the file's size is an error and no signal;
 * - a copy that lost flags is refused, and the fault says which and what to do.
 */
#include "test.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "output/existing.h"
#include "place/claim.h"
#include "place/fault.h"
#include "place/files.h"
#include "store_fixture.h"

static struct dit_existing *reopen(const char *dir)
{
	struct dit_existing_opts opts = {.directory = dir,
	                                 .mode = 0600,
	                                 .ndbs = 16,
	                                 .maxsize_bytes = FIXTURE_MAXSIZE};
	struct dit_existing *existing = NULL;

	assert_int_equal(dit_existing_open(&existing, &opts), 0);
	return existing;
}

static void commit(struct dit_existing *existing)
{
	uint64_t bytes = 0;

	assert_true(dit_existing_is_changed(existing));
	assert_int_equal(dit_existing_commit(existing, &bytes), 0);
	assert_true(bytes > 0);
	assert_int_equal(dit_existing_end(existing), 0);
}

/* The IDs of a key as text: "1 2 3". */
static void assert_list(const char *dir, const char *db, struct dit_span wanted,
                        const char *want)
{
	struct dit_snapshot *snapshot = NULL;
	struct dit_scan *scan = NULL;
	struct dit_span key = {0};
	struct dit_span value = {0};
	char got[256] = "";
	int r = 0;

	assert_int_equal(dit_snapshot_open(&snapshot, dir), 0);
	assert_int_equal(dit_scan_open(&scan, snapshot, db), 0);
	r = dit_scan_seek(scan, wanted, &key, &value);
	while (r > 0 && key.len == wanted.len &&
	       memcmp(key.data, wanted.data, wanted.len) == 0) {
		uint64_t id = 0;
		size_t len = strlen(got);

		memcpy(&id, value.data, sizeof(id));
		(void)snprintf(got + len, sizeof(got) - len, "%s%llu",
		               len == 0 ? "" : " ", (unsigned long long)id);
		r = dit_scan_next(scan, &key, &value);
	}
	assert_true(r >= 0);
	dit_scan_close(scan);
	dit_snapshot_close(snapshot);
	assert_string_equal(got, want);
}

static void add(struct dit_existing *existing, const char *key, const uint64_t *ids,
                size_t nids, int is_repeated)
{
	struct dit_existing_list list = {
		.ids = ids, .nids = nids, .is_repeated = is_repeated, .list_max = 4};

	assert_int_equal(
		dit_existing_add_postings(existing, (struct dit_span){key, 4}, &list), 0);
}

static void lists_are_continued_by_the_rule(void **state)
{
	static const struct {
		const char *name;
		uint64_t first[5];
		size_t nfirst;
		uint64_t second[5];
		size_t nsecond;
		int is_repeated;
		const char *want;
	} cases[] = {
		{"new", {0}, 0, {7, 9}, 2, 0, "7 9"},
		{"new, full", {0}, 0, {1, 2, 3, 4}, 4, 0, "1 2 3 4"},
		{"new, full, repeated", {0}, 0, {1, 2, 3, 4}, 4, 1, "0 1 4"},
		{"new range", {0}, 0, {0, 5, 99}, 3, 0, "0 5 99"},
		{"after", {1, 2}, 2, {5}, 1, 0, "1 2 5"},
		{"between", {1, 9}, 2, {5, 6}, 2, 0, "1 5 6 9"},
		{"one before", {4}, 1, {2}, 1, 0, "2 4"},
		{"becomes full", {1, 2}, 2, {5, 6}, 2, 0, "1 2 5 6"},
		{"becomes full, repeated", {1, 2}, 2, {5, 6}, 2, 1, "0 1 6"},
		{"not full, repeated", {1, 2}, 2, {5}, 1, 1, "1 2 5"},
		{"too long", {1, 2, 8}, 3, {5, 6}, 2, 0, "0 1 8"},
		{"full and one before", {3, 4, 5, 6}, 4, {1}, 1, 0, "0 1 6"},
		{"list and range", {5}, 1, {0, 2, 9}, 3, 0, "0 2 9"},
		{"range and list", {0, 5, 9}, 3, {6, 7}, 2, 0, "0 5 9"},
		{"range grows up", {0, 5, 9}, 3, {12}, 1, 0, "0 5 12"},
		{"range grows down", {0, 5, 9}, 3, {2, 7}, 2, 0, "0 2 9"},
		{"range and range", {0, 5, 9}, 3, {0, 1, 30}, 3, 0, "0 1 30"},
	};

	(void)state;
	for (int is_integerkey = 0; is_integerkey < 2; is_integerkey++) {
		char *dir = test_scratch();
		struct dit_existing *existing = NULL;

		(void)fixture_publish(fixture_open(dir));
		for (unsigned part = 0; part < 2; part++) {
			existing = reopen(dir);
			assert_int_equal(dit_existing_begin_index(existing, "cn",
			                                          is_integerkey != 0),
			                 0);
			for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
				char key[4] = {'k', 'e', 'y', (char)('a' + i)};

				if (part == 0 && cases[i].nfirst > 0) {
					add(existing, key, cases[i].first,
					    cases[i].nfirst, 0);
				} else if (part == 1) {
					add(existing, key, cases[i].second,
					    cases[i].nsecond, cases[i].is_repeated);
				}
			}
			commit(existing);
		}
		for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			char key[4] = {'k', 'e', 'y', (char)('a' + i)};

			assert_list(dir, "cn", (struct dit_span){key, 4}, cases[i].want);
		}
		test_scratch_remove(dir);
	}
}

static void put_child(struct dit_existing *existing, uint64_t parent, uint64_t id,
                      const char *rdn)
{
	char record[DIT_NAME_RECORD_MAX];
	struct dit_span name = dit_span_of(rdn);
	void *space = NULL;
	int len = dit_name_encode_child(record, name, name, id, 1);

	assert_true(len > 0);
	assert_int_equal(dit_existing_put_name(existing, parent,
	                                       (struct dit_span){record, (size_t)len}),
	                 0);
	len = dit_name_encode_self(record, name, name, parent);
	assert_int_equal(dit_existing_put_name(existing, id,
	                                       (struct dit_span){record, (size_t)len}),
	                 0);
	assert_int_equal(dit_existing_reserve_entry(existing, id, 0, &space), 0);
}

static uint64_t find(struct dit_existing *existing, uint64_t parent, const char *rdn)
{
	uint64_t id = 0;
	int r = dit_existing_find_child(existing, parent, dit_span_of(rdn), &id);

	assert_true(r >= 0);
	return r > 0 ? id : 0;
}

static void children_are_found_and_subtrees_grow(void **state)
{
	static const char dummy[12];
	char *dir = test_scratch();
	struct dit_existing *existing = NULL;
	struct dit_snapshot *snapshot = NULL;
	struct dit_scan *scan = NULL;
	struct dit_span key = {0};
	struct dit_span value = {0};
	uint64_t sizes[6] = {0};
	int r = 0;

	(void)state;
	(void)fixture_publish(fixture_open(dir));
	existing = reopen(dir);
	assert_int_equal(dit_existing_has_names(existing), 0);
	assert_int_equal(dit_existing_put_name(existing, 0,
	                                       (struct dit_span){dummy, sizeof(dummy)}),
	                 0);
	put_child(existing, 0, 1, "dc=x");
	put_child(existing, 1, 2, "ou=a");
	put_child(existing, 1, 3, "ou=aa");
	put_child(existing, 2, 4, "cn=only");
	commit(existing);

	existing = reopen(dir);
	assert_int_equal(dit_existing_has_names(existing), 1);
	assert_int_equal(dit_existing_last_id(existing), 4);
	assert_int_equal(find(existing, 0, "dc=x"), 1);
	assert_int_equal(find(existing, 0, "dc=xx"), 0);
	assert_int_equal(find(existing, 1, "ou=a"), 2);
	assert_int_equal(find(existing, 1, "ou=aa"), 3);
	assert_int_equal(find(existing, 1, "ou="), 0);
	assert_int_equal(find(existing, 2, "cn=only"), 4);
	assert_int_equal(find(existing, 2, "cn=onlx"), 0);
	assert_int_equal(find(existing, 4, "cn=none"), 0);
	assert_int_equal(find(existing, 77, "cn=none"), 0);
	assert_int_equal(dit_existing_grow_subtree(existing, 4, 10), 0);
	assert_int_equal(dit_existing_grow_subtree(existing, 1, 100), 0);
	assert_int_equal(dit_existing_grow_subtree(existing, 77, 1), DIT_E_CORRUPT);
	commit(existing);

	assert_int_equal(dit_snapshot_open(&snapshot, dir), 0);
	assert_int_equal(dit_scan_open(&scan, snapshot, "dn2i"), 0);
	while ((r = dit_scan_next(scan, &key, &value)) > 0) {
		struct dit_name name = {0};

		assert_int_equal(dit_name_decode(value, &name), 0);
		if (name.is_child) {
			sizes[name.id] = name.nsubs;
		}
	}
	assert_int_equal(r, 0);
	dit_scan_close(scan);
	dit_snapshot_close(snapshot);
	assert_int_equal(sizes[1], 111);
	assert_int_equal(sizes[2], 11);
	assert_int_equal(sizes[3], 1);
	assert_int_equal(sizes[4], 11);
	test_scratch_remove(dir);
}

static uint64_t count_entries(const char *dir)
{
	struct dit_snapshot *snapshot = NULL;
	const struct dit_stored_db *dbs = NULL;
	uint64_t n = 0;

	assert_int_equal(dit_snapshot_open(&snapshot, dir), 0);
	for (size_t i = dit_snapshot_dbs(snapshot, &dbs); i > 0; i--) {
		n = strcmp(dbs[i - 1].name, "id2e") == 0 ? dbs[i - 1].nrecords : n;
	}
	dit_snapshot_close(snapshot);
	return n;
}

static void add_entries(struct dit_existing *existing, unsigned n)
{
	void *space = NULL;

	for (unsigned i = 0; i < n; i++) {
		uint64_t id = dit_existing_last_id(existing) + 1;

		assert_int_equal(dit_existing_reserve_entry(existing, id, 512, &space),
		                 0);
		memset(space, 'x', 512);
	}
}

static void what_is_given_up_was_never_there(void **state)
{
	char *dir = fixture_published();
	struct dit_existing *existing = reopen(dir);
	uint64_t before = count_entries(dir);
	uint64_t bytes = 0;
	struct stat old;
	struct stat now;

	(void)state;
	assert_int_equal(stat(fixture_path(dir, "data.mdb"), &old), 0);
	add_entries(existing, 1000);
	dit_existing_abandon(existing);
	assert_int_equal(count_entries(dir), before);

	existing = reopen(dir);
	add_entries(existing, 1000);
	assert_int_equal(dit_existing_commit(existing, &bytes), 0);
	assert_int_equal(dit_existing_roll_back(existing), 0);
	dit_existing_abandon(existing);
	assert_int_equal(count_entries(dir), before);
	assert_int_equal(stat(fixture_path(dir, "data.mdb"), &now), 0);
	assert_int_equal(now.st_size, old.st_size);

	/* And again for good. */
	existing = reopen(dir);
	add_entries(existing, 1000);
	commit(existing);
	assert_int_equal(count_entries(dir), before + 1000);
	test_scratch_remove(dir);
}

static void a_database_in_use_is_refused(void **state)
{
	char *dir = fixture_published();
	struct dit_existing_opts opts = {.directory = dir, .mode = 0600, .ndbs = 8};
	struct dit_existing *existing = NULL;
	struct dit_claim claim;

	(void)state;
	assert_int_equal(
		dit_claim_take(&claim, dit_directory_open(dir, NULL), 0600, NULL), 0);
	assert_int_equal(dit_existing_open(&existing, &opts), DIT_E_BUSY);
	assert_null(existing);
	dit_claim_drop(&claim, DIT_CLAIM_UNUSED);
	test_scratch_remove(dir);
}

static void a_limit_of_the_file_is_an_error_and_no_signal(void **state)
{
	char *dir = fixture_published();
	uint64_t before = count_entries(dir);
	int status = 0;
	pid_t pid = fork();

	(void)state;
	assert_true(pid >= 0);
	if (pid == 0) {
		const struct rlimit limit = {1000001, 1000001};
		struct dit_existing *existing = reopen(dir);
		uint64_t bytes = 0;

		(void)signal(SIGXFSZ, SIG_DFL);
		add_entries(existing, 5000);
		if (setrlimit(RLIMIT_FSIZE, &limit) != 0 ||
		    dit_existing_commit(existing, &bytes) != -EFBIG ||
		    dit_existing_roll_back(existing) != 0) {
			_exit(1);
		}
		dit_existing_abandon(existing);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(count_entries(dir), before);
	test_scratch_remove(dir);
}

static void copy_records(MDB_txn *from, MDB_txn *to, const char *name, unsigned lost)
{
	MDB_cursor *cursor = NULL;
	MDB_val key = {0, NULL};
	MDB_val data = {0, NULL};
	MDB_dbi source = 0;
	MDB_dbi copy = 0;
	unsigned flags = 0;

	assert_int_equal(mdb_dbi_open(from, name, 0, &source), 0);
	assert_int_equal(mdb_dbi_flags(from, source, &flags), 0);
	assert_int_equal(mdb_dbi_open(to, name, MDB_CREATE | (flags & ~lost), &copy), 0);
	assert_int_equal(mdb_cursor_open(from, source, &cursor), 0);
	while (mdb_cursor_get(cursor, &key, &data, MDB_NEXT) == 0) {
		assert_int_equal(mdb_put(to, copy, &key, &data, 0), 0);
	}
	mdb_cursor_close(cursor);
}

/* As mdb_dump and mdb_load copy: all records, into databases that may lack flags. */
static char *copy_without(const char *dir, const char *name, unsigned lost)
{
	static const char *const names[] = {"ad2i", "dn2i", "id2e", "id2v", "cn"};
	char *ret = test_scratch();
	MDB_env *envs[2] = {NULL, NULL};
	MDB_txn *txns[2] = {NULL, NULL};

	for (int i = 0; i < 2; i++) {
		assert_int_equal(mdb_env_create(&envs[i]), 0);
		assert_int_equal(mdb_env_set_maxdbs(envs[i], 16), 0);
		assert_int_equal(mdb_env_set_mapsize(envs[i], FIXTURE_MAXSIZE), 0);
		assert_int_equal(
			mdb_env_open(envs[i], i == 0 ? dir : ret, MDB_NOLOCK, 0600), 0);
		assert_int_equal(mdb_txn_begin(envs[i], NULL, 0, &txns[i]), 0);
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		copy_records(txns[0], txns[1], names[i],
		             strcmp(names[i], name) == 0 ? lost : 0);
	}
	mdb_txn_abort(txns[0]);
	assert_int_equal(mdb_txn_commit(txns[1]), 0);
	mdb_env_close(envs[0]);
	mdb_env_close(envs[1]);
	return ret;
}

/* A database in which only the index can be wrong: it is looked at when it is used. */
static int open_copy(const char *dir, struct dit_fault *fault)
{
	struct dit_existing_opts opts = {.directory = dir,
	                                 .mode = 0600,
	                                 .ndbs = 16,
	                                 .maxsize_bytes = FIXTURE_MAXSIZE,
	                                 .fault = fault};
	struct dit_output_stored_index index = {0};
	struct dit_existing *existing = NULL;
	int r = dit_existing_open(&existing, &opts);

	if (r < 0) {
		assert_null(existing);
		return r;
	}
	r = dit_existing_find_index(existing, "cn", &index);
	dit_existing_abandon(existing);
	return r;
}

static void a_copy_that_lost_flags_is_refused_by_name(void **state)
{
	static const struct {
		const char *name;
		unsigned lost;
		int want;
		const char *stored; /* flags in the fault */
		const char *right;
		const char *remedy;
	} cases[] = {
		{"ad2i", MDB_INTEGERKEY, DIT_E_CORRUPT, "(none)", "(integerkey)",
	         "original"},
		{"dn2i", MDB_INTEGERKEY, DIT_E_CORRUPT, "(dupsort)",
	         "(integerkey dupsort)", "original"},
		{"id2e", MDB_INTEGERKEY, DIT_E_CORRUPT, "(none)", "(integerkey)",
	         "original"},
		{"cn", MDB_DUPFIXED | MDB_INTEGERDUP, DIT_E_CORRUPT, "dupsort)",
	         "(dupsort dupfixed integerdup)", "slapindex"},
		/* Keys in the order of their bytes are as good. */
		{"cn", MDB_INTEGERKEY, 1, "", "", ""},
		{"cn", 0, 1, "", "", ""},
	};
	const uint64_t ids[] = {1, 2};
	char *dir = fixture_published();
	struct dit_existing *existing = reopen(dir);

	(void)state;
	assert_int_equal(dit_existing_begin_index(existing, "cn", true), 0);
	add(existing, "keyA", ids, 2, 0);
	commit(existing);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *copy = copy_without(dir, cases[i].name, cases[i].lost);
		struct dit_fault fault = {""};

		assert_int_equal(open_copy(copy, &fault), cases[i].want);
		if (cases[i].want < 0) {
			assert_non_null(strstr(fault.text, cases[i].name));
			assert_int_equal(open_copy(copy, NULL), cases[i].want);
		}
		assert_non_null(strstr(fault.text, cases[i].stored));
		assert_non_null(strstr(fault.text, cases[i].right));
		assert_non_null(strstr(fault.text, cases[i].remedy));
		test_scratch_remove(copy);
	}
	test_scratch_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_continued_by_the_rule),
		cmocka_unit_test(children_are_found_and_subtrees_grow),
		cmocka_unit_test(what_is_given_up_was_never_there),
		cmocka_unit_test(a_database_in_use_is_refused),
		cmocka_unit_test(a_limit_of_the_file_is_an_error_and_no_signal),
		cmocka_unit_test(a_copy_that_lost_flags_is_refused_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
