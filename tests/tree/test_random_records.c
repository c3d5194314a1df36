/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random lists of records and random changes of them (tree_merge.h), compared with sorted
 * arrays. After each merge the pages are read again:
 * - each key has the records that its array has, in order, and all counters are right;
 * - each page is what its height says, and no branch has fewer than two pages;
 * - a page of the old tree is dropped, or belongs to the new one, and no page is twice.
 *
 * Records are compared as bytes, or by their first bytes alone: then a record takes the
 * place of another one, which may be shorter or longer. Some records go, and whole keys.
 *
 * DIT_LONG=1 runs 2,000 trees.
 */
#include "merge_fixture.h"

#define NTREES       200u
#define NTREES_LONG  2000u
#define NDAMAGED     200u
#define ROUNDS       6u
#define NKEYS        10u
#define NSLOTS       400u
#define PREFIX_BYTES 4u
#define RECORD_ROOM  65536u
#define FLAGS        (MDB_DUPSORT | MDB_INTEGERKEY)

/* ---- the arrays ---- */

/* A place in the order of records. Prefixes that are shorter are whole records. */
struct slot {
	unsigned char prefix[PREFIX_BYTES];
	unsigned len;
};

struct list {
	uint64_t key;
	size_t lens[NSLOTS]; /* of the record of each slot; 0: there is none */
	unsigned char fills[NSLOTS];
};

struct run {
	struct merge_file file;
	bool has_own_order;
	size_t record_max;
	size_t usual;
	struct slot slots[NSLOTS];
	unsigned nslots;
	struct list lists[NKEYS];
	unsigned nlists;
	struct dit_tree_record counted;
	unsigned next; /* the list that comes next */
	char record[RECORD_ROOM];
};

static unsigned next_random(struct run *run)
{
	return merge_random(&run->file);
}

static int compare_bytes(const void *a, size_t a_len, const void *b, size_t b_len)
{
	int order = memcmp(a, b, a_len < b_len ? a_len : b_len);

	return order != 0 ? order : (a_len > b_len) - (a_len < b_len);
}

static int compare_slots(const void *a, const void *b)
{
	const struct slot *x = a;
	const struct slot *y = b;

	return compare_bytes(x->prefix, x->len, y->prefix, y->len);
}

static int compare_prefixes(const void *ctx, struct dit_span key, struct dit_span a,
                            struct dit_span b)
{
	(void)ctx;
	(void)key;
	return compare_bytes(a.data, a.len < PREFIX_BYTES ? a.len : PREFIX_BYTES, b.data,
	                     b.len < PREFIX_BYTES ? b.len : PREFIX_BYTES);
}

static void make_slots(struct run *run)
{
	unsigned n = 1 + next_random(run) % NSLOTS;

	for (unsigned i = 0; i < n; i++) {
		struct slot *slot = &run->slots[i];

		slot->len = next_random(run) % 8 == 0 ? 1 + next_random(run) % 3
		                                      : PREFIX_BYTES;
		for (unsigned k = 0; k < slot->len; k++) {
			slot->prefix[k] = (unsigned char)next_random(run);
		}
	}
	qsort(run->slots, n, sizeof(run->slots[0]), compare_slots);
	run->nslots = 1;
	for (unsigned i = 1; i < n; i++) {
		if (compare_slots(&run->slots[run->nslots - 1], &run->slots[i]) != 0) {
			run->slots[run->nslots++] = run->slots[i];
		}
	}
}

static struct dit_span record_of(struct run *run, const struct list *list, unsigned slot)
{
	memset(run->record, list->fills[slot], list->lens[slot]);
	memcpy(run->record, run->slots[slot].prefix, run->slots[slot].len);
	return (struct dit_span){run->record, list->lens[slot]};
}

/* In the order of bytes each slot has always the same record. */
static void change_slot(struct run *run, struct list *list, unsigned slot)
{
	unsigned random = run->has_own_order ? next_random(run) : slot * 7919u;
	size_t max = random % 16 == 0 ? run->record_max : run->usual;

	list->lens[slot] = run->slots[slot].len;
	if (list->lens[slot] == PREFIX_BYTES) {
		list->lens[slot] += random / 16 % (max - PREFIX_BYTES + 1);
	}
	list->fills[slot] = (unsigned char)random;
}

/* ---- the tree, read again ---- */

/* The record in the slot that comes next. */
static void check_record(struct run *run, const struct list *list, unsigned *slot,
                         struct dit_span record)
{
	while (*slot < run->nslots && list->lens[*slot] == 0) {
		(*slot)++;
	}
	assert_true(*slot < run->nslots);
	assert_int_equal(record.len, list->lens[*slot]);
	assert_memory_equal(record.data, record_of(run, list, *slot).data, record.len);
	(*slot)++;
	run->counted.nitems++;
}

static void check_records(struct run *run, const struct list *list, unsigned *slot,
                          struct dit_page_view view)
{
	struct dit_node_view node = {.at = 0};

	for (unsigned i = 0; i < dit_view_count(view); i++) {
		assert_int_equal(dit_view_node(view, i, &node), DIT_NODE_FITS);
		assert_true(node.flags == 0 && node.value_len == 0);
		check_record(run, list, slot, node.key);
	}
}

static void check_list_pages(struct run *run, const struct list *list, unsigned *slot,
                             uint64_t number, unsigned height,
                             struct dit_tree_record *counted)
{
	struct dit_page_view view;
	struct dit_node_view node = {.at = 0};

	merge_read_view(&run->file, number, height == 1, 0, &view);
	counted->nleaf_pages += height == 1;
	counted->nbranch_pages += height > 1;
	if (height == 1) {
		check_records(run, list, slot, view);
	}
	for (unsigned i = 0; height > 1 && i < dit_view_count(view); i++) {
		unsigned first = *slot;

		assert_int_equal(dit_view_node(view, i, &node), DIT_NODE_FITS);
		check_list_pages(run, list, slot, node.child, height - 1, counted);
		if (i > 0) {
			const struct dit_span none = {NULL, 0};
			struct dit_span lowest = node.key;

			while (list->lens[first] == 0) {
				first++;
			}
			assert_true(compare_prefixes(NULL, none, lowest,
			                             record_of(run, list, first)) <= 0);
		}
	}
	free((char *)view.bytes);
}

static void check_list(struct run *run, const struct list *list,
                       const struct dit_node_view *node)
{
	struct dit_page_view inner = {node->value.data, (unsigned)node->value.len,
	                              run->file.format};
	unsigned sub = DIT_PAGE_LEAF | DIT_PAGE_SUB | run->file.format->sub_flags;
	struct dit_tree_record counted = {.root = 0};
	uint64_t before = run->counted.nitems;
	struct dit_tree_record tree;
	unsigned slot = 0;

	assert_int_equal(node->key.len, sizeof(list->key));
	assert_memory_equal(node->key.data, &list->key, sizeof(list->key));
	if (node->flags == 0) {
		check_record(run, list, &slot, node->value);
	} else if (node->flags == DIT_NODE_LIST) {
		assert_true(dit_view_has_bounds(inner));
		assert_int_equal(dit_view_flags(inner), sub);
		assert_true(dit_view_count(inner) > 1);
		check_records(run, list, &slot, inner);
	} else {
		assert_int_equal(node->flags, DIT_NODE_LIST | DIT_NODE_TREE);
		assert_int_equal(node->value.len, sizeof(tree));
		memcpy(&tree, node->value.data, sizeof(tree));
		check_list_pages(run, list, &slot, tree.root, tree.depth, &counted);
		assert_int_equal(tree.flags, 0);
		assert_int_equal(tree.nitems, run->counted.nitems - before);
		assert_int_equal(tree.nleaf_pages, counted.nleaf_pages);
		assert_int_equal(tree.nbranch_pages, counted.nbranch_pages);
		if (run->file.format->counts_list_pages) {
			run->counted.nleaf_pages += counted.nleaf_pages;
			run->counted.nbranch_pages += counted.nbranch_pages;
		}
	}
	while (slot < run->nslots) {
		assert_int_equal(list->lens[slot++], 0);
	}
}

static bool is_there(const struct run *run, const struct list *list)
{
	for (unsigned i = 0; i < run->nslots; i++) {
		if (list->lens[i] > 0) {
			return true;
		}
	}
	return false;
}

static const struct list *next_list(struct run *run)
{
	while (run->next < run->nlists && !is_there(run, &run->lists[run->next])) {
		run->next++;
	}
	return run->next == run->nlists ? NULL : &run->lists[run->next++];
}

static void check_pages(struct run *run, uint64_t number, unsigned height)
{
	struct dit_page_view view;
	struct dit_node_view node = {.at = 0};

	merge_read_view(&run->file, number, height == 1, 0, &view);
	run->counted.nleaf_pages += height == 1;
	run->counted.nbranch_pages += height > 1;
	for (unsigned i = 0; i < dit_view_count(view); i++) {
		assert_int_equal(dit_view_node(view, i, &node), DIT_NODE_FITS);
		if (height > 1) {
			check_pages(run, node.child, height - 1);
		} else {
			const struct list *list = next_list(run);

			assert_non_null(list);
			check_list(run, list, &node);
		}
	}
	free((char *)view.bytes);
}

static void check_tree(struct run *run)
{
	const struct dit_tree_record *tree = &run->file.tree;

	merge_forget_seen(&run->file);
	run->counted = (struct dit_tree_record){.root = 0};
	run->next = 0;
	if (tree->root != DIT_PAGE_NONE) {
		check_pages(run, tree->root, tree->depth);
	}
	assert_null(next_list(run));
	assert_int_equal(tree->nitems, run->counted.nitems);
	assert_int_equal(tree->nleaf_pages, run->counted.nleaf_pages);
	assert_int_equal(tree->nbranch_pages, run->counted.nbranch_pages);
	assert_int_equal(tree->noverflow_pages, 0);
	merge_assert_dropped(&run->file);
}

/* ---- merges ---- */

/* A record is put, or goes, whether it is there or not. */
static int change_record(struct run *run, struct dit_tree_merge *merge, struct list *list,
                         unsigned slot, bool goes)
{
	const struct dit_span key = {(const char *)&list->key, sizeof(list->key)};
	int r = 0;

	change_slot(run, list, slot);
	if (!goes) {
		return dit_tree_merge_record(merge, key, record_of(run, list, slot));
	}
	r = dit_tree_merge_remove_record(merge, key, record_of(run, list, slot));
	list->lens[slot] = 0;
	return r;
}

/* All records, some, or those of a part: put, gone, or both. */
static int change_list(struct run *run, struct dit_tree_merge *merge, struct list *list)
{
	const struct dit_span key = {(const char *)&list->key, sizeof(list->key)};
	unsigned ngoing = next_random(run) % 3 == 0 ? 4 : next_random(run) % 4;
	unsigned step = next_random(run) % 2 == 0 ? 1 : 1 + next_random(run) % 40;
	unsigned first = next_random(run) % 3 == 0 ? 0 : next_random(run) % run->nslots;
	unsigned n = next_random(run) % 2 == 0 ? run->nslots : 1 + next_random(run) % 3;
	int r = 0;

	if (next_random(run) % 8 == 0) {
		memset(list->lens, 0, sizeof(list->lens));
		r = dit_tree_merge_remove(merge, key);
		n = next_random(run) % 2 == 0 ? 0 : n;
	}
	for (unsigned slot = first; slot < run->nslots && n > 0 && r == 0; n--) {
		r = change_record(run, merge, list, slot, next_random(run) % 4 < ngoing);
		slot += 1 + next_random(run) % step;
	}
	return r;
}

static int merge_round(struct run *run, unsigned part)
{
	struct dit_key_orders orders;
	const struct dit_tree_merge_opts opts = {.space = &run->file.space,
	                                         .source = &run->file.pages,
	                                         .stored = run->file.tree,
	                                         .orders = run->has_own_order ? &orders
	                                                                      : NULL,
	                                         .dropped = merge_drop_pages,
	                                         .ctx = &run->file};
	struct dit_tree_merge *merge = NULL;
	int r = 0;

	dit_key_default_orders(FLAGS, &orders);
	orders.items = (struct dit_key_order){.kind = DIT_ORDER_CALL,
	                                      .compare = compare_prefixes};
	r = dit_tree_merge_open(&merge, &opts);
	for (unsigned i = 0; i < run->nlists && r == 0; i++) {
		if (next_random(run) % part == 0) {
			r = change_list(run, merge, &run->lists[i]);
		}
	}
	r = r ?: dit_tree_merge_finish(merge, &run->file.tree, NULL);
	dit_tree_merge_free(merge);
	return r;
}

static void one_round(struct run *run, unsigned number)
{
	uint64_t before = atomic_load(&run->file.space.next_page);

	run->file.pages.npages = before;
	assert_int_equal(merge_round(run, number == 0 ? 1 : 1 + next_random(run) % 4), 0);
	merge_own_pages(&run->file, before);
	check_tree(run);
}

static struct run *run_begin(const char *dir, unsigned number)
{
	struct run *run = calloc(1, sizeof(*run));
	const struct dit_page_format *format = NULL;
	size_t room = 0;

	assert_non_null(run);
	merge_file_begin(&run->file, dir, number);
	format = run->file.format;
	run->file.tree = (struct dit_tree_record){.flags = FLAGS, .root = DIT_PAGE_NONE};
	run->has_own_order = next_random(run) % 3 > 0;
	/* A node with a key and a record fits a page. */
	room = dit_node_max(format, run->file.page_bytes) - 8 - sizeof(uint64_t);
	run->record_max = dit_key_max(format, run->file.page_bytes);
	run->record_max = run->record_max < room ? run->record_max : room;
	run->usual = next_random(run) % 3 == 0 ? run->record_max : 20;
	make_slots(run);
	run->nlists = 1 + next_random(run) % NKEYS;
	for (unsigned i = 0; i < run->nlists; i++) {
		run->lists[i].key = i * 250;
	}
	return run;
}

static void run_end(struct run *run)
{
	merge_file_end(&run->file);
	free(run);
}

TEST(merged_lists_hold_what_arrays_hold)
{
	const char *is_long = getenv("DIT_LONG");
	unsigned ntrees = is_long != NULL && *is_long == '1' ? NTREES_LONG : NTREES;
	char *dir = test_scratch();

	for (unsigned i = 0; i < ntrees; i++) {
		struct run *run = run_begin(dir, i);

		for (unsigned round = 0; round < ROUNDS; round++) {
			one_round(run, round);
		}
		run_end(run);
	}
}

TEST(a_damaged_list_ends_the_merge_or_does_no_harm)
{
	char *dir = test_scratch();
	unsigned nrefused = 0;

	for (unsigned i = 0; i < NDAMAGED; i++) {
		struct run *run = run_begin(dir, i + 100000);

		one_round(run, 0);
		if (run->file.tree.root != DIT_PAGE_NONE) {
			merge_damage(&run->file);
			nrefused += merge_round(run, 1 + i % 3) < 0;
		}
		run_end(run);
	}
	assert_true(nrefused > NDAMAGED / 4);
}
