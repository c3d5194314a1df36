/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random trees and random changes (tree_merge.h), compared with a sorted array. After
 * each merge the pages are read again:
 * - the tree holds what the array holds, in order, and its record counts it;
 * - each page is what its height says, and no branch has fewer than two pages;
 * - a page of the old tree is dropped, or belongs to the new one, and no page is twice.
 *
 * DIT_LONG=1 runs 10,000 trees.
 */
#include "test.h"

#include "merge_fixture.h"

#define NTREES      200u
#define NTREES_LONG 10000u
#define NDAMAGED    100u
#define ROUNDS      5u
#define NKEYS       240u
#define NIDS        6144u
#define KEY_ROOM    32768u
#define INDEX_FLAGS (MDB_DUPSORT | MDB_DUPFIXED | MDB_INTEGERDUP)

/* ---- the array ---- */

struct record {
	char *key;
	size_t key_len;
	bool is_there;
	size_t value_len; /* of a table of values */
	unsigned char fill;
	uint64_t ids[NIDS / 64]; /* of a table of lists, from ID 1 on */
	uint64_t low;            /* of a range; 0: a list */
	uint64_t high;
};

struct run {
	struct merge_file file;
	unsigned flags;
	uint64_t list_max;
	struct record *records;
	unsigned nrecords;
	struct dit_tree_record counted;
	unsigned next; /* the record that comes next */
	/* In a round: the records that may change, and the IDs that all go. */
	unsigned first_record;
	unsigned end_record;
	unsigned first_id;
	unsigned end_id;
};

static unsigned next_random(struct run *run)
{
	return merge_random(&run->file);
}

static bool is_index(const struct run *run)
{
	return (run->flags & MDB_DUPSORT) != 0;
}

static bool has_id(const struct record *record, uint64_t id)
{
	return (record->ids[id / 64] >> id % 64 & 1) != 0;
}

static size_t list_of(const struct record *record, uint64_t *ret)
{
	size_t n = 0;

	if (record->low != 0) {
		ret[0] = 0;
		ret[1] = record->low;
		ret[2] = record->high;
		return 3;
	}
	for (uint64_t id = 1; id < NIDS; id++) {
		if (has_id(record, id)) {
			ret[n++] = id;
		}
	}
	return n;
}

static bool sorts_numbers;

static int compare_records(const void *a, const void *b)
{
	const struct record *x = a;
	const struct record *y = b;
	size_t n = x->key_len < y->key_len ? x->key_len : y->key_len;
	uint64_t numbers[2];
	int order = 0;

	if (sorts_numbers) {
		memcpy(&numbers[0], x->key, sizeof(numbers[0]));
		memcpy(&numbers[1], y->key, sizeof(numbers[1]));
		return (numbers[0] > numbers[1]) - (numbers[0] < numbers[1]);
	}
	order = memcmp(x->key, y->key, n);
	return order != 0 ? order : (x->key_len > y->key_len) - (x->key_len < y->key_len);
}

/* A node with such a key and a list's record fits a page. */
static size_t longest_key(const struct run *run)
{
	size_t room = dit_node_max(run->file.format, run->file.page_bytes) - 8 - 50;
	size_t max = dit_key_max(run->file.format, run->file.page_bytes);

	max = max < room ? max : room;
	return max < KEY_ROOM ? max : KEY_ROOM;
}

static void make_keys(struct run *run)
{
	size_t max = longest_key(run);
	size_t usual = next_random(run) % 3 == 0 ? max : 12;
	unsigned n = 1 + next_random(run) % NKEYS;

	run->records = calloc(n, sizeof(*run->records));
	assert_non_null(run->records);
	sorts_numbers = (run->flags & MDB_INTEGERKEY) != 0;
	for (unsigned i = 0; i < n; i++) {
		struct record *record = &run->records[i];
		size_t len = 1 + next_random(run) % (i % 50 == 0 ? max : usual);

		len = i == 1 ? max : len;
		record->key_len = sorts_numbers ? sizeof(uint64_t) : len;
		record->key = malloc(record->key_len);
		assert_non_null(record->key);
		memset(record->key, 'k', record->key_len);
		for (size_t k = 0; k < record->key_len && k < 8; k++) {
			record->key[k] = (char)next_random(run);
		}
	}
	qsort(run->records, n, sizeof(*run->records), compare_records);
	run->nrecords = 1;
	for (unsigned i = 1; i < n; i++) {
		struct record *last = &run->records[run->nrecords - 1];

		if (compare_records(last, &run->records[i]) == 0) {
			free(run->records[i].key);
		} else {
			run->records[run->nrecords++] = run->records[i];
		}
	}
}

/* ---- the tree, read again ---- */

static size_t take_items(struct dit_page_view view, uint64_t *ids, size_t n)
{
	assert_int_equal(dit_view_item_bytes(view), 8);
	assert_true(dit_view_has_items(view, 8));
	assert_true(n + dit_view_count(view) <= NIDS);
	memcpy(ids + n, dit_view_item(view, 0, 8).data, 8 * (size_t)dit_view_count(view));
	return n + dit_view_count(view);
}

static size_t read_list_pages(struct run *run, uint64_t number, unsigned height,
                              struct dit_tree_record *counted, uint64_t *ids, size_t n)
{
	struct dit_page_view view;
	struct dit_node_view node = {.at = 0};
	size_t first = n;

	merge_read_view(&run->file, number, height == 1, DIT_PAGE_LEAF2, &view);
	counted->nleaf_pages += height == 1;
	counted->nbranch_pages += height > 1;
	if (height == 1) {
		n = take_items(view, ids, n);
	}
	for (unsigned i = 0; height > 1 && i < dit_view_count(view); i++) {
		uint64_t low = 0;

		assert_int_equal(dit_view_node(view, i, &node), DIT_NODE_FITS);
		first = n;
		n = read_list_pages(run, node.child, height - 1, counted, ids, n);
		if (i > 0) {
			assert_int_equal(node.key.len, 8);
			memcpy(&low, node.key.data, sizeof(low));
			assert_true(low <= ids[first] && low > ids[first - 1]);
		}
	}
	free((char *)view.bytes);
	return n;
}

static void check_list(struct run *run, const struct dit_node_view *node,
                       const struct record *record)
{
	static uint64_t ids[NIDS];
	static uint64_t wanted[NIDS];
	struct dit_page_view inner = {node->value.data, (unsigned)node->value.len,
	                              run->file.format};
	struct dit_tree_record list;
	struct dit_tree_record counted = {.root = 0};
	size_t n = 1;

	if (node->flags == 0) {
		assert_int_equal(node->value.len, 8);
		memcpy(ids, node->value.data, 8);
	} else if (node->flags == DIT_NODE_LIST) {
		assert_true(dit_view_has_bounds(inner));
		n = take_items(inner, ids, 0);
	} else {
		assert_int_equal(node->flags, DIT_NODE_LIST | DIT_NODE_TREE);
		assert_int_equal(node->value.len, sizeof(list));
		memcpy(&list, node->value.data, sizeof(list));
		n = read_list_pages(run, list.root, list.depth, &counted, ids, 0);
		assert_int_equal(list.nitems, n);
		assert_int_equal(list.nleaf_pages, counted.nleaf_pages);
		assert_int_equal(list.nbranch_pages, counted.nbranch_pages);
		if (run->file.format->counts_list_pages) {
			run->counted.nleaf_pages += counted.nleaf_pages;
			run->counted.nbranch_pages += counted.nbranch_pages;
		}
	}
	run->counted.nitems += n;
	assert_int_equal(n, list_of(record, wanted));
	assert_memory_equal(ids, wanted, n * sizeof(ids[0]));
}

static void check_value(struct run *run, const struct dit_node_view *node,
                        const struct record *record)
{
	struct dit_big_value big = {.first_page = 0};
	const char *value = node->value.data;
	uint64_t npages = 0;
	char *pages = NULL;

	assert_int_equal(node->value_len, record->value_len);
	if ((node->flags & DIT_NODE_BIG) != 0) {
		npages = dit_overflow_pages(run->file.format, node->value_len,
		                            run->file.page_bytes);
		memcpy(&big, value, node->value.len);
		merge_see(&run->file, big.first_page, npages);
		pages = malloc(npages * run->file.page_bytes);
		assert_non_null(pages);
		assert_int_equal(pread(run->file.fd, pages, npages * run->file.page_bytes,
		                       (off_t)(big.first_page * run->file.page_bytes)),
		                 npages * run->file.page_bytes);
		if (run->file.format->crypto != NULL) {
			assert_int_equal(dit_page_unseal(run->file.format, pages,
			                                 npages * run->file.page_bytes),
			                 0);
		}
		value = pages + run->file.format->header_bytes;
	}
	for (size_t i = 0; i < record->value_len; i++) {
		assert_int_equal((unsigned char)value[i], record->fill);
	}
	run->counted.noverflow_pages += npages;
	run->counted.nitems++;
	free(pages);
}

static struct record *next_record(struct run *run)
{
	while (run->next < run->nrecords && !run->records[run->next].is_there) {
		run->next++;
	}
	return run->next == run->nrecords ? NULL : &run->records[run->next++];
}

static void check_pages(struct run *run, uint64_t number, unsigned height,
                        struct dit_span lowest)
{
	struct dit_page_view view;
	struct dit_node_view node = {.at = 0};

	merge_read_view(&run->file, number, height == 1, 0, &view);
	run->counted.nleaf_pages += height == 1;
	run->counted.nbranch_pages += height > 1;
	for (unsigned i = 0; i < dit_view_count(view); i++) {
		assert_int_equal(dit_view_node(view, i, &node), DIT_NODE_FITS);
		if (height > 1) {
			check_pages(run, node.child, height - 1,
			            i == 0 ? lowest : node.key);
			continue;
		}
		struct record *record = next_record(run);
		struct record bound = {.key = (char *)(uintptr_t)lowest.data,
		                       .key_len = lowest.len};

		assert_non_null(record);
		assert_int_equal(node.key.len, record->key_len);
		assert_memory_equal(node.key.data, record->key, record->key_len);
		assert_true(lowest.len == 0 || compare_records(&bound, record) <= 0);
		if (is_index(run)) {
			check_list(run, &node, record);
		} else {
			check_value(run, &node, record);
		}
	}
	free((char *)view.bytes);
}

static void check_tree(struct run *run)
{
	merge_forget_seen(&run->file);
	run->counted = (struct dit_tree_record){.root = 0};
	run->next = 0;
	if (run->file.tree.root != DIT_PAGE_NONE) {
		check_pages(run, run->file.tree.root, run->file.tree.depth,
		            (struct dit_span){NULL, 0});
	}
	assert_null(next_record(run));
	assert_int_equal(run->file.tree.nitems, run->counted.nitems);
	assert_int_equal(run->file.tree.nleaf_pages, run->counted.nleaf_pages);
	assert_int_equal(run->file.tree.nbranch_pages, run->counted.nbranch_pages);
	assert_int_equal(run->file.tree.noverflow_pages, run->counted.noverflow_pages);
	merge_assert_dropped(&run->file);
}

/* ---- merges ---- */

/* The rules of slapd for lists (storage.md 5.4). */
static void change_record(struct run *run, struct record *record,
                          const struct dit_ids_change *change)
{
	static uint64_t ids[NIDS];
	size_t n = 0;

	if (change->nadded == 3 && change->added[0] == 0) {
		n = list_of(record, ids);
		record->low = n == 0        ? change->added[1]
		              : ids[0] == 0 ? record->low
		                            : ids[0];
		record->high = n == 0 ? change->added[2] : ids[n - 1];
		record->low =
			change->added[1] < record->low ? change->added[1] : record->low;
		record->high =
			change->added[2] > record->high ? change->added[2] : record->high;
	} else if (record->low != 0) {
		for (size_t i = 0; i < change->nadded; i++) {
			uint64_t id = change->added[i];

			record->low = id < record->low ? id : record->low;
			record->high = id > record->high ? id : record->high;
		}
	} else {
		for (size_t i = 0; i < change->nadded; i++) {
			record->ids[change->added[i] / 64] |= (uint64_t)1
			                                      << change->added[i] % 64;
		}
		for (size_t i = 0; i < change->nremoved; i++) {
			record->ids[change->removed[i] / 64] &=
				~((uint64_t)1 << change->removed[i] % 64);
		}
		n = list_of(record, ids);
		if (n > run->list_max || (n == run->list_max && change->is_repeated)) {
			record->low = ids[0];
			record->high = ids[n - 1];
		}
	}
	record->is_there = list_of(record, ids) > 0;
	if (!record->is_there || record->low != 0) {
		memset(record->ids, 0, sizeof(record->ids));
	}
}

/* The changes of a round to the records that it takes. */
enum deed {
	MOSTLY_ADD,
	MOSTLY_REMOVE,
	REMOVE_ALL,
	MIXED,
	NDEEDS
};

static int change_ids(struct run *run, struct dit_tree_merge *merge,
                      struct record *record, enum deed deed)
{
	static uint64_t added[NIDS];
	static uint64_t removed[NIDS];
	struct dit_ids_change change = {.added = added, .removed = removed};
	unsigned steps = next_random(run) % 2 == 0 ? 3 : NIDS;
	unsigned step = 1 + next_random(run) % steps;
	unsigned first = 1 + next_random(run) % (NIDS - 1);
	bool is_added = deed == MOSTLY_ADD || (deed == MIXED && next_random(run) % 2);
	int r = 0;

	if (record->low != 0 && deed == REMOVE_ALL) {
		r = dit_tree_merge_remove(
			merge, (struct dit_span){record->key, record->key_len});
		record->is_there = false;
		record->low = 0;
		return r;
	}
	for (unsigned id = deed == REMOVE_ALL ? run->first_id : first;
	     id < (deed == REMOVE_ALL ? run->end_id : NIDS);
	     id += deed == REMOVE_ALL ? 1 : step) {
		bool has = has_id(record, id);
		bool adds = deed == REMOVE_ALL ? false
		            : is_added         ? next_random(run) % 16 != 0
		                               : next_random(run) % 16 == 0;

		if (adds) {
			added[change.nadded++] = id;
		} else if (has || next_random(run) % 64 == 0) {
			removed[change.nremoved++] = id;
		}
	}
	if (deed == MIXED && next_random(run) % 40 == 0) {
		added[0] = 0;
		added[1] = first;
		added[2] = first + 100;
		change.nadded = 3;
		change.nremoved = 0;
	}
	change.is_repeated = next_random(run) % 2 == 0;
	if (change.nadded + change.nremoved == 0) {
		return 0;
	}
	r = dit_tree_merge_ids(merge, (struct dit_span){record->key, record->key_len},
	                       &change);
	change_record(run, record, &change);
	return r;
}

static int change_value(struct run *run, struct dit_tree_merge *merge,
                        struct record *record, enum deed deed)
{
	static char value[4 * 65536];
	struct dit_span key = {record->key, record->key_len};
	size_t len_max = 0;
	bool is_put = deed == MOSTLY_ADD || (deed == MIXED && next_random(run) % 2);

	record->is_there = is_put;
	if (!is_put) {
		return dit_tree_merge_remove(merge, key);
	}
	record->fill = (unsigned char)next_random(run);
	len_max = next_random(run) % 4 == 0 ? 3 * run->file.page_bytes
	                                    : run->file.page_bytes / 8;
	record->value_len = next_random(run) % len_max;
	memset(value, record->fill, record->value_len);
	return dit_tree_merge_put(merge, key,
	                          (struct dit_span){value, record->value_len});
}

static int merge_round(struct run *run, enum deed deed, unsigned part)
{
	const struct dit_tree_merge_opts opts = {.space = &run->file.space,
	                                         .source = &run->file.pages,
	                                         .stored = run->file.tree,
	                                         .list_max = run->list_max,
	                                         .dropped = merge_drop_pages,
	                                         .ctx = &run->file};
	struct dit_tree_merge *merge = NULL;
	int r = dit_tree_merge_open(&merge, &opts);

	for (unsigned i = run->first_record; i < run->end_record && r == 0; i++) {
		if (next_random(run) % part != 0) {
			continue;
		}
		r = is_index(run) ? change_ids(run, merge, &run->records[i], deed)
		                  : change_value(run, merge, &run->records[i], deed);
	}
	r = r ?: dit_tree_merge_finish(merge, &run->file.tree, NULL);
	dit_tree_merge_free(merge);
	return r;
}

/* All of them, those in the middle, those at an end. */
static void choose_range(struct run *run, unsigned first, unsigned end,
                         unsigned *ret_first, unsigned *ret_end)
{
	unsigned kind = next_random(run) % 4;

	*ret_first = kind < 2 ? first : first + next_random(run) % (end - first);
	*ret_end = kind % 2 == 0 ? end
	                         : *ret_first + 1 + next_random(run) % (end - *ret_first);
}

static void one_round(struct run *run, unsigned number)
{
	uint64_t before = atomic_load(&run->file.space.next_page);
	enum deed deed = number == 0 ? MOSTLY_ADD : next_random(run) % NDEEDS;
	unsigned parts = next_random(run) % 3 == 0 ? 60 : 1;
	unsigned part = number == 0 ? 1 : 1 + next_random(run) % parts;

	choose_range(run, 0, run->nrecords, &run->first_record, &run->end_record);
	choose_range(run, 1, NIDS, &run->first_id, &run->end_id);
	if (number == 0) {
		run->first_record = 0;
		run->end_record = run->nrecords;
	}
	run->file.pages.npages = before;
	assert_int_equal(merge_round(run, deed, part), 0);
	merge_own_pages(&run->file, before);
	check_tree(run);
}

static void run_begin(struct run *run, const char *dir, unsigned number)
{
	static const unsigned kinds[] = {INDEX_FLAGS, INDEX_FLAGS | MDB_INTEGERKEY, 0,
	                                 MDB_INTEGERKEY};

	*run = (struct run){.list_max = 0};
	merge_file_begin(&run->file, dir, number);
	run->flags = kinds[next_random(run) % 4];
	run->list_max = next_random(run) % 4 == 0 ? 50 : next_random(run) % NIDS + 10;
	run->file.tree = (struct dit_tree_record){.flags = (uint16_t)run->flags,
	                                          .root = DIT_PAGE_NONE};
	make_keys(run);
}

static void run_end(struct run *run)
{
	merge_file_end(&run->file);
	for (unsigned i = 0; i < run->nrecords; i++) {
		free(run->records[i].key);
	}
	free(run->records);
}

TEST(merged_trees_hold_what_an_array_holds)
{
	const char *is_long = getenv("DIT_LONG");
	unsigned ntrees = is_long != NULL && *is_long == '1' ? NTREES_LONG : NTREES;
	char *dir = test_scratch();

	for (unsigned i = 0; i < ntrees; i++) {
		struct run run;

		run_begin(&run, dir, i);
		for (unsigned round = 0; round < ROUNDS; round++) {
			one_round(&run, round);
		}
		run_end(&run);
	}
}

TEST(a_damaged_tree_ends_the_merge_or_does_no_harm)
{
	char *dir = test_scratch();
	unsigned nrefused = 0;

	for (unsigned i = 0; i < NDAMAGED; i++) {
		struct run run;

		run_begin(&run, dir, i + 100000);
		one_round(&run, 0);
		if (run.file.tree.root != DIT_PAGE_NONE) {
			merge_damage(&run.file);
			nrefused += merge_round(&run, i % NDEEDS, 1 + i % 3) < 0;
		}
		run_end(&run);
	}
	assert_true(nrefused > NDAMAGED / 4);
}
