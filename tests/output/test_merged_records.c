/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A database of either format gets more records (claimed_output.c):
 * - entries, holes that are filled, and changes that come late, in any order;
 * - children are found whatever lies next to them;
 * - databases that slapd makes are made if they are missing;
 * - what was not committed, or was taken back, was never there, to the byte;
 * - a database in use is refused, a limit of the file's size is an error and no signal;
 * - a copy that lost flags is refused, and the fault says which and what to do.
 */
#include "test.h"

#include <sys/resource.h>

#include "base/error.h"
#include "files/files.h"
#include "locks/claim.h"
#include "reader/stored_order.h"
#include "seal_watch.h"
#include "table_fixture.h"
#include "walk/walk.h"

static struct dit_record_output *reopen(const char *dir)
{
	struct dit_output_opts opts = fixture_opts(dir);
	struct dit_record_output *output = NULL;

	opts.list_max = 100;
	assert_int_equal(dit_output_merged_open(&output, &opts), 0);
	return output;
}

static void begin_changes(struct dit_record_output *output)
{
	assert_int_equal(dit_output_begin_changes(output), 0);
}

static int commit(struct dit_record_output *output)
{
	int r = dit_output_do(&output->base, DIT_PUBLISH_PREPARE);

	return r < 0 ? r : dit_output_do(&output->base, DIT_PUBLISH_COMMIT);
}

static void publish(struct dit_record_output *output)
{
	assert_int_equal(commit(output), 0);
	assert_int_equal(dit_output_do(&output->base, DIT_PUBLISH_RENAME), 0);
	assert_int_equal(dit_output_do(&output->base, DIT_PUBLISH_END), 0);
}

/* From the first ID that is free, with room for changes. */
static int add_entries(struct dit_record_output *output, unsigned n)
{
	void *space = NULL;
	int r = 0;

	for (unsigned i = 1; i <= n && r == 0; i++) {
		r = dit_output_reserve_entry(output, output->stored.last_id + i, 512,
		                             &space);
		if (r == 0) {
			memset(space, 'x', 512);
		}
	}
	return r < 0 ? r : dit_output_begin_changes(output);
}

static char *content_of(const char *dir, size_t *ret_len)
{
	return test_read_file(fixture_path(dir, "data.mdb"), ret_len);
}

static void print_found(void *ctx, const struct dit_walk_finding *finding)
{
	(void)ctx;
	print_error("%s: %s\n", dit_walk_kind_name(finding->kind), finding->text);
}

static void assert_sound(const char *dir)
{
	struct dit_walk_stats stats = {0};
	struct dit_walk_opts opts = {
		.fd = open(fixture_path(dir, "data.mdb"), O_RDONLY),
		.shared = {.nthreads = 1, .sealed = fixture_sealed},
		.order = dit_stored_order,
		.found = print_found,
	};

	assert_true(opts.fd >= 0);
	assert_int_equal(dit_walk(&opts, &stats), 0);
	assert_int_equal(stats.nfindings, 0);
	assert_int_equal(close(opts.fd), 0);
}

/* ---- entries ---- */

#define NENTRIES 400u

static char texts[NENTRIES + 1][16];

static void replace(struct dit_record_output *output, uint64_t id, unsigned version)
{
	(void)snprintf(texts[id], sizeof(texts[id]), "%u of %u", version, (unsigned)id);
	assert_int_equal(dit_output_replace_entry(output, id, dit_span_of(texts[id])), 0);
}

/* A record that was replaced before is found. */
static void assert_found(struct dit_record_output *output, uint64_t id)
{
	struct dit_span record = {NULL, 0};

	assert_int_equal(dit_output_find_entry(output, id, &record), texts[id][0] != 0);
	assert_true(dit_span_eq(record, dit_span_of(texts[id])));
}

static void assert_entries(const char *dir)
{
	struct dit_snapshot *snapshot = fixture_snapshot(dir);
	struct dit_tree_cursor *cursor = NULL;
	struct dit_span key;
	struct dit_span value;
	uint64_t id = 0;

	assert_sound(dir);
	assert_int_equal(dit_snapshot_cursor_open(&cursor, snapshot, 0, "id2e"), 0);
	for (uint64_t i = 1; i <= NENTRIES; i++) {
		assert_int_equal(dit_tree_cursor_next(cursor, &key, &value), 1);
		memcpy(&id, key.data, sizeof(id));
		assert_int_equal(id, i);
		assert_true(dit_span_eq(value, dit_span_of(texts[i])));
	}
	assert_int_equal(dit_tree_cursor_next(cursor, &key, &value), 0);
	dit_tree_cursor_close(cursor);
	test_release(snapshot);
}

/* Half of the entries are holes. */
static void put_entries(struct dit_record_output *output, uint64_t first, uint64_t end)
{
	for (uint64_t id = first; id <= end; id++) {
		if (id % 2 == 0) {
			(void)snprintf(texts[id], sizeof(texts[id]), "entry %u",
			               (unsigned)id);
		}
		fixture_put_entry(output, id, texts[id], strlen(texts[id]));
	}
}

static int forget(void **state)
{
	(void)state;
	seal_watch_forget();
	return 0;
}

TEST_WITH(late_entries_come_in_any_order, forget, NULL)
{
	char *dir = test_scratch();
	struct dit_record_output *output = NULL;
	struct dit_span record;

	memset(texts, 0, sizeof(texts));
	output = fixture_open(dir);
	put_entries(output, 1, NENTRIES / 2);
	(void)fixture_publish(output);

	output = reopen(dir);
	assert_int_equal(output->stored.last_id, NENTRIES / 2);
	assert_int_equal(dit_output_find_entry(output, 1, &record), 0);
	assert_int_equal(dit_output_find_entry(output, 2, &record), 1);
	put_entries(output, NENTRIES / 2 + 1, NENTRIES);
	begin_changes(output);
	for (uint64_t id = 1; id <= NENTRIES; id += 10) {
		replace(output, id, 1);
	}
	for (uint64_t id = 1; id <= NENTRIES; id += 7) {
		assert_found(output, id);
	}
	/* Again and again, each below the one before. */
	for (uint64_t id = NENTRIES; id > NENTRIES - 20; id -= 5) {
		replace(output, id, 2);
		replace(output, id, 3);
		assert_found(output, id);
		assert_found(output, 1);
	}
	replace(output, 2, 4);
	replace(output, 3, 4);
	replace(output, 1, 5);
	publish(output);
	assert_entries(dir);
}

/* A pass that begins below the one before it writes pages of that again. */
TEST_WITH(late_entries_take_free_pages, forget, NULL)
{
	char *dir = test_scratch();
	struct dit_record_output *output = NULL;

	memset(texts, 0, sizeof(texts));
	output = fixture_open(dir);
	put_entries(output, 1, NENTRIES);
	(void)fixture_publish(output);
	for (unsigned version = 1; version < 6; version++) {
		output = reopen(dir);
		begin_changes(output);
		for (uint64_t id = NENTRIES; id > 20; id -= 19) {
			replace(output, id, version);
		}
		publish(output);
		assert_entries(dir);
	}
}

TEST_IN("LMDB 0.9, LMDB 1.0", the_entry_with_the_empty_dn_may_come_late)
{
	char *dir = fixture_published();
	struct dit_record_output *output = reopen(dir);

	assert_false(output->stored.has_root_entry);
	assert_int_equal(add_entries(output, 1), 0);
	assert_int_equal(dit_output_replace_entry(output, 0, DIT_SPAN("root")), 0);
	publish(output);
	output = reopen(dir);
	assert_true(output->stored.has_root_entry);
	assert_int_equal(output->stored.last_id, 4);
	dit_output_abandon(&output->base);
	assert_sound(dir);
}

/* ---- names ---- */

static uint64_t find(struct dit_record_output *output, uint64_t parent, const char *rdn)
{
	struct dit_name name = {.id = 0};
	int r = dit_output_find_child(output, parent, dit_span_of(rdn), &name);

	assert_true(r >= 0);
	return r > 0 ? name.id : 0;
}

TEST_WITH(children_are_found_among_others, forget, NULL)
{
	char *dir = test_scratch();
	struct dit_record_output *output = fixture_open(dir);
	char rdn[32];

	fixture_put_entry(output, 1000, "x", 1);
	fixture_put_name(0, "\0\0\0\0\0\0\0\0\0\0\0", 12);
	fixture_put_child(0, "dc=x", 1, 1000);
	fixture_put_self(1, "dc=x", 0);
	fixture_put_child(1, "ou=a", 2, 2);
	fixture_put_child(1, "ou=aa", 3, 1);
	fixture_put_self(2, "ou=a", 1);
	fixture_put_child(2, "cn=only", 4, 1);
	fixture_put_self(3, "ou=aa", 1);
	/* A list in a tree of its own. */
	for (unsigned i = 100; i < 1000; i += 2) {
		(void)snprintf(rdn, sizeof(rdn), "cn=%u", i);
		fixture_put_child(3, rdn, i, 1);
	}
	(void)fixture_publish(output);

	output = reopen(dir);
	assert_true(output->stored.has_names);
	assert_int_equal(find(output, 0, "dc=x"), 1);
	assert_int_equal(find(output, 0, "dc=xx"), 0);
	assert_int_equal(find(output, 1, "ou=a"), 2);
	assert_int_equal(find(output, 1, "ou=aa"), 3);
	assert_int_equal(find(output, 1, "ou="), 0);
	assert_int_equal(find(output, 1, "ou=aaa"), 0);
	assert_int_equal(find(output, 2, "cn=only"), 4);
	assert_int_equal(find(output, 2, "cn=onlx"), 0);
	assert_int_equal(find(output, 4, "cn=none"), 0);
	for (unsigned i = 100; i < 1000; i++) {
		(void)snprintf(rdn, sizeof(rdn), "cn=%u", i);
		assert_int_equal(find(output, 3, rdn), i % 2 == 0 ? i : 0);
	}
	dit_output_abandon(&output->base);
}

/* ---- databases that are missing ---- */

TEST_IN("LMDB 0.9", missing_databases_are_made)
{
	static const struct {
		const char *name;
		unsigned flags;
	} dbs[] = {{"ad2i", MDB_INTEGERKEY},
	           {"dn2i", MDB_INTEGERKEY | MDB_DUPSORT},
	           {"id2v", MDB_DUPSORT}};
	char *dir = test_scratch();
	MDB_env *env = test_env(dir, 0, 0);
	struct dit_record_output *output = NULL;
	uint64_t id = 1;
	MDB_txn *txn = test_txn(env, 0);
	MDB_dbi dbi = test_dbi(txn, "id2e", MDB_CREATE | MDB_INTEGERKEY);
	unsigned flags = 0;

	test_put(txn, dbi, &id, sizeof(id), "entry", 5);
	test_commit(txn);

	output = reopen(dir);
	assert_int_equal(dit_output_put_ad(output, 1, DIT_SPAN("cn")), 0);
	assert_int_equal(add_entries(output, 1), 0);
	publish(output);
	assert_sound(dir);
	env = test_env(dir, MDB_RDONLY, 0);
	txn = test_txn(env, MDB_RDONLY);
	for (size_t i = 0; i < sizeof(dbs) / sizeof(dbs[0]); i++) {
		dbi = test_dbi(txn, dbs[i].name, 0);
		assert_int_equal(mdb_dbi_flags(txn, dbi, &flags), 0);
		assert_int_equal(flags, dbs[i].flags);
	}
	test_abort(txn);
}

/* ---- what is not to be ---- */

TEST_IN("LMDB 0.9, LMDB 1.0", what_is_given_up_was_never_there)
{
	char *dir = fixture_published();
	size_t len = 0;
	char *before = content_of(dir, &len);

	/* Nothing is added; added; prepared; committed and taken back. */
	for (unsigned stop = 0; stop < 5; stop++) {
		struct dit_record_output *output = reopen(dir);
		size_t now_len = 0;
		char *now = NULL;

		if (stop == 0) {
			assert_int_equal(fixture_add_index(output, "missing", false) +
			                         dit_output_begin_changes(output),
			                 0);
		} else {
			assert_int_equal(add_entries(output, 1000), 0);
		}
		if (stop == 2) {
			assert_int_equal(
				dit_output_do(&output->base, DIT_PUBLISH_PREPARE), 0);
		} else if (stop > 2) {
			assert_int_equal(commit(output), 0);
		}
		assert_int_equal(dit_output_do(&output->base, DIT_PUBLISH_TAKE_BACK), 0);
		dit_output_abandon(&output->base);
		now = content_of(dir, &now_len);
		assert_int_equal(now_len, len);
		assert_memory_equal(now, before, len);
		free(now);
	}
	free(before);
}

TEST_IN("LMDB 0.9, LMDB 1.0", a_database_in_use_is_refused)
{
	char *dir = fixture_published();
	struct dit_output_opts opts = fixture_opts(dir);
	struct dit_record_output *output = NULL;
	struct dit_claim claim;

	assert_int_equal(
		dit_claim_take(&claim, dit_directory_open(dir, NULL), 0600, NULL), 0);
	assert_int_equal(dit_output_merged_open(&output, &opts), DIT_E_BUSY);
	assert_null(output);
	dit_claim_drop(&claim, DIT_CLAIM_UNUSED);
}

TEST_IN("LMDB 0.9, LMDB 1.0", a_file_of_the_other_format_is_refused)
{
	char *dir = fixture_published();
	struct dit_output_opts opts = fixture_opts(dir);
	struct dit_record_output *output = NULL;

	opts.is_lmdb_10 = !opts.is_lmdb_10;
	assert_int_equal(dit_output_merged_open(&output, &opts), DIT_E_FORMAT);
	assert_null(output);
}

TEST_IN("LMDB 0.9, LMDB 1.0", a_full_map_is_an_error)
{
	char *dir = fixture_published();
	struct dit_output_opts opts = fixture_opts(dir);
	struct dit_record_output *output = NULL;

	opts.maxsize_bytes = 400000;
	for (int may_grow = 0; may_grow < 2; may_grow++) {
		opts.may_grow = may_grow != 0;
		assert_int_equal(dit_output_merged_open(&output, &opts), 0);
		assert_int_equal(add_entries(output, 1000), 0);
		if (may_grow) {
			publish(output);
			continue;
		}
		assert_int_equal(commit(output), DIT_E_FULL);
		assert_true(output->base.bytes > 400000);
		assert_int_equal(dit_output_do(&output->base, DIT_PUBLISH_TAKE_BACK), 0);
		dit_output_abandon(&output->base);
		assert_int_equal(fixture_count(dir), 3);
	}
	assert_int_equal(fixture_count(dir), 1003);
	assert_sound(dir);
}

TEST_IN("LMDB 0.9, LMDB 1.0", a_limit_of_the_file_is_an_error_and_no_signal)
{
	char *dir = fixture_published();
	pid_t pid = test_fork();

	if (pid == 0) {
		const struct rlimit limit = {1000001, 1000001};
		struct dit_record_output *output = reopen(dir);
		int r = 0;

		(void)signal(SIGXFSZ, SIG_DFL);
		if (setrlimit(RLIMIT_FSIZE, &limit) != 0) {
			_exit(1);
		}
		r = add_entries(output, 5000);
		r = r < 0 ? r : commit(output);
		if (r != -EFBIG ||
		    dit_output_do(&output->base, DIT_PUBLISH_TAKE_BACK) != 0) {
			_exit(2);
		}
		dit_output_abandon(&output->base);
		_exit(0);
	}
	assert_int_equal(test_wait(pid), 0);
	assert_int_equal(fixture_count(dir), 3);
}

/* ---- flags ---- */

static void copy_records(MDB_txn *from, MDB_txn *to, const char *name, unsigned lost)
{
	MDB_cursor *cursor = NULL;
	MDB_val key = {0, NULL};
	MDB_val data = {0, NULL};
	MDB_dbi source = test_dbi(from, name, 0);
	MDB_dbi copy = 0;
	unsigned flags = 0;

	assert_int_equal(mdb_dbi_flags(from, source, &flags), 0);
	copy = test_dbi(to, name, MDB_CREATE | (flags & ~lost));
	cursor = test_cursor(from, source);
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
		envs[i] = test_env(i == 0 ? dir : ret, MDB_NOLOCK, FIXTURE_MAXSIZE);
		txns[i] = test_txn(envs[i], 0);
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
	struct dit_output_opts opts = fixture_opts(dir);
	struct dit_output_stored_index index = {0};
	struct dit_record_output *output = NULL;
	int r = 0;

	opts.fault = fault;
	r = dit_output_merged_open(&output, &opts);
	if (r < 0) {
		assert_null(output);
		return r;
	}
	r = dit_output_find_index(&output->base, "cn", &index);
	dit_output_abandon(&output->base);
	return r;
}

TEST_IN("LMDB 0.9", a_copy_that_lost_flags_is_refused_by_name)
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
	struct dit_record_output *output = reopen(dir);
	struct dit_output_table *table = NULL;

	assert_int_equal(fixture_add_index(output, "cn", true), 0);
	assert_int_equal(dit_output_open_part(&output->base, 0, 0, &table), 0);
	assert_int_equal(fixture_put_list(table, DIT_SPAN("keyA"), ids, 2), 0);
	assert_int_equal(dit_output_finish(table, NULL), 0);
	begin_changes(output);
	publish(output);
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
}

int main(void)
{
	return test_run("LMDB 0.9", NULL, NULL) +
	       test_run("LMDB 1.0", fixture_use_lmdb_10, NULL) +
	       test_run("sealed", fixture_use_sealed, NULL);
}
