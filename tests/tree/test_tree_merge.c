/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * New trees in a file that others change: pages are reserved, tables are
 * written, then changed a little (tree_merge.h), and put in place; what liblmdb changed
 * in the meantime stays, no page is lost, and the tables hold what a model says.
 * Keys of another length than the table has are damage.
 * And the difference of two versions of a tree (tree_diff.h).
 */
#include <fcntl.h>

#include "base/error.h"
#include "commit/page_reserve.h"
#include "lmdb_test.h"
#include "page/page_source.h"
#include "page/tree_position.h"
#include "posting_changes.h"
#include "tree/table_writer.h"
#include "tree/tree_diff.h"
#include "tree/tree_merge.h"
#include "walk/walk.h"

#define PAGE        4096u
#define NKEYS       2500u
#define NIDS        4000u
#define LIST_MAX    3500u
#define INDEX_FLAGS (MDB_DUPSORT | MDB_DUPFIXED | MDB_INTEGERDUP)

/* ---- a model: which IDs each key has ---- */

struct model {
	bool has[NKEYS][NIDS];
	uint64_t low[NKEYS]; /* of a range; 0: a list */
	uint64_t high[NKEYS];
};

static struct model model;

static size_t model_list(unsigned key, uint64_t *ids)
{
	size_t n = 0;

	if (model.low[key] != 0) {
		ids[0] = 0;
		ids[1] = model.low[key];
		ids[2] = model.high[key];
		return 3;
	}
	for (unsigned id = 1; id < NIDS; id++) {
		if (model.has[key][id]) {
			ids[n++] = id;
		}
	}
	return n;
}

static void make_range(unsigned key)
{
	uint64_t ids[NIDS];
	size_t n = model_list(key, ids);

	if (model.low[key] == 0 && n > LIST_MAX) {
		model.low[key] = ids[0];
		model.high[key] = ids[n - 1];
	}
}

/* Each hundredth key has a list of so many IDs, from 1 on; changes begin at
 * first_change. */
static unsigned long_list;
static unsigned first_change;

static void model_init(unsigned seed)
{
	srand(seed);
	memset(&model, 0, sizeof(model));
	for (unsigned k = 0; k < NKEYS; k += 2) {
		unsigned n = k % 500 == 0   ? NIDS - 10
		             : k % 100 == 0 ? long_list
		             : k % 10 == 0  ? 9
		                            : 1;

		for (unsigned i = 0; i < n; i++) {
			model.has[k][n > 500 ? i + 1
			                     : 1 + (unsigned)rand() % (NIDS - 1)] = true;
		}
		make_range(k);
	}
}

static void make_key(unsigned number, bool is_integer, char key[4])
{
	uint32_t word = is_integer ? number : __builtin_bswap32(number);

	memcpy(key, &word, sizeof(word));
}

/* ---- a database ---- */

struct fixture {
	char *dir;
	char path[4200];
	MDB_env *env;
	int fd;
	unsigned nreserved; /* commits */
};

static MDB_txn *begin(const struct fixture *f, unsigned flags)
{
	return test_txn(f->env, flags);
}

static void open_env(struct fixture *f)
{
	f->env = test_env(f->dir, MDB_NOSYNC | MDB_NOTLS, 256 << 20);
}

/* Some entries get other values. */
static void change_entries(const struct fixture *f, unsigned first, unsigned n,
                           unsigned step)
{
	static char value[3000];
	MDB_txn *txn = begin(f, 0);
	MDB_dbi dbi = test_dbi(txn, "id2e", MDB_CREATE | MDB_INTEGERKEY);

	for (uint64_t id = first; id < first + (uint64_t)n * step; id += step) {
		memset(value, rand(), sizeof(value));
		test_put(txn, dbi, &id, sizeof(id), value, id % 3 * 1000 + 50);
	}
	assert_int_equal(mdb_txn_commit(txn), 0);
}

static void fixture_make(struct fixture *f)
{
	*f = (struct fixture){.dir = test_scratch()};
	(void)snprintf(f->path, sizeof(f->path), "%s/data.mdb", f->dir);
	open_env(f);
	change_entries(f, 1, 3000, 1);
	for (unsigned i = 0; i < 6; i++) {
		change_entries(f, 1 + i * 100, 500, 1);
	}
	f->fd = open(f->path, O_RDWR);
	assert_true(f->fd >= 0);
}

static void fixture_remove(struct fixture *f)
{
	mdb_env_close(f->env);
	(void)close(f->fd);
	test_scratch_remove(f->dir);
}

static void found(void *ctx, const struct dit_walk_finding *finding)
{
	(void)ctx;
	print_error("%s: %s page %lld: %s\n", dit_walk_kind_name(finding->kind),
	            finding->database == NULL ? "-" : finding->database,
	            (long long)finding->page, finding->text);
}

static void assert_sound(const struct fixture *f)
{
	struct dit_walk_stats stats;
	struct dit_walk_opts opts = {.fd = f->fd, .shared.nthreads = 1, .found = found};

	assert_int_equal(dit_walk(&opts, &stats), 0);
	assert_int_equal(stats.nfindings, 0);
}

static void assert_table(const struct fixture *f, const char *name, bool is_integer)
{
	MDB_txn *txn = begin(f, MDB_RDONLY);
	MDB_cursor *cursor = NULL;
	MDB_dbi dbi = test_dbi(txn, name, 0);
	MDB_val key = {0, NULL};
	MDB_val value = {0, NULL};
	MDB_stat stat;
	size_t total = 0;

	cursor = test_cursor(txn, dbi);
	for (unsigned k = 0; k < NKEYS; k++) {
		uint64_t ids[NIDS];
		char wanted[4];
		size_t n = model_list(k, ids);

		make_key(k, is_integer, wanted);
		for (size_t i = 0; i < n; i++) {
			assert_int_equal(mdb_cursor_get(cursor, &key, &value, MDB_NEXT),
			                 0);
			assert_memory_equal(key.mv_data, wanted, sizeof(wanted));
			assert_memory_equal(value.mv_data, &ids[i], sizeof(ids[i]));
		}
		total += n;
	}
	assert_int_equal(mdb_cursor_get(cursor, &key, &value, MDB_NEXT), MDB_NOTFOUND);
	assert_int_equal(mdb_stat(txn, dbi, &stat), 0);
	assert_int_equal(stat.ms_entries, total);
	mdb_cursor_close(cursor);
	mdb_txn_abort(txn);
}

/* ---- commits of others: liblmdb's, after which the state is read again ---- */

static struct dit_page_commit *open_commit(const struct fixture *f, uint64_t oldest,
                                           const struct dit_page_set *reserved)
{
	const struct dit_page_commit_opts opts = {.fd = f->fd,
	                                          .format = &dit_lmdb_09,
	                                          .oldest = oldest,
	                                          .reserved = reserved};
	struct dit_page_commit *commit = NULL;

	assert_int_equal(dit_page_commit_open(&commit, &opts), 0);
	return commit;
}

/* liblmdb looks at the meta pages only when an environment is opened as the first. */
static void reopen(struct fixture *f)
{
	mdb_env_close(f->env);
	open_env(f);
}

static int reserve_more(void *ctx, uint64_t least, uint64_t wanted,
                        struct dit_page_set *ret)
{
	struct fixture *f = ctx;
	struct dit_page_commit *commit = open_commit(f, 3, NULL);
	int r = dit_page_commit_reserve(commit, wanted, ret);

	assert_true(least <= wanted);
	r = r ?: dit_page_commit_write(commit);
	dit_page_commit_close(commit);
	f->nreserved++;
	return r;
}

static void write_table(struct dit_page_reserve *reserve, unsigned flags,
                        struct dit_tree_record *ret)
{
	struct dit_table_writer *writer = NULL;

	*ret = (struct dit_tree_record){.flags = (uint16_t)flags};
	assert_int_equal(dit_table_writer_new(&writer, &reserve->space, flags), 0);
	for (unsigned k = 0; k < NKEYS; k++) {
		uint64_t ids[NIDS];
		size_t n = model_list(k, ids);
		char key[4];

		make_key(k, (flags & MDB_INTEGERKEY) != 0, key);
		if (n > 0) {
			assert_int_equal(dit_table_writer_put(writer,
			                                      (struct dit_span){key, 4},
			                                      ids, n),
			                 0);
		}
	}
	assert_int_equal(dit_table_writer_finish(writer, ret), 0);
	dit_table_writer_free(writer);
}

/* ---- changes ---- */

struct changes {
	struct posting_change list[6000];
	char keys[6000][4];
	size_t n;
};

static int compare(const void *a, const void *b, void *keys)
{
	return posting_change_compare(keys, a, b);
}

/* The model changes as well. */
static void make_changes(struct changes *changes, unsigned n, unsigned flags)
{
	struct dit_key_orders orders;
	changes->n = 0;
	for (unsigned i = 0; i < n; i++) {
		/* Each other one in a long list. */
		unsigned k = i % 2 == 0 ? (unsigned)rand() % NKEYS
		                        : (unsigned)rand() % (NKEYS / 100) * 100;
		unsigned id = first_change + (unsigned)rand() % (NIDS - first_change);
		bool is_added = !model.has[k][id];
		bool is_done = false;

		for (size_t c = 0; c < changes->n && !is_done; c++) {
			char key[4];

			make_key(k, (flags & MDB_INTEGERKEY) != 0, key);
			is_done = memcmp(changes->keys[c], key, 4) == 0 &&
			          changes->list[c].id == id;
		}
		if (is_done) {
			continue;
		}
		make_key(k, (flags & MDB_INTEGERKEY) != 0, changes->keys[changes->n]);
		changes->list[changes->n] =
			(struct posting_change){.key = {changes->keys[changes->n], 4},
		                                .id = id,
		                                .is_added = is_added};
		changes->n++;
		model.has[k][id] = is_added;
		if (model.low[k] != 0 && is_added) {
			model.low[k] = id < model.low[k] ? id : model.low[k];
			model.high[k] = id > model.high[k] ? id : model.high[k];
		}
	}
	for (unsigned k = 0; k < NKEYS; k++) {
		make_range(k);
	}
	dit_key_default_orders(flags, &orders);
	qsort_r(changes->list, changes->n, sizeof(changes->list[0]), compare,
	        &orders.keys);
}

static uint64_t ndropped;

static int drop_pages(void *ctx, uint64_t first, uint64_t n)
{
	ndropped += n;
	return dit_page_reserve_drop(ctx, first, n);
}

static void edit_table(struct fixture *f, struct dit_page_reserve *reserve,
                       struct dit_page_commit *commit, const struct changes *changes,
                       struct dit_tree_record *table)
{
	struct dit_page_source pages;
	const struct dit_tree_merge_opts opts = {.space = dit_page_commit_space(commit),
	                                         .source = &pages,
	                                         .stored = *table,
	                                         .list_max = LIST_MAX,
	                                         .dropped = drop_pages,
	                                         .ctx = reserve};
	struct posting_changes given = {.list = changes->list, .n = changes->n};
	struct dit_tree_merge *merge = NULL;
	struct dit_ids_change change;
	struct dit_span key;

	dit_page_source_init(&pages, f->fd, &dit_lmdb_09, PAGE, (uint64_t)1 << 30);
	assert_int_equal(dit_tree_merge_open(&merge, &opts), 0);
	while (posting_changes_next(&given, &key, &change) > 0) {
		assert_int_equal(dit_tree_merge_ids(merge, key, &change), 0);
	}
	free(given.ids);
	assert_int_equal(dit_tree_merge_finish(merge, table, NULL), 0);
	dit_tree_merge_free(merge);
}

static void run(unsigned nchanges, unsigned flags, unsigned seed)
{
	static struct changes changes;
	bool is_integer = (flags & MDB_INTEGERKEY) != 0;
	struct fixture f;
	struct dit_page_reserve reserve;
	struct dit_page_commit *commit = NULL;
	struct dit_tree_record table;

	model_init(seed);
	fixture_make(&f);
	dit_page_reserve_init(&reserve, &dit_lmdb_09, PAGE, reserve_more, &f);
	assert_int_equal(dit_page_reserve_expect(&reserve, 600), 0);
	dit_page_file_open(&reserve.space.file, f.fd, NULL, false);
	write_table(&reserve, flags, &table);
	assert_true(f.nreserved >= 1);
	dit_page_file_close(&reserve.space.file);
	reopen(&f);
	assert_sound(&f);
	change_entries(&f, 1, 300, 10);
	assert_sound(&f);

	commit = open_commit(&f, 0, &reserve.pool.left);
	make_changes(&changes, nchanges, flags);
	ndropped = 0;
	edit_table(&f, &reserve, commit, &changes, &table);
	/* The page of the ID in a long list and the branch above it, no others. */
	assert_true(nchanges > 100 || ndropped <= nchanges + 20);
	assert_int_equal(dit_page_commit_use(commit, &reserve.pool.taken), 0);
	assert_int_equal(dit_page_commit_put(commit, DIT_SPAN("cn"), &table), 0);
	assert_int_equal(dit_page_commit_write(commit), 0);
	dit_page_commit_close(commit);
	dit_page_reserve_deinit(&reserve);
	reopen(&f);
	assert_sound(&f);
	assert_table(&f, "cn", is_integer);
	change_entries(&f, 1, 300, 7);
	assert_table(&f, "cn", is_integer);
	assert_sound(&f);
	fixture_remove(&f);
}

TEST(merged_tables_hold_the_changes)
{
	long_list = 3000;
	first_change = 1;
	run(0, INDEX_FLAGS, 1);
	run(1, INDEX_FLAGS, 2);
	run(40, INDEX_FLAGS, 3);
	run(3000, INDEX_FLAGS, 4);
	run(500, INDEX_FLAGS | MDB_INTEGERKEY, 5);
}

static bool is_range(unsigned key)
{
	return model.low[key] != 0;
}

/* Lists of a tree of pages, which goes; ranges become wider. */
TEST(long_lists_become_ranges)
{
	unsigned n = 0;

	long_list = LIST_MAX - 20;
	first_change = LIST_MAX - 19;
	run(3000, INDEX_FLAGS, 6);
	for (unsigned k = 100; k < NKEYS; k += 100) {
		n += k % 500 != 0 && is_range(k) ? 1 : 0;
	}
	assert_int_equal(n, 20);
	assert_true(model.high[500] > NIDS - 10);
}

/* All keys go; an empty table gets some. */
TEST(a_tree_shrinks_to_nothing_and_grows_again)
{
	static struct changes changes;
	struct dit_page_commit *commit = NULL;
	struct dit_tree_record table;
	struct dit_page_reserve reserve;
	struct fixture f;

	memset(&model, 0, sizeof(model));
	model.has[3][7] = true;
	model.has[9][8] = true;
	fixture_make(&f);
	dit_page_reserve_init(&reserve, &dit_lmdb_09, PAGE, reserve_more, &f);
	dit_page_file_open(&reserve.space.file, f.fd, NULL, false);
	write_table(&reserve, INDEX_FLAGS, &table);
	dit_page_file_close(&reserve.space.file);
	commit = open_commit(&f, 0, &reserve.pool.left);
	changes.n = 2;
	make_key(3, false, changes.keys[0]);
	make_key(9, false, changes.keys[1]);
	changes.list[0] = (struct posting_change){{changes.keys[0], 4}, 7, false};
	changes.list[1] = (struct posting_change){{changes.keys[1], 4}, 8, false};
	edit_table(&f, &reserve, commit, &changes, &table);
	assert_true(table.root == DIT_PAGE_NONE);
	assert_int_equal(table.nitems, 0);
	assert_int_equal(reserve.pool.taken.count, 0);
	changes.list[0].is_added = true;
	changes.list[1].is_added = true;
	edit_table(&f, &reserve, commit, &changes, &table);
	assert_int_equal(dit_page_commit_use(commit, &reserve.pool.taken), 0);
	assert_int_equal(dit_page_commit_put(commit, DIT_SPAN("cn"), &table), 0);
	assert_int_equal(dit_page_commit_write(commit), 0);
	dit_page_commit_close(commit);
	dit_page_reserve_deinit(&reserve);
	reopen(&f);
	assert_sound(&f);
	assert_table(&f, "cn", false);
	fixture_remove(&f);
}

/* Pages that another writer took are not free, and not ours. */
TEST(lost_pages_are_noticed)
{
	struct dit_page_commit *commit = NULL;
	struct dit_page_set pages = {.words = NULL};
	struct fixture f;

	fixture_make(&f);
	assert_int_equal(reserve_more(&f, 20, 20, &pages), 0);
	reopen(&f);
	/* No reader holds the state of the reservation. */
	for (unsigned i = 0; i < 8; i++) {
		change_entries(&f, 5000 + i * 2000, 2000, 1);
	}
	commit = open_commit(&f, 0, NULL);
	assert_int_equal(dit_page_commit_use(commit, &pages), DIT_E_CORRUPT);
	dit_page_set_deinit(&pages);
	dit_page_commit_close(commit);
	fixture_remove(&f);
}

/* ---- damage ---- */

/* A key of the first leaf, or of the branch above it, gets another length. */
static void shorten_key(const struct fixture *f, const struct dit_page_source *pages,
                        const struct dit_tree_record *tree, bool is_leaf, unsigned slot)
{
	struct dit_tree_reading reading = {.source = pages};
	struct dit_tree_position position = {.reading = &reading};
	const struct dit_page_view *view = NULL;
	struct dit_node_header header;
	struct dit_node_view node = {.at = 0};
	off_t at = 0;

	assert_int_equal(dit_tree_position_set(&position, tree), 0);
	assert_int_equal(dit_tree_position_first(&position), 1);
	assert_true(position.depth > 1);
	view = &position.levels[position.depth - (is_leaf ? 1 : 2)].view;
	assert_int_equal(dit_view_node(*view, slot, &node), DIT_NODE_FITS);
	memcpy(&header, view->bytes + node.at, sizeof(header));
	header.key_len--;
	at = (off_t)(dit_view_number(*view) * PAGE + node.at);
	assert_int_equal(pwrite(f->fd, &header, sizeof(header), at), sizeof(header));
	dit_tree_position_deinit(&position);
}

static int keep_pages(void *ctx, uint64_t first, uint64_t n)
{
	(void)ctx;
	(void)first;
	(void)n;
	return 0;
}

/* No key of another length gets here. */
static int compare_ids(const void *ctx, struct dit_span key, struct dit_span a,
                       struct dit_span b)
{
	const struct dit_key_order numbers = {.kind = DIT_ORDER_NUMBERS};

	(void)ctx;
	assert_int_equal(a.len, sizeof(uint64_t));
	assert_int_equal(b.len, sizeof(uint64_t));
	return dit_key_compare(&numbers, key, a, b);
}

static int put_entry(struct dit_page_commit *commit, struct dit_page_source *pages,
                     const struct dit_tree_record *stored, uint64_t id)
{
	const struct dit_key_orders orders = {
		.keys = {DIT_ORDER_CALL, .bytes = sizeof(id), .compare = compare_ids}};
	const struct dit_tree_merge_opts opts = {.space = dit_page_commit_space(commit),
	                                         .source = pages,
	                                         .stored = *stored,
	                                         .orders = &orders,
	                                         .dropped = keep_pages};
	struct dit_tree_merge *merge = NULL;
	struct dit_tree_record tree;
	int r = dit_tree_merge_open(&merge, &opts);

	assert_int_equal(r, 0);
	r = dit_tree_merge_put(merge, (struct dit_span){(const char *)&id, sizeof(id)},
	                       DIT_SPAN("changed"));
	r = r ?: dit_tree_merge_finish(merge, &tree, NULL);
	dit_tree_merge_free(merge);
	return r;
}

/* Before and after the change, in pages of both kinds. */
TEST(keys_of_another_length_are_damage)
{
	static const struct {
		uint64_t changed;
		unsigned slot;
		bool is_leaf;
	} cases[] = {{1, 1, true}, {2, 0, true}, {1, 2, false}, {100, 1, false}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dit_page_commit *commit = NULL;
		struct dit_page_source pages;
		struct dit_tree_record tree;
		struct fixture f;

		fixture_make(&f);
		commit = open_commit(&f, 0, NULL);
		assert_int_equal(dit_page_commit_find(commit, DIT_SPAN("id2e"), &tree),
		                 1);
		dit_page_source_init(&pages, f.fd, &dit_lmdb_09, PAGE,
		                     dit_page_commit_bytes(commit) / PAGE);
		assert_int_equal(put_entry(commit, &pages, &tree, cases[i].changed), 0);
		shorten_key(&f, &pages, &tree, cases[i].is_leaf, cases[i].slot);
		assert_int_equal(put_entry(commit, &pages, &tree, cases[i].changed),
		                 DIT_E_CORRUPT);
		dit_page_commit_close(commit);
		fixture_remove(&f);
	}
}

/* ---- differences ---- */

struct difference {
	unsigned nnodes;
	bool has[2][4000];
};

static int note_node(void *ctx, bool is_newer, const struct dit_node_view *node)
{
	uint64_t id = 0;

	memcpy(&id, node->key.data, sizeof(id));
	((struct difference *)ctx)->has[is_newer][id] = true;
	((struct difference *)ctx)->nnodes++;
	return 0;
}

static struct dit_tree_record tree_of(const struct fixture *f, uint64_t *ret_npages)
{
	struct dit_page_commit *commit = open_commit(f, 0, NULL);
	struct dit_tree_record tree;

	assert_int_equal(dit_page_commit_find(commit, DIT_SPAN("id2e"), &tree), 1);
	*ret_npages = dit_page_commit_bytes(commit) / PAGE;
	dit_page_commit_close(commit);
	return tree;
}

TEST(two_versions_differ_by_their_changes)
{
	static struct difference difference;
	struct dit_page_set set = {.npages = 0};
	struct dit_page_set versions[2];
	const struct dit_tree_follower follower = {
		.pages = &set, .node = note_node, .ctx = &difference};
	struct fixture f;
	struct dit_page_source pages;
	struct dit_tree_record older;
	struct dit_tree_record newer;
	MDB_txn *reader = NULL;
	uint64_t npages = 0;

	fixture_make(&f);
	older = tree_of(&f, &npages);
	reader = begin(&f, MDB_RDONLY);
	change_entries(&f, 1000, 3, 1);
	change_entries(&f, 2000, 1, 1);
	change_entries(&f, 3990, 5, 1);
	newer = tree_of(&f, &npages);
	dit_page_source_init(&pages, f.fd, &dit_lmdb_09, PAGE, npages);
	assert_int_equal(dit_page_set_init(&set, npages), 0);
	assert_int_equal(dit_tree_pages(&pages, &older, false, &set), 0);
	assert_int_equal(set.count, older.nbranch_pages + older.nleaf_pages);
	assert_int_equal(dit_tree_follow(&pages, &older, &newer, &follower), 0);
	for (unsigned id = 1000; id < 1003; id++) {
		assert_true(difference.has[0][id] && difference.has[1][id]);
	}
	assert_true(difference.has[0][2000] && difference.has[1][2000]);
	assert_true(!difference.has[0][3990] && difference.has[1][3990]);
	assert_false(difference.has[0][500] || difference.has[1][500]);
	assert_in_range(difference.nnodes, 12, 600);
	/* The set has the pages of the newer one. */
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(dit_page_set_init(&versions[i], npages), 0);
		assert_int_equal(dit_tree_pages(&pages, i == 0 ? &older : &newer, false,
		                                &versions[i]),
		                 0);
	}
	for (uint64_t page = 0; page < npages; page++) {
		bool is_newer = dit_page_set_has(&versions[1], page);

		if (is_newer || dit_page_set_has(&versions[0], page)) {
			assert_int_equal(dit_page_set_has(&set, page), is_newer);
		}
	}
	/* The same version twice: nothing. */
	memset(&difference, 0, sizeof(difference));
	assert_int_equal(dit_tree_follow(&pages, &newer, &newer, &follower), 0);
	assert_int_equal(difference.nnodes, 0);
	dit_page_set_deinit(&versions[0]);
	dit_page_set_deinit(&versions[1]);
	dit_page_set_deinit(&set);
	mdb_txn_abort(reader);
	fixture_remove(&f);
}
