/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files that are written without liblmdb, in both formats and with pages of all sizes:
 * - what is written is read: values of every length, lists of IDs and of records, keys
 *   and records in an order of their own, empty tables;
 * - values are found and replaced, in any order, by shorter and longer ones, until leaves
 *   and branch pages are cut in two; pages that are left over are on the free list;
 * - keys are added, in any order, to a tree of few keys and to an empty one;
 * - the walker finds nothing wrong;
 * - liblmdb goes on with a file of its format;
 * - what is no such tree is told, and failures of writing are passed on.
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "base/error.h"
#include "commit/page_commit.h"
#include "lmdb_test.h"
#include "page/meta_pages.h"
#include "page/page_seal.h"
#include "page/tree_cursor.h"
#include "tree/table_writer_impl.h"
#include "tree/tree_merge.h"
#include "walk/walk.h"

#include "page/page_dump.h"
#include "system/xor_crypto.h"

#define NENTRIES  600
#define NKEYS     60
#define VALUE_MAX 300000

struct layout {
	const struct dit_page_format *format;
	unsigned page_bytes;
};

/* Filled by set_up(): encrypted with a checksum, encrypted, with a checksum alone. */
static struct dit_page_format sealed;
static struct dit_page_format encrypted;
static struct dit_page_format summed;

/* One thread runs here, so the thread sanitizer has nothing to find. It is slow, and gets
 * no large pages. */
static const struct layout layouts[] = {
	{&dit_lmdb_09, 4096},  {&dit_lmdb_10, 512},   {&dit_lmdb_10, 1024},
	{&dit_lmdb_10, 4096},  {&sealed, 512},        {&sealed, 4096},
	{&encrypted, 1024},    {&summed, 4096},
#ifndef __SANITIZE_THREAD__
	{&dit_lmdb_09, 32768}, {&dit_lmdb_10, 16384}, {&dit_lmdb_10, 65536},
	{&encrypted, 65536},
#endif
};

#define NLAYOUTS (sizeof(layouts) / sizeof(layouts[0]))

struct named_tree {
	const char *name;
	struct dit_tree_record tree;
};

struct fixture {
	char *dir;
	char path[4200];
	int fd;
	struct layout layout;
	struct dit_page_commit *commit;
	struct dit_page_space *space;
	struct named_tree trees[5];
	size_t ntrees;
	size_t lens[NENTRIES + 1];          /* of the values, by ID */
	struct dit_tree_merge_opts changes; /* with the tree so far */
	struct dit_tree_merge *merge;       /* NULL: that tree is finished */
	uint64_t last;                      /* the key that was put last */
	struct dit_tree_cursor *cursor;     /* on the value that was found last */
	uint32_t state;                     /* of the generator of numbers */
	uint64_t next_id;
	uint64_t nfound;
	char text[2000];
};

static int set_up(void **state)
{
	static char key[XOR_KEY_BYTES];
	static struct dit_crypto all;
	static struct dit_crypto mac;
	static struct dit_crypto sum;

	(void)state;
	all = xor_crypto("secret", key);
	mac = all;
	mac.sum_bytes = 0;
	sum = (struct dit_crypto){.table = &xor_table, .sum_bytes = XOR_SUM_BYTES};
	sealed = dit_page_format_sealed(&all);
	encrypted = dit_page_format_sealed(&mac);
	summed = dit_page_format_sealed(&sum);
	return 0;
}

static uint32_t number(struct fixture *f)
{
	f->state = f->state * 1664525 + 1013904223;
	return f->state >> 8;
}

/* The value of an ID at its length: no other ID or length has the same. */
static const char *value_of(uint64_t id, size_t len)
{
	static uint64_t words[VALUE_MAX / 8 + 1];

	for (size_t i = 0; i <= len / 8; i++) {
		words[i] = (id | len << 32) + i * 0x0101010101010101;
	}
	return (const char *)words;
}

/* ---- a file ---- */

static void begin(struct fixture *f, struct layout layout)
{
	struct dit_page_commit_opts opts = {.format = layout.format,
	                                    .map_bytes = (uint64_t)1 << 30};

	memset(f, 0, sizeof(*f));
	f->layout = layout;
	f->dir = test_scratch();
	f->state = layout.page_bytes + layout.format->version;
	(void)snprintf(f->path, sizeof(f->path), "%s/data.mdb", f->dir);
	f->fd = open(f->path, O_RDWR | O_CREAT, 0600);
	assert_true(f->fd >= 0);
	opts.fd = f->fd;
	assert_int_equal(dit_metas_begin(f->fd, layout.format, layout.page_bytes), 0);
	assert_int_equal(dit_page_commit_open(&f->commit, &opts), 0);
	f->space = dit_page_commit_space(f->commit);
}

static void end(struct fixture *f)
{
	dit_page_commit_close(f->commit);
	assert_int_equal(close(f->fd), 0);
	test_scratch_remove(f->dir);
}

static struct dit_table_writer *begin_table(struct fixture *f, const char *name,
                                            unsigned flags)
{
	struct dit_table_writer *writer = NULL;

	f->trees[f->ntrees] =
		(struct named_tree){.name = name, .tree.flags = (uint16_t)flags};
	assert_int_equal(dit_table_writer_new(&writer, f->space, flags), 0);
	return writer;
}

static struct dit_tree_record *end_table(struct fixture *f,
                                         struct dit_table_writer *writer)
{
	struct dit_tree_record *tree = &f->trees[f->ntrees++].tree;

	assert_int_equal(dit_table_writer_finish(writer, tree), 0);
	dit_table_writer_free(writer);
	return tree;
}

/* Every third value is none; some are longer than a page. */
static struct dit_tree_record *write_entries(struct fixture *f)
{
	struct dit_table_writer *writer = begin_table(f, "id2e", MDB_INTEGERKEY);

	for (uint64_t id = 1; id <= NENTRIES; id++) {
		size_t len = id % 3 == 0    ? 0
		             : id % 50 == 0 ? f->layout.page_bytes + number(f) % 9000
		                            : number(f) % (f->layout.page_bytes / 3);
		char *space = NULL;

		f->lens[id] = len;
		assert_int_equal(
			dit_table_writer_reserve(
				writer, (struct dit_span){(char *)&id, 8}, len, &space),
			0);
		memcpy(space, value_of(id, len), len);
	}
	return end_table(f, writer);
}

static size_t nids_of(const struct fixture *f, unsigned key)
{
	return key == 5 ? f->layout.page_bytes * 2 : key % 7 == 0 ? 20 : 1;
}

static void write_lists(struct fixture *f)
{
	struct dit_table_writer *writer =
		begin_table(f, "cn", MDB_DUPSORT | MDB_DUPFIXED | MDB_INTEGERDUP);
	uint64_t *ids = calloc((size_t)f->layout.page_bytes * 2, sizeof(*ids));

	for (unsigned k = 0; k < NKEYS; k++) {
		char key[5] = {'k', (char)('a' + k / 10), (char)('0' + k % 10), 'x', 'y'};
		size_t n = nids_of(f, k);

		for (size_t i = 0; i < n; i++) {
			ids[i] = k + i * 2;
		}
		assert_int_equal(dit_table_writer_put(writer,
		                                      (struct dit_span){key, 4 + k % 2},
		                                      ids, n),
		                 0);
	}
	free(ids);
	(void)end_table(f, writer);
}

/* Keys of ten bytes, records from high to low: no order that LMDB knows. */
static void write_splits(struct fixture *f)
{
	static const struct dit_key_orders unknown = {
		.keys = {DIT_ORDER_UNKNOWN, .bytes = 10}, .items = {DIT_ORDER_UNKNOWN}};
	struct dit_table_writer *writer = begin_table(f, "id2v", MDB_DUPSORT);
	unsigned max = dit_key_max(f->layout.format, f->layout.page_bytes);

	writer->orders = unknown;
	for (unsigned k = 0; k < 300; k++) {
		uint64_t id = 250 + k;
		char key[10] = {0};

		memcpy(key, &id, sizeof(id));
		assert_int_equal(dit_table_writer_begin_records(
					 writer, (struct dit_span){key, sizeof(key)}),
		                 0);
		for (unsigned i = 0; i < (k == 7 ? 400u : k % 4 + 1); i++) {
			char record[40000];

			memset(record, (char)(200 - i), sizeof(record));
			assert_int_equal(
				dit_table_writer_add_record(
					writer,
					(struct dit_span){record,
			                                  i == 2 ? max : 9 + i % 5}),
				0);
		}
		assert_int_equal(dit_table_writer_end_records(writer, 0), 0);
	}
	(void)end_table(f, writer);
}

static void write_nothing(struct fixture *f)
{
	(void)end_table(f, begin_table(f, "ixck", MDB_INTEGERKEY));
}

static int finish(struct fixture *f)
{
	int r = 0;

	for (size_t i = 0; i < f->ntrees && r == 0; i++) {
		r = dit_page_commit_put(f->commit, dit_span_of(f->trees[i].name),
		                        &f->trees[i].tree);
	}
	return r < 0 ? r : dit_page_commit_write(f->commit);
}

/* ---- what it holds ---- */

static void note_finding(void *ctx, const struct dit_walk_finding *finding)
{
	struct fixture *f = ctx;

	test_append(f->text, "%s %s %lld: %s\n", dit_walk_kind_name(finding->kind),
	            finding->database == NULL ? "" : finding->database,
	            (long long)finding->page, finding->text);
}

static void order(void *ctx, struct dit_span name, unsigned flags,
                  struct dit_key_orders *orders)
{
	(void)ctx, (void)flags;
	if (dit_span_eq(name, dit_span_of("id2v"))) {
		orders->keys.kind = DIT_ORDER_UNKNOWN;
		orders->items.kind = DIT_ORDER_UNKNOWN;
	}
}

static void check_walk(struct fixture *f)
{
	struct dit_walk_opts opts = {
		.fd = f->fd,
		.shared = {.nthreads = 1,
	                   .sealed = f->layout.format->crypto == NULL ? NULL
	                                                              : f->layout.format},
		.order = order,
		.found = note_finding,
		.ctx = f,
	};
	struct dit_walk_stats stats;
	struct stat st;

	assert_int_equal(dit_walk(&opts, &stats), 0);
	assert_string_equal(f->text, "");
	assert_string_equal(stats.format, f->layout.format->name);
	assert_int_equal(stats.page_bytes, f->layout.page_bytes);
	assert_int_equal(stats.ndatabases, f->ntrees);
	assert_int_equal(stats.npages, stats.nused + stats.nfree + 2);
	assert_int_equal(stats.transaction, 1);
	assert_int_equal(fstat(f->fd, &st), 0);
	assert_int_equal(st.st_size, stats.npages * f->layout.page_bytes);
	assert_int_equal(dit_page_commit_bytes(f->commit), st.st_size);
}

static void check_entry(void *ctx, struct dit_span key, struct dit_span value)
{
	struct fixture *f = ctx;
	uint64_t id = 0;

	memcpy(&id, key.data, sizeof(id));
	assert_int_equal(id, f->next_id++);
	assert_int_equal(value.len, f->lens[id]);
	assert_memory_equal(value.data, value_of(id, value.len), value.len);
}

static void check_id(void *ctx, struct dit_span key, struct dit_span value)
{
	struct fixture *f = ctx;
	uint64_t id = 0;

	memcpy(&id, value.data, sizeof(id));
	assert_int_equal(key.data[0], 'k');
	assert_true(id >= (unsigned)((key.data[1] - 'a') * 10 + key.data[2] - '0'));
	f->nfound++;
}

static void check_split(void *ctx, struct dit_span key, struct dit_span value)
{
	struct fixture *f = ctx;

	assert_int_equal(key.len, 10);
	assert_true(value.len >= 9);
	f->nfound++;
}

static uint64_t count_ids(const struct fixture *f)
{
	uint64_t n = 0;

	for (unsigned k = 0; k < NKEYS; k++) {
		n += nids_of(f, k);
	}
	return n;
}

static void check_table(struct fixture *f, const struct page_dump *dump, const char *name,
                        const struct dit_tree_record *tree)
{
	f->nfound = 0;
	f->next_id = 1;
	if (strcmp(name, "id2e") == 0) {
		assert_null(page_dump_tree(dump, tree, check_entry, f));
		assert_int_equal(f->next_id, NENTRIES + 1);
		assert_int_equal(tree->nitems, NENTRIES);
	} else if (strcmp(name, "cn") == 0) {
		assert_null(page_dump_tree(dump, tree, check_id, f));
		assert_int_equal(f->nfound, count_ids(f));
		assert_int_equal(tree->nitems, f->nfound);
	} else if (strcmp(name, "id2v") == 0) {
		assert_null(page_dump_tree(dump, tree, check_split, f));
		assert_int_equal(tree->nitems, f->nfound);
	} else {
		assert_int_equal(tree->root, DIT_PAGE_NONE);
		assert_int_equal(tree->nitems, 0);
	}
}

static void check_tables(struct fixture *f)
{
	struct page_dump dump;
	FILE *in = fopen(f->path, "rb");

	assert_non_null(in);
	assert_null(page_dump_read(&dump, in));
	assert_int_equal(fclose(in), 0);
	if (f->layout.format->crypto != NULL) {
		page_dump_unseal(&dump, f->layout.format);
	}
	assert_int_equal(dump.meta.map_bytes, (uint64_t)1 << 30);
	for (size_t i = 0; i < f->ntrees; i++) {
		check_table(f, &dump, f->trees[i].name, &f->trees[i].tree);
	}
	page_dump_free(&dump);
}

static void write_tables(struct fixture *f)
{
	write_lists(f);
	(void)write_entries(f);
	write_splits(f);
	write_nothing(f);
}

TEST(what_is_written_is_read)
{
	struct fixture f;

	for (size_t i = 0; i < NLAYOUTS; i++) {
		begin(&f, layouts[i]);
		write_tables(&f);
		assert_int_equal(finish(&f), 0);
		check_walk(&f);
		check_tables(&f);
		end(&f);
	}
}

/* ---- values replaced ---- */

static const struct dit_key_orders by_number = {
	.keys = {DIT_ORDER_NUMBERS, .bytes = sizeof(uint64_t)},
};

static void begin_changes(struct fixture *f, const struct dit_tree_record *tree)
{
	f->changes =
		(struct dit_tree_merge_opts){.space = f->space,
	                                     .source = dit_page_commit_source(f->commit),
	                                     .stored = *tree,
	                                     .orders = &by_number,
	                                     .dropped = dit_page_commit_drop_pages,
	                                     .ctx = f->commit};
	assert_int_equal(dit_page_commit_reach(f->commit), 0);
}

/* The tree can be read. */
static int end_merge(struct fixture *f)
{
	int r = f->merge == NULL
	                ? 0
	                : dit_tree_merge_finish(f->merge, &f->changes.stored, NULL);

	dit_tree_merge_free(f->merge);
	f->merge = NULL;
	return r < 0 ? r : dit_page_commit_reach(f->commit);
}

static int find_value(struct fixture *f, uint64_t id, struct dit_span *ret)
{
	const struct dit_span wanted = {(char *)&id, sizeof(id)};
	struct dit_span key;
	int r = end_merge(f);

	dit_tree_cursor_close(f->cursor);
	f->cursor = NULL;
	r = r < 0 ? r
	          : dit_tree_cursor_open(&f->cursor, f->changes.source,
	                                 &f->changes.stored, &by_number.keys);
	return r < 0 ? r : dit_tree_cursor_find(f->cursor, wanted, &key, ret);
}

static int put_value(struct fixture *f, uint64_t id, struct dit_span value)
{
	int r = id > f->last ? 0 : end_merge(f);

	if (r == 0 && f->merge == NULL) {
		r = dit_tree_merge_open(&f->merge, &f->changes);
	}
	f->last = id;
	return r < 0 ? r
	             : dit_tree_merge_put(f->merge,
	                                  (struct dit_span){(char *)&id, sizeof(id)},
	                                  value);
}

static void drop_changes(struct fixture *f)
{
	dit_tree_merge_free(f->merge);
	f->merge = NULL;
	dit_tree_cursor_close(f->cursor);
	f->cursor = NULL;
}

static void end_changes(struct fixture *f, struct dit_tree_record *tree)
{
	assert_int_equal(end_merge(f), 0);
	*tree = f->changes.stored;
	drop_changes(f);
}

static void replace(struct fixture *f, uint64_t id, size_t len)
{
	f->lens[id] = len;
	assert_int_equal(put_value(f, id, (struct dit_span){value_of(id, len), len}), 0);
}

static void check_found(struct fixture *f, uint64_t id)
{
	struct dit_span found = {NULL, 0};

	assert_int_equal(find_value(f, id, &found), 1);
	assert_int_equal(found.len, f->lens[id]);
	assert_memory_equal(found.data, value_of(id, found.len), found.len);
}

/* Holes in ascending order, as a load has it; then anything anywhere. */
static void change_entries(struct fixture *f)
{
	unsigned page_bytes = f->layout.page_bytes;
	struct dit_span found = {NULL, 0};

	for (uint64_t id = 3; id <= NENTRIES; id += 3) {
		replace(f, id, number(f) % (page_bytes / 2));
	}
	for (uint64_t id = 1; id <= NENTRIES; id++) {
		check_found(f, id);
	}
	for (unsigned i = 0; i < 600; i++) {
		uint64_t id = 1 + number(f) % NENTRIES;
		size_t len = i % 10 == 0 ? number(f) % (4 * page_bytes)
		                         : number(f) % (page_bytes / 2);

		replace(f, id, len);
		check_found(f, 1 + number(f) % NENTRIES);
		check_found(f, id);
	}
	assert_int_equal(find_value(f, 0, &found), 0);
	assert_int_equal(find_value(f, NENTRIES + 1, &found), 0);
}

TEST(values_are_replaced)
{
	struct fixture f;
	bool has_grown = false;

	for (size_t i = 0; i < NLAYOUTS; i++) {
		struct dit_tree_record *tree = NULL;
		struct dit_tree_record before;

		begin(&f, layouts[i]);
		tree = write_entries(&f);
		before = *tree;
		begin_changes(&f, tree);
		change_entries(&f);
		end_changes(&f, tree);
		assert_true(tree->nleaf_pages > before.nleaf_pages);
		has_grown = has_grown || tree->depth > before.depth;
		write_nothing(&f);
		assert_int_equal(finish(&f), 0);
		check_walk(&f);
		check_tables(&f);
		end(&f);
	}
	assert_true(has_grown);
}

/* A tree of one leaf becomes one of many levels. */
TEST(a_leaf_becomes_a_tree)
{
	struct fixture f;

	for (size_t i = 0; i < NLAYOUTS; i++) {
		struct dit_tree_record *tree = NULL;
		struct dit_table_writer *writer = NULL;
		uint64_t n = layouts[i].page_bytes / 30;

		begin(&f, layouts[i]);
		writer = begin_table(&f, "id2e", MDB_INTEGERKEY);
		for (uint64_t id = 1; id <= n; id++) {
			char *space = NULL;

			assert_int_equal(dit_table_writer_reserve(
						 writer,
						 (struct dit_span){(char *)&id, 8}, 0,
						 &space),
			                 0);
		}
		tree = end_table(&f, writer);
		assert_int_equal(tree->depth, 1);
		begin_changes(&f, tree);
		for (uint64_t id = n; id > 0; id--) {
			size_t len = layouts[i].page_bytes / 3;

			assert_int_equal(
				put_value(&f, id,
			                  (struct dit_span){value_of(id, len), len}),
				0);
		}
		end_changes(&f, tree);
		assert_true(tree->depth > 1);
		assert_true(tree->nleaf_pages >= n / 2);
		assert_int_equal(finish(&f), 0);
		check_walk(&f);
		end(&f);
	}
}

/* ---- keys added ---- */

/* A table with every @p step-th ID. */
static struct dit_tree_record *write_few(struct fixture *f, uint64_t step)
{
	struct dit_table_writer *writer = begin_table(f, "id2e", MDB_INTEGERKEY);

	for (uint64_t id = step; id <= NENTRIES; id += step) {
		struct dit_span key = {(char *)&id, sizeof(id)};
		char *space = NULL;

		f->lens[id] = 20;
		assert_int_equal(dit_table_writer_reserve(writer, key, 20, &space), 0);
		memcpy(space, value_of(id, 20), 20);
	}
	return end_table(f, writer);
}

/* To a table of few keys, and to an empty one. */
TEST(keys_are_added)
{
	struct fixture f;

	for (size_t i = 0; i < 2 * NLAYOUTS; i++) {
		struct dit_tree_record *tree = NULL;
		struct dit_span found = {NULL, 0};
		unsigned page_bytes = layouts[i / 2].page_bytes;

		begin(&f, layouts[i / 2]);
		tree = write_few(&f, i % 2 == 0 ? 11 : NENTRIES + 1);
		begin_changes(&f, tree);
		for (uint64_t n = 0; n < NENTRIES; n++) {
			uint64_t id = n * 701 % NENTRIES + 1; /* each ID once */

			assert_int_equal(find_value(&f, id, &found), f.lens[id] > 0);
			replace(&f, id,
			        n % 60 == 0 ? 2 * page_bytes
			                    : 1 + number(&f) % (page_bytes / 2));
			check_found(&f, id);
		}
		end_changes(&f, tree);
		assert_int_equal(finish(&f), 0);
		check_walk(&f);
		check_tables(&f);
		end(&f);
	}
}

/* ---- liblmdb goes on ---- */

static void put_more(MDB_env *env)
{
	for (uint64_t round = 0; round < 5; round++) {
		MDB_txn *txn = test_txn(env, 0);
		MDB_dbi dbi = test_dbi(txn, "id2e", 0);

		for (uint64_t id = round + 1; id < NENTRIES + 300; id += 5) {
			size_t len = id % 1000;

			test_put(txn, dbi, &id, sizeof(id), value_of(id, len), len);
		}
		assert_int_equal(mdb_txn_commit(txn), 0);
	}
}

TEST(liblmdb_goes_on)
{
	struct fixture f;
	struct dit_tree_record *tree = NULL;
	MDB_env *env = NULL;
	struct dit_walk_opts opts = {
		.shared.nthreads = 1, .found = note_finding, .ctx = &f};
	struct dit_walk_stats stats;

	begin(&f, layouts[0]);
	tree = write_entries(&f);
	begin_changes(&f, tree);
	change_entries(&f);
	end_changes(&f, tree);
	write_nothing(&f);
	assert_int_equal(finish(&f), 0);

	env = test_env(f.dir, MDB_NOSYNC, 0);
	put_more(env);
	mdb_env_close(env);
	opts.fd = f.fd;
	assert_int_equal(dit_walk(&opts, &stats), 0);
	assert_string_equal(f.text, "");
	assert_int_equal(stats.transaction, 6);
	end(&f);
}

/* ---- errors ---- */

TEST(other_trees_are_refused)
{
	struct fixture f;
	struct dit_tree_record tree;
	struct dit_tree_record empty = {.root = DIT_PAGE_NONE};
	struct dit_span found = {NULL, 0};

	begin(&f, layouts[4]);
	write_tables(&f);
	for (unsigned damage = 0; damage < 4; damage++) {
		tree = f.trees[1].tree;
		tree.root = damage == 0   ? 1000000
		            : damage == 1 ? f.trees[0].tree.root
		                          : tree.root;
		tree.depth = (uint16_t)(damage == 2   ? 0
		                        : damage == 3 ? tree.depth + 1
		                                      : tree.depth);
		begin_changes(&f, &tree);
		assert_int_equal(find_value(&f, 5, &found), DIT_E_CORRUPT);
		assert_int_equal(put_value(&f, 5, DIT_SPAN("value")), DIT_E_CORRUPT);
		drop_changes(&f);
	}
	begin_changes(&f, &empty);
	assert_int_equal(find_value(&f, 5, &found), 0);
	end_changes(&f, &empty);
	end(&f);
}

TEST(failures_are_passed_on)
{
	struct fixture f;
	static char name[600];
	int readable = -1;

	begin(&f, layouts[4]);
	(void)write_entries(&f);
	readable = open(f.path, O_RDONLY);
	assert_int_equal(dup2(readable, f.fd), f.fd);
	assert_int_equal(finish(&f), -EBADF); /* the meta pages */
	assert_int_equal(close(readable), 0);
	end(&f);

	begin(&f, layouts[0]);
	memset(name, 'n', sizeof(name) - 1);
	(void)end_table(&f, begin_table(&f, name, 0));
	assert_int_equal(finish(&f), -EINVAL);
	end(&f);
}

MAIN_WITH(set_up, NULL)
