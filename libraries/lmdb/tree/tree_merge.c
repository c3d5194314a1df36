/* SPDX-License-Identifier: BSD-2-Clause */
/* tree_path.h finds the leaf of a key; here its node becomes another one. */
#include "tree/tree_merge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/object.h"
#include "tree/table_writer.h"
#include "tree/tree_path.h"

#define ID_BYTES    sizeof(uint64_t)
#define RANGE_WORDS 3 /* 0, lowest, highest */

struct ids {
	uint64_t *list; /* owned */
	size_t n;
	size_t size;
};

/* The list of records of the key that changes. */
struct records {
	bool is_open;
	bool is_tree; /* the path of the list is that of a tree */
	uint64_t n;   /* in the tree, with those that were added */
};

struct dit_tree_merge {
	struct dit_path_shared shared; /* its writer is owned */
	struct dit_tree_path path;
	struct dit_tree_path list; /* a long list of the open leaf */
	struct dit_tree_record stored;
	uint64_t list_max;
	bool has_begun;
	struct ids old; /* a list, or a leaf of one */
	struct ids new; /* what becomes of it */
	struct records records;
	char *single; /* a page for a list of one record; owned */
};

/* No stored key comes any more. */
static bool is_past_stored(const struct dit_tree_merge *merge)
{
	return merge->has_begun && merge->path.nopen == 0;
}

int dit_tree_merge_open(struct dit_tree_merge **ret,
                        const struct dit_tree_merge_opts *opts)
{
	struct dit_tree_merge *merge = calloc(1, sizeof(*merge));
	const struct dit_key_order ids = {DIT_ORDER_NUMBERS, .bytes = ID_BYTES};
	struct dit_key_orders orders;
	int r = 0;

	if (merge == NULL) {
		return -ENOMEM;
	}
	merge->shared = (struct dit_path_shared){
		.reading = {.source = opts->source,
	                    .reads_first = true,
	                    .pages = opts->dropped,
	                    .ctx = opts->ctx},
	};
	merge->stored = opts->stored;
	merge->list_max = opts->list_max == 0 ? UINT64_MAX : opts->list_max;
	dit_key_default_orders(opts->stored.flags, &orders);
	if (opts->orders != NULL) {
		orders = *opts->orders;
	}
	merge->path.shared = &merge->shared;
	merge->path.position.reading = &merge->shared.reading;
	merge->path.order = orders.keys;
	merge->list.shared = &merge->shared;
	merge->list.is_list = true;
	merge->list.has_records = (opts->stored.flags & DIT_DB_DUPFIXED) == 0;
	merge->list.position.reading = &merge->shared.reading;
	merge->list.position.may_be_packed = !merge->list.has_records;
	merge->list.order = merge->list.has_records ? orders.items : ids;
	merge->single = malloc(opts->space->page_bytes);
	r = merge->single == NULL ? -ENOMEM : 0;
	r = r
	            ?: dit_table_writer_new(&merge->shared.writer, opts->space,
	                                    opts->stored.flags);
	if (r == 0) {
		merge->shared.writer->orders = orders;
		merge->shared.writer->tree.is_part = opts->is_part;
	}
	return DIT_HAND_OVER(r, ret, merge, dit_tree_merge_free);
}

void dit_tree_merge_free(struct dit_tree_merge *merge)
{
	if (merge != NULL) {
		dit_table_writer_free(merge->shared.writer);
		dit_tree_position_deinit(&merge->path.position);
		dit_tree_position_deinit(&merge->list.position);
		free(merge->old.list);
		free(merge->new.list);
		free(merge->single);
		free(merge);
	}
}

/* ---- lists of IDs ---- */

static int make_room(struct ids *ids, size_t n)
{
	return DIT_GROW(ids->list, ids->size, ids->n + n + 1);
}

static int add_ids(struct ids *ids, const void *bytes, size_t n)
{
	int r = make_room(ids, n);

	if (r == 0 && n > 0) {
		memcpy(ids->list + ids->n, bytes, n * ID_BYTES);
		ids->n += n;
	}
	return r;
}

/* IDs that are stored, after those that were read before. */
static int read_ids(struct ids *ids, const char *bytes, size_t n)
{
	size_t first = ids->n == 0 ? 1 : ids->n;
	int r = add_ids(ids, bytes, n);

	return r == 0 && !dit_numbers_ascend(ids->list + first - 1, ids->n - first + 1)
	               ? DIT_E_CORRUPT
	               : r;
}

/* A leaf of a list, or the page inside of a node. */
static int read_packed(struct ids *ids, const struct dit_tree_level *leaf)
{
	return (dit_view_flags(leaf->view) & DIT_PAGE_LEAF2) == 0 ||
	                       dit_view_item_bytes(leaf->view) != ID_BYTES
	               ? DIT_E_CORRUPT
	               : read_ids(ids, dit_view_item(leaf->view, 0, ID_BYTES).data,
	                          leaf->count);
}

/* All IDs of a list, whose pages do not stay; its records are not kept. */
static int read_list(struct dit_tree_merge *merge, const struct dit_node_view *node)
{
	struct dit_tree_position *position = &merge->list.position;
	int r = dit_tree_position_first_item(position, node);

	while (r > 0) {
		struct dit_tree_level *leaf = dit_tree_position_end(position);

		r = merge->list.has_records ? 0 : read_packed(&merge->old, leaf);
		leaf->slot = leaf->count - 1;
		r = r ?: dit_tree_position_next(position);
	}
	return r;
}

static bool is_range(const uint64_t *ids, size_t n)
{
	return n > 0 && ids[0] == 0;
}

/* old and the changes, without the limit of a list. */
static int unite(struct dit_tree_merge *merge, const struct dit_ids_change *change)
{
	const struct ids *old = &merge->old;
	struct ids *new = &merge->new;
	size_t o = 0;
	size_t a = 0;
	size_t k = 0;
	int r = 0;

	new->n = 0;
	/* New IDs are nearly always above all that are stored. */
	if (change->nremoved == 0 && change->nadded > 0 &&
	    (old->n == 0 || change->added[0] > old->list[old->n - 1])) {
		r = add_ids(new, old->list, old->n);
		return r < 0 ? r : add_ids(new, change->added, change->nadded);
	}
	r = make_room(new, old->n + change->nadded);
	while (r == 0 && (o < old->n || a < change->nadded)) {
		uint64_t stored = o < old->n ? old->list[o] : UINT64_MAX;
		uint64_t added = a < change->nadded ? change->added[a] : UINT64_MAX;
		uint64_t id = stored < added ? stored : added;

		o += o < old->n && stored == id;
		a += a < change->nadded && added == id;
		while (k < change->nremoved && change->removed[k] < id) {
			k++;
		}
		if (k == change->nremoved || change->removed[k] != id) {
			new->list[new->n++] = id;
		}
	}
	return r;
}

static int put_range(struct dit_tree_merge *merge, struct dit_span key, uint64_t lowest,
                     uint64_t highest)
{
	const uint64_t range[RANGE_WORDS] = {0, lowest, highest};

	return dit_table_writer_put(merge->shared.writer, key, range, RANGE_WORDS);
}

/* The stored list is a range, or becomes one. */
static int put_ranges(struct dit_tree_merge *merge, struct dit_span key,
                      const struct dit_ids_change *change)
{
	const struct ids *old = &merge->old;
	uint64_t lowest = UINT64_MAX;
	uint64_t highest = 0;

	if (is_range(old->list, old->n) && old->n != RANGE_WORDS) {
		return DIT_E_CORRUPT;
	}
	if (old->n > 0) {
		lowest = old->list[is_range(old->list, old->n) ? 1 : 0];
		highest = old->list[old->n - 1];
	}
	if (change->nadded > 0) {
		const uint64_t *added = change->added;
		uint64_t low = added[is_range(added, change->nadded) ? 1 : 0];
		uint64_t high = added[change->nadded - 1];

		lowest = low < lowest ? low : lowest;
		highest = high > highest ? high : highest;
	}
	return put_range(merge, key, lowest, highest);
}

/* The list in old, with its changes, as the list of a key. */
static int put_changed(struct dit_tree_merge *merge, struct dit_span key,
                       const struct dit_ids_change *change)
{
	const struct ids *new = &merge->new;
	int r = 0;

	if (is_range(merge->old.list, merge->old.n) ||
	    is_range(change->added, change->nadded)) {
		return put_ranges(merge, key, change);
	}
	r = unite(merge, change);
	if (r < 0) {
		return r;
	}
	if (new->n > merge->list_max ||
	    (new->n == merge->list_max && change->is_repeated)) {
		return put_range(merge, key, new->list[0], new->list[new->n - 1]);
	}
	return dit_table_writer_put(merge->shared.writer, key, new->list, new->n);
}

/* ---- long lists ---- */

static int list_tree_of(struct dit_tree_merge *merge, const struct dit_node_view *node,
                        struct dit_tree_record *ret)
{
	struct dit_tree_record *left = &merge->path.left;

	if (node->value.len != sizeof(*ret)) {
		return DIT_E_CORRUPT;
	}
	memcpy(ret, node->value.data, sizeof(*ret));
	if (merge->shared.writer->format->counts_list_pages) {
		left->nbranch_pages -= ret->nbranch_pages;
		left->nleaf_pages -= ret->nleaf_pages;
	}
	return ret->root == DIT_PAGE_NONE ? DIT_E_CORRUPT : 0;
}

static size_t count_below(const uint64_t *ids, size_t n,
                          const struct dit_path_bounds *leaf)
{
	uint64_t end = 0;
	size_t count = 0;

	if (!leaf->has_end) {
		return n;
	}
	memcpy(&end, leaf->end.data, sizeof(end));
	while (count < n && ids[count] < end) {
		count++;
	}
	return count;
}

/* The changes of one leaf, which leave the others. */
static int change_leaf(struct dit_tree_merge *merge, struct dit_tree_level *leaf,
                       struct dit_ids_change *left, uint64_t *nitems)
{
	const struct dit_path_bounds *bounds = &merge->list.bounds[merge->list.nopen - 1];
	struct dit_ids_change change = *left;
	int r = 0;

	change.nadded = count_below(left->added, left->nadded, bounds);
	change.nremoved = count_below(left->removed, left->nremoved, bounds);
	left->added += change.nadded;
	left->nadded -= change.nadded;
	left->removed += change.nremoved;
	left->nremoved -= change.nremoved;
	merge->old.n = 0;
	r = leaf->slot == 0 ? read_packed(&merge->old, leaf) : DIT_E_CORRUPT;
	r = r ?: unite(merge, &change);
	if (r < 0) {
		return r;
	}
	leaf->slot = leaf->count;
	*nitems += merge->new.n - merge->old.n;
	return dit_table_writer_put_ids(merge->shared.writer, merge->new.list,
	                                merge->new.n);
}

/* A long list that stays one: the leaves with changes are written again. */
static int change_long_list(struct dit_tree_merge *merge, struct dit_span key,
                            const struct dit_ids_change *change,
                            const struct dit_tree_record *tree)
{
	struct dit_ids_change left = *change;
	uint64_t nitems = tree->nitems;
	int r = dit_tree_path_begin(&merge->list, tree);

	while (r == 0 && left.nadded + left.nremoved > 0) {
		struct dit_tree_level *leaf = NULL;
		uint64_t id = left.nadded == 0 || (left.nremoved > 0 &&
		                                   left.removed[0] < left.added[0])
		                      ? left.removed[0]
		                      : left.added[0];

		r = dit_tree_path_find(&merge->list,
		                       (struct dit_span){(const char *)&id, sizeof(id)},
		                       &leaf);
		r = r ?: change_leaf(merge, leaf, &left, &nitems);
	}
	r = r ?: dit_tree_path_end(&merge->list);
	return r < 0 ? r : dit_table_writer_end_ids(merge->shared.writer, key, nitems);
}

static bool stays_long(const struct dit_tree_merge *merge,
                       const struct dit_tree_record *tree,
                       const struct dit_ids_change *change)
{
	uint64_t n = tree->nitems + change->nadded;

	return tree->nitems > RANGE_WORDS && !is_range(change->added, change->nadded) &&
	       n <= merge->list_max && !(n == merge->list_max && change->is_repeated);
}

/* ---- nodes ---- */

/* The stored tree is opened with the first change. */
static int begin(struct dit_tree_merge *merge)
{
	int r = merge->has_begun ? 0 : dit_tree_path_begin(&merge->path, &merge->stored);

	merge->has_begun = true;
	return r;
}

static int take_node(struct dit_tree_merge *merge, struct dit_span key,
                     struct dit_node_view *ret)
{
	int r = 0;

	if (is_past_stored(merge)) {
		return 0;
	}
	r = begin(merge);
	return r < 0 ? r : dit_tree_path_take(&merge->path, key, ret);
}

static int change_node(struct dit_tree_merge *merge, const struct dit_node_view *node,
                       const struct dit_ids_change *change)
{
	struct dit_tree_record tree;
	int r = DIT_E_CORRUPT;

	switch (node->flags) {
	case 0:
		if (node->value.len == ID_BYTES) {
			r = read_ids(&merge->old, node->value.data, 1);
		}
		break;
	case DIT_NODE_LIST:
		r = read_list(merge, node);
		break;
	case DIT_NODE_LIST | DIT_NODE_TREE:
		r = list_tree_of(merge, node, &tree);
		if (r == 0 && stays_long(merge, &tree, change)) {
			return change_long_list(merge, node->key, change, &tree);
		}
		r = r ?: read_list(merge, node);
		break;
	default:
		break;
	}
	return r < 0 ? r : put_changed(merge, node->key, change);
}

/* Apart from its caller, which is short without it. */
static __attribute__((noinline)) int change_list(struct dit_tree_merge *merge,
                                                 struct dit_span key,
                                                 const struct dit_ids_change *change)
{
	struct dit_node_view node;
	int r = take_node(merge, key, &node);

	if (r < 0) {
		return r;
	}
	merge->old.n = 0;
	return r == 0 ? put_changed(merge, key, change)
	              : change_node(merge, &node, change);
}

/* Most lists of a new table are short: each instruction here counts. */
int dit_tree_merge_ids(struct dit_tree_merge *merge, struct dit_span key,
                       const struct dit_ids_change *change)
{
	return is_past_stored(merge) && change->nremoved == 0 &&
	                       change->nadded < merge->list_max
	               ? dit_table_writer_put(merge->shared.writer, key, change->added,
	                                      change->nadded)
	               : change_list(merge, key, change);
}

/* ---- lists of records ---- */

/*
 * A list of records is a value, a page inside a node, or a tree. Stored records go
 * through the writer in order, with the new ones among them; a tree keeps the pages that
 * do not change.
 */

/* A list of one record, as a page. */
static int begin_single(struct dit_tree_merge *merge, struct dit_span record)
{
	const struct dit_table_writer *writer = merge->shared.writer;
	const struct dit_page_format *format = writer->format;
	const struct dit_page_view page = {
		merge->single, dit_page_end(format, writer->page_bytes), format};
	char *none = NULL;

	if (record.len == 0 || record.len > writer->key_max) {
		return DIT_E_CORRUPT;
	}
	dit_page_begin(format, merge->single, writer->page_bytes, DIT_PAGE_LEAF);
	(void)dit_page_add_node(format, merge->single, record, 0, &none);
	return dit_tree_path_begin_inside(&merge->list, page);
}

/* The list of a stored key. */
static int begin_stored(struct dit_tree_merge *merge, const struct dit_node_view *node)
{
	const struct dit_page_view inside = {node->value.data, (unsigned)node->value.len,
	                                     merge->shared.writer->format};
	struct records *records = &merge->records;
	struct dit_tree_record tree;
	int r = 0;

	switch (node->flags) {
	case 0:
		return begin_single(merge, node->value);
	case DIT_NODE_LIST:
		return dit_tree_path_begin_inside(&merge->list, inside);
	case DIT_NODE_LIST | DIT_NODE_TREE:
		r = list_tree_of(merge, node, &tree);
		records->is_tree = true;
		records->n = tree.nitems;
		return r < 0 ? r : dit_tree_path_begin(&merge->list, &tree);
	default:
		return DIT_E_CORRUPT;
	}
}

static int begin_key(struct dit_tree_merge *merge, struct dit_span key)
{
	struct dit_node_view node;
	int r = take_node(merge, key, &node);
	bool is_stored = r > 0;

	r = r < 0 ? r : dit_table_writer_begin_records(merge->shared.writer, key);
	if (r < 0) {
		return r;
	}
	merge->records = (struct records){.is_open = true};
	merge->list.nopen = 0;
	return is_stored ? begin_stored(merge, &node) : 0;
}

/* The list that is open is complete. */
static int end_records(struct dit_tree_merge *merge)
{
	struct dit_table_writer *writer = merge->shared.writer;
	struct records *records = &merge->records;
	int r = 0;

	if (!records->is_open) {
		return 0;
	}
	records->is_open = false;
	r = records->is_tree ? dit_tree_path_end(&merge->list)
	                     : dit_tree_path_close(&merge->list);
	return r < 0 ? r
	             : dit_table_writer_end_records(writer,
	                                            records->is_tree ? records->n : 0);
}

/* Take over what is stored before a record. 1: an equal one is stored, and goes; 0 */
static int take_record(struct dit_tree_merge *merge, struct dit_span key,
                       struct dit_span record)
{
	const struct dit_table_writer *writer = merge->shared.writer;
	const struct dit_span last = {writer->key, writer->key_len};
	struct dit_node_view node;
	int r = 0;

	if (!merge->records.is_open || !dit_span_eq(key, last)) {
		r = end_records(merge);
		r = r ?: begin_key(merge, key);
	}
	return r < 0 || merge->list.nopen == 0
	               ? r
	               : dit_tree_path_take(&merge->list, record, &node);
}

int dit_tree_merge_record(struct dit_tree_merge *merge, struct dit_span key,
                          struct dit_span record)
{
	int r = take_record(merge, key, record);

	merge->records.n += r == 0;
	return r < 0 ? r : dit_table_writer_add_record(merge->shared.writer, record);
}

int dit_tree_merge_remove_record(struct dit_tree_merge *merge, struct dit_span key,
                                 struct dit_span record)
{
	int r = take_record(merge, key, record);

	merge->records.n -= r > 0;
	return r < 0 ? r : 0;
}

/* ---- values ---- */

/* The pages that the value of a node has for itself. */
static int drop_value(struct dit_tree_merge *merge, const struct dit_node_view *node)
{
	struct dit_tree_record tree;
	uint64_t npages = 0;
	int r = 0;

	if ((node->flags & DIT_NODE_LIST) != 0 && (node->flags & DIT_NODE_TREE) != 0) {
		merge->old.n = 0;
		r = list_tree_of(merge, node, &tree);
		return r < 0 ? r : read_list(merge, node);
	}
	r = dit_tree_count_value(&merge->shared.reading, node, &npages);
	merge->path.left.noverflow_pages -= npages;
	return r;
}

int dit_tree_merge_remove(struct dit_tree_merge *merge, struct dit_span key)
{
	struct dit_node_view node;
	int r = end_records(merge);

	r = r ?: take_node(merge, key, &node);
	return r <= 0 ? r : drop_value(merge, &node);
}

int dit_tree_merge_reserve(struct dit_tree_merge *merge, struct dit_span key, size_t len,
                           char **ret_space)
{
	int r = dit_tree_merge_remove(merge, key);

	return r < 0 ? r
	             : dit_table_writer_reserve(merge->shared.writer, key, len,
	                                        ret_space);
}

struct dit_table_writer *dit_tree_merge_writer(struct dit_tree_merge *merge)
{
	return merge->shared.writer;
}

int dit_tree_merge_put_pieces(struct dit_tree_merge *merge, struct dit_span key,
                              size_t len, const struct dit_pieces *value)
{
	int r = dit_tree_merge_remove(merge, key);

	return r < 0 ? r
	             : dit_table_writer_put_pieces(merge->shared.writer, key, len, value);
}

int dit_tree_merge_put(struct dit_tree_merge *merge, struct dit_span key,
                       struct dit_span value)
{
	char *space = NULL;
	int r = dit_tree_merge_reserve(merge, key, value.len, &space);

	if (r == 0 && value.len > 0) {
		memcpy(space, value.data, value.len);
	}
	return r;
}

/* ---- parts ---- */

int dit_tree_merge_end_part(struct dit_tree_merge *merge)
{
	struct dit_table_writer *writer = merge->shared.writer;
	int r = end_records(merge);

	r = r ?: dit_table_writer_end_leaf(writer);
	return r ?: dit_page_sink_flush(&writer->sink);
}

int dit_tree_merge_take(struct dit_tree_merge *merge, const struct dit_tree_merge *part)
{
	struct dit_table_writer *writer = merge->shared.writer;
	const struct dit_table_writer *from = part->shared.writer;
	struct dit_span lowest = dit_page_tree_part_key(&from->tree);
	int r = merge->stored.root == DIT_PAGE_NONE ? begin(merge) : -EINVAL;

	if (r < 0 || lowest.len == 0) {
		return r;
	}
	r = dit_table_writer_check_key(writer, lowest);
	r = r ?: dit_table_writer_end_leaf(writer);
	r = r ?: dit_page_tree_take(&writer->tree, &from->tree);
	if (r < 0) {
		return r;
	}
	dit_table_writer_remember_key(writer,
	                              (struct dit_span){from->key, from->key_len});
	writer->nitems += from->nitems;
	writer->noverflow_pages += from->noverflow_pages;
	writer->nlist_branches += from->nlist_branches;
	writer->nlist_leaves += from->nlist_leaves;
	writer->ncopied_pages += from->ncopied_pages;
	return 0;
}

int dit_tree_merge_finish(struct dit_tree_merge *merge, struct dit_tree_record *ret,
                          uint64_t *ret_bytes)
{
	const struct dit_tree_record *left = &merge->path.left;
	const struct dit_table_writer *writer = merge->shared.writer;
	struct dit_tree_record record = merge->stored;
	int r = 0;

	if (merge->has_begun) {
		r = end_records(merge);
		r = r ?: dit_tree_path_end(&merge->path);
		r = r ?: dit_table_writer_finish(merge->shared.writer, &record);
		r = r ?: dit_table_writer_release(merge->shared.writer, SIZE_MAX);
		record.nitems += left->nitems;
		record.noverflow_pages += left->noverflow_pages;
	}
	if (r < 0) {
		return r;
	}
	*ret = record;
	if (ret_bytes != NULL && merge->has_begun &&
	    merge->stored.root == DIT_PAGE_NONE) {
		*ret_bytes = writer->npages * writer->page_bytes;
	}
	return 0;
}
