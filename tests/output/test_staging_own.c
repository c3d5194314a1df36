/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A new database that is written without liblmdb, of LMDB 1.0:
 * - all that an output takes is there, late entries, split values and ixck among it, at
 *   several page sizes, and the walker finds nothing wrong;
 * - keys and records may be as long as the page size allows;
 * - what lies in the directory is replaced if it is empty and of this format, and refused
 *   with words if not; nothing is changed then;
 * - a database that becomes too large, and a full disk, are errors, and nothing is there.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

#include "base/error.h"
#include "files/fault.h"
#include "page/page_dump.h"
#include "reader/stored_order.h"
#include "store_fixture.h"
#include "walk/walk.h"

#define NENTRIES 3000

static struct dit_output_opts opts_of(const char *dir, unsigned page_bytes)
{
	struct dit_output_opts opts = fixture_opts(dir);

	opts.is_lmdb_10 = true;
	opts.has_ixck = true;
	opts.page_bytes = page_bytes;
	return opts;
}

static struct dit_record_output *open_staging(const struct dit_output_opts *opts)
{
	struct dit_record_output *staging = NULL;

	assert_int_equal(dit_output_new_open(&staging, opts), 0);
	return staging;
}

/* ---- content ---- */

static size_t len_of(uint64_t id)
{
	return id % 100 == 0 ? 20000 : 50 + id % 300;
}

static int put_entries(struct dit_record_output *staging)
{
	for (uint64_t id = 1; id <= NENTRIES; id++) {
		bool is_hole = id % 5 == 0;
		size_t len = is_hole ? 0 : len_of(id);
		void *space = NULL;
		int r = dit_output_reserve_entry(staging, id, len, &space);

		if (r < 0) {
			return r;
		}
		memset(space, (int)id, len);
	}
	return 0;
}

static void put_names(struct dit_record_output *staging, size_t longest)
{
	static char record[40000];
	uint64_t id = 0;

	memset(record, 'r', sizeof(record));
	for (id = 0; id < 300; id++) {
		assert_int_equal(dit_output_put_name(staging, id,
		                                     (struct dit_span){record, longest}),
		                 0);
	}
}

static void add_indexes(struct dit_record_output *staging)
{
	assert_int_equal(fixture_add_index(staging, "cn", true), 0);
	assert_int_equal(fixture_add_index(staging, "unused", false), 0);
}

static void write_index(struct dit_record_output *staging)
{
	struct dit_output_table *table = NULL;
	static uint64_t ids[20000];

	for (size_t i = 0; i < 20000; i++) {
		ids[i] = i + 1;
	}
	assert_int_equal(dit_output_open_part(&staging->base, 0, 0, &table), 0);
	for (uint32_t key = 1; key < 200; key++) {
		assert_int_equal(fixture_put_list(table,
		                                  (struct dit_span){(char *)&key, 4}, ids,
		                                  key == 7 ? 20000 : key % 9 + 1),
		                 0);
	}
	assert_int_equal(dit_output_finish(table, NULL), 0);
}

/* Holes get entries, in order; so does one that is there, a longer one. */
static void change(struct dit_record_output *staging)
{
	static char record[30000];
	struct dit_span found = {NULL, 0};

	assert_int_equal(dit_output_begin_changes(staging), 0);
	for (uint64_t id = 5; id <= NENTRIES; id += 5) {
		memset(record, (int)id, sizeof(record));
		assert_int_equal(
			dit_output_replace_entry(staging, id,
		                                 (struct dit_span){record, len_of(id)}),
			0);
	}
	memset(record, 100, sizeof(record));
	assert_int_equal(
		dit_output_replace_entry(staging, 100, (struct dit_span){record, 29000}),
		0);
	assert_int_equal(dit_output_find_entry(staging, 100, &found), 1);
	assert_int_equal(found.len, 29000);
	for (uint64_t id = 3; id < 400; id++) {
		for (unsigned i = 0; i < id % 7 + 1; i++) {
			memset(record, (int)(90 - i), 400);
			assert_int_equal(
				fixture_put_split(staging, id, 4,
			                          (struct dit_span){record, 400}),
				0);
		}
	}
}

static void fill(struct dit_record_output *staging)
{
	add_indexes(staging);
	assert_int_equal(dit_output_put_ad(staging, 1, DIT_SPAN("cn")), 0);
	assert_int_equal(put_entries(staging), 0);
	put_names(staging, staging->base.key_max);
	write_index(staging);
	change(staging);
}

/* ---- what is there ---- */

static void note_finding(void *ctx, const struct dit_walk_finding *finding)
{
	(void)ctx;
	print_message("%s %s %lld: %s\n", dit_walk_kind_name(finding->kind),
	              finding->database == NULL ? "" : finding->database,
	              (long long)finding->page, finding->text);
}

static void order(void *ctx, struct dit_span name, unsigned flags,
                  struct dit_key_orders *orders)
{
	dit_stored_order(ctx, name, flags, orders);
	orders->items.kind = DIT_ORDER_UNKNOWN; /* the records here are none */
	orders->items.bytes = 0;
}

static void check_walk(const char *dir, unsigned page_bytes)
{
	struct dit_walk_opts opts = {
		.fd = open(fixture_path(dir, "data.mdb"), O_RDONLY),
		.shared.nthreads = 1,
		.order = order,
		.found = note_finding,
	};
	struct dit_walk_stats stats;

	assert_true(opts.fd >= 0);
	assert_int_equal(dit_walk(&opts, &stats), 0);
	assert_int_equal(stats.nfindings, 0);
	assert_int_equal(stats.page_bytes, page_bytes);
	assert_string_equal(stats.format, "LMDB 1.0");
	assert_int_equal(close(opts.fd), 0);
}

struct content {
	struct page_dump dump;
	char names[200];
	uint64_t nentries;
	uint64_t nrecords;
};

static void check_entry(void *ctx, struct dit_span key, struct dit_span value)
{
	struct content *content = ctx;
	uint64_t id = 0;

	memcpy(&id, key.data, sizeof(id));
	assert_int_equal(id, ++content->nentries);
	assert_int_equal(value.len, id == 100 ? 29000 : len_of(id));
	for (size_t i = 0; i < value.len; i++) {
		assert_int_equal((unsigned char)value.data[i], id & 0xff);
	}
}

static void count_record(void *ctx, struct dit_span key, struct dit_span value)
{
	struct content *content = ctx;

	(void)key, (void)value;
	content->nrecords++;
}

static void check_database(void *ctx, struct dit_span key, struct dit_span value)
{
	struct content *content = ctx;
	struct dit_tree_record tree;

	memcpy(&tree, value.data, sizeof(tree));
	test_append(content->names, "%s=%x ", key.data, tree.flags);
	if (strcmp(key.data, "id2e") == 0) {
		assert_null(page_dump_tree(&content->dump, &tree, check_entry, content));
		return;
	}
	content->nrecords = 0;
	assert_null(page_dump_tree(&content->dump, &tree, count_record, content));
	assert_int_equal(content->nrecords, tree.nitems);
}

static void check_content(const char *dir)
{
	struct content content = {.nentries = 0};
	FILE *in = fopen(fixture_path(dir, "data.mdb"), "rb");

	assert_non_null(in);
	assert_null(page_dump_read(&content.dump, in));
	assert_int_equal(fclose(in), 0);
	assert_null(page_dump_tree(&content.dump, &content.dump.meta.main_tree,
	                           check_database, &content));
	assert_string_equal(content.names,
	                    "ad2i=8 cn=3c dn2i=c id2e=8 id2v=4 ixck=8 unused=34 ");
	assert_int_equal(content.nentries, NENTRIES);
	assert_int_equal(content.dump.meta.map_bytes, FIXTURE_MAXSIZE);
	page_dump_free(&content.dump);
}

TEST(all_is_there_at_every_page_size)
{
	static const unsigned sizes[] = {1024, 4096, 65536};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		char *dir = test_scratch();
		struct dit_output_opts opts = opts_of(dir, sizes[i]);
		struct dit_record_output *staging = open_staging(&opts);
		uint64_t bytes = 0;
		struct stat st;

		fill(staging);
		assert_int_equal(fixture_end(staging, &bytes), 0);
		assert_directory_holds(dir, "data.mdb lock.mdb ");
		assert_int_equal(stat(fixture_path(dir, "data.mdb"), &st), 0);
		assert_int_equal(st.st_size, bytes);
		assert_int_equal(st.st_mode & 0777, 0600);
		check_walk(dir, sizes[i]);
		check_content(dir);
		/* As liblmdb 1.0 makes it; test_lock_file looks into it. */
		assert_int_equal(stat(fixture_path(dir, "lock.mdb"), &st), 0);
		assert_int_equal(st.st_size, sizeof(pthread_mutex_t) == 40 ? 8192 : 0);
		test_scratch_remove(dir);
	}
}

TEST(limits_are_those_of_the_pages)
{
	char *dir = test_scratch();
	struct dit_output_opts opts = opts_of(dir, 0);
	struct dit_record_output *staging = open_staging(&opts);
	struct dit_span missing = {NULL, 0};
	static char record[2000];

	assert_int_equal(staging->base.key_max,
	                 dit_key_max(&dit_lmdb_10, (unsigned)sysconf(_SC_PAGESIZE)));
	fixture_abandon(staging);

	opts.page_bytes = 512;
	staging = open_staging(&opts);
	assert_int_equal(staging->base.key_max, 186);
	assert_int_equal(dit_output_begin_changes(staging), 0);
	assert_int_equal(fixture_put_split(staging, 1, 1, (struct dit_span){record, 186}),
	                 0);
	assert_int_equal(fixture_put_split(staging, 1, 1, (struct dit_span){record, 187}),
	                 MDB_BAD_VALSIZE);
	fixture_abandon(staging);

	staging = open_staging(&opts);
	assert_int_equal(dit_output_begin_changes(staging), 0);
	assert_int_equal(dit_output_find_entry(staging, 1, &missing), 0);
	fixture_abandon(staging);

	staging = open_staging(&opts);
	assert_int_equal(dit_output_find_entry(staging, 1, &missing), -EINVAL);
	fixture_abandon(staging);
	assert_directory_holds(dir, "");
}

/* ---- what lies there already ---- */

static void check_refused(const char *dir, struct dit_output_opts *opts, int want,
                          const char *text)
{
	struct dit_fault fault = {""};
	struct dit_record_output *staging = NULL;

	opts->directory = dir;
	opts->fault = &fault;
	assert_int_equal(dit_output_new_open(&staging, opts), want);
	assert_non_null(strstr(fault.text, text));
	opts->fault = NULL;
}

TEST(empty_databases_are_replaced_others_refused)
{
	char *dir = test_scratch();
	struct dit_output_opts opts = opts_of(dir, 4096);
	struct dit_record_output *staging = open_staging(&opts);
	uint64_t bytes = 0;
	struct stat before;
	struct stat after;

	assert_int_equal(fixture_end(staging, &bytes), 0);
	assert_int_equal(stat(fixture_path(dir, "data.mdb"), &before), 0);
	staging = open_staging(&opts);
	fill(staging);
	assert_int_equal(fixture_end(staging, &bytes), 0);
	assert_int_equal(stat(fixture_path(dir, "data.mdb"), &after), 0);
	assert_true(before.st_ino != after.st_ino);

	check_refused(dir, &opts, DIT_E_NOTEMPTY, "");
	opts.writer = DIT_WRITER_APPEND;
	assert_int_equal(unlink(fixture_path(dir, "data.mdb")), 0);
	check_refused(dir, &opts, MDB_VERSION_MISMATCH,
	              "does not write databases of OpenLDAP 2.7");
	assert_directory_holds(dir, "lock.mdb ");
}

TEST(files_of_other_formats_are_refused)
{
	char *dir = fixture_published();
	struct dit_output_opts opts = opts_of(dir, 4096);
	char page[8192] = {0};
	static const uint32_t head[] = {0, 0, 0, 0, 0, 0, DIT_META_MAGIC, 3};
	int fd = -1;

	check_refused(dir, &opts, DIT_E_FORMAT, "is of LMDB 0.9 (OpenLDAP 2.5 or 2.6)");

	/* Pages of no size. */
	memcpy(page, head, sizeof(head));
	fd = open(fixture_path(dir, "data.mdb"), O_WRONLY | O_TRUNC);
	assert_int_equal(write(fd, page, sizeof(page)), sizeof(page));
	assert_int_equal(close(fd), 0);
	check_refused(dir, &opts, MDB_INVALID, "is not an LMDB file");

	/* Of neither format. */
	fd = open(fixture_path(dir, "data.mdb"), O_WRONLY | O_TRUNC);
	assert_int_equal(write(fd, "no database", 11), 11);
	assert_int_equal(close(fd), 0);
	check_refused(dir, &opts, MDB_INVALID, "is not an LMDB file");

	/* An empty file is no database. */
	fd = open(fixture_path(dir, "data.mdb"), O_WRONLY | O_TRUNC);
	assert_int_equal(close(fd), 0);
	fixture_abandon(open_staging(&opts));
}

/* ---- limits ---- */

TEST(too_large_a_database_is_an_error)
{
	char *dir = test_scratch();
	struct dit_output_opts opts = opts_of(dir, 4096);
	struct dit_record_output *staging = NULL;
	uint64_t bytes = 0;

	opts.maxsize_bytes = 1 << 20;
	staging = open_staging(&opts);
	fill(staging);
	assert_int_equal(fixture_end(staging, &bytes), DIT_E_FULL);
	assert_true(bytes > 1 << 20);
	assert_directory_holds(dir, "");

	opts.may_grow = true;
	staging = open_staging(&opts);
	fill(staging);
	assert_int_equal(fixture_end(staging, &bytes), 0);
	check_walk(dir, 4096);
}

/* In a process of its own: the limit is the process's. */
static int load_within(const char *dir, uint64_t limit_bytes)
{
	const struct rlimit limit = {limit_bytes, limit_bytes};
	struct dit_output_opts opts = opts_of(dir, 4096);
	struct dit_record_output *staging = open_staging(&opts);
	static char record[30000];
	uint64_t bytes = 0;
	int r = 0;

	(void)signal(SIGXFSZ, SIG_DFL);
	if (setrlimit(RLIMIT_FSIZE, &limit) != 0) {
		return 1;
	}
	r = put_entries(staging);
	r = r ?: dit_output_begin_changes(staging);
	for (uint64_t id = 1; id <= NENTRIES && r == 0; id++) {
		r = dit_output_replace_entry(staging, id,
		                             (struct dit_span){record, sizeof(record)});
	}
	if (r == 0) {
		return 2;
	}
	return r == -EFBIG && fixture_end(staging, &bytes) == -EFBIG ? 0 : 3;
}

TEST(file_size_limit_is_an_error_and_no_signal)
{
	static const uint64_t limits[] = {100001, 1 << 20, 20 << 20};

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		char *dir = test_scratch();
		pid_t pid = test_fork();

		if (pid == 0) {
			_exit(load_within(dir, limits[i]));
		}
		assert_int_equal(test_wait(pid), 0);
		assert_directory_holds(dir, "");
		test_scratch_remove(dir);
	}
}
