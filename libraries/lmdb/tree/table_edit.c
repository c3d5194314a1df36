/* SPDX-License-Identifier: BSD-2-Clause */
#include "tree/table_edit.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/grow.h"
#include "page/lmdb_format.h"
#include "tree/table_writer.h"

#define ID_BYTES  sizeof(uint64_t)
#define DEPTH_MAX 32 /* LMDB's cursors go no deeper */

struct ids {
	uint64_t *list; /* owned */
	size_t n;
	size_t size;
};

struct work {
	const struct dit_table_edit *edit;
	struct dit_table_writer *writer;
	const struct dit_table_change *changes; /* those that are left */
	size_t nchanges;
	char *leaf;          /* a page; owned */
	char *page;          /* one of a list; owned */
	uint64_t held;       /* the leaf that comes next; its end is not known yet */
	struct dit_span key; /* its lowest; a copy, owned */
	bool has_held;
	uint64_t nlost; /* items of the old leaves that were written anew */
	struct ids old;
	struct ids new;
};

/* ---- order ---- */

static uint64_t number_of(struct dit_span key)
{
	uint64_t wide = 0;

	memcpy(&wide, key.data, key.len < sizeof(wide) ? key.len : sizeof(wide));
	return wide; /* little-endian: a narrow one is the same number */
}

static int compare_keys(unsigned flags, struct dit_span a, struct dit_span b)
{
	size_t shorter = a.len < b.len ? a.len : b.len;
	int order = 0;

	if ((flags & DIT_DB_INTEGERKEY) != 0) {
		return (number_of(a) > number_of(b)) - (number_of(a) < number_of(b));
	}
	order = memcmp(a.data, b.data, shorter);
	return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

int dit_table_change_compare(unsigned flags, const struct dit_table_change *a,
                             const struct dit_table_change *b)
{
	int order = compare_keys(flags, a->key, b->key);

	return order != 0 ? order : (a->id > b->id) - (a->id < b->id);
}

/* ---- lists ---- */

static int add_id(struct ids *ids, uint64_t id)
{
	uint64_t *list = dit_grow(ids->list, &ids->size, ids->n + 1, sizeof(*list));

	if (list == NULL) {
		return -ENOMEM;
	}
	ids->list = list;
	list[ids->n++] = id;
	return 0;
}

static int add_packed(struct ids *ids, struct dit_page_view view)
{
	int r = 0;

	if (view.len < view.format->header_bytes || !dit_view_has_bounds(view) ||
	    (dit_view_flags(view) & DIT_PAGE_LEAF2) == 0 ||
	    dit_view_item_bytes(view) != ID_BYTES ||
	    !dit_view_has_items(view, ID_BYTES)) {
		return DIT_E_CORRUPT;
	}
	for (unsigned i = 0; i < dit_view_count(view) && r == 0; i++) {
		uint64_t id = 0;

		memcpy(&id, dit_view_item(view, i, ID_BYTES).data, sizeof(id));
		r = add_id(ids, id);
	}
	return r;
}

static int read_page(const struct dit_tree_source *source, uint64_t number, char *page,
                     struct dit_page_view *ret)
{
	int r = DIT_E_CORRUPT;

	if (number < source->pages->npages) {
		r = dit_page_source_read(source->pages, number, 1, page);
	}
	*ret = (struct dit_page_view){page, source->pages->page_bytes, source->format};
	return r < 0 ? r : 0;
}

/* @param height  1: a leaf */
static int read_list_page(const struct work *work, uint64_t number, unsigned height,
                          struct ids *ret)
{
	const struct dit_tree_source *source = work->edit->source;
	char *page = malloc(source->pages->page_bytes);
	struct dit_page_view view;
	struct dit_node_view node;
	int r = page == NULL ? -ENOMEM : read_page(source, number, page, &view);

	if (r == 0 && height == 1) {
		r = add_packed(ret, view);
	} else if (r == 0) {
		r = (dit_view_flags(view) & DIT_PAGE_BRANCH) != 0 &&
		                    dit_view_has_bounds(view)
		            ? 0
		            : DIT_E_CORRUPT;
		for (unsigned i = 0; r == 0 && i < dit_view_count(view); i++) {
			r = dit_view_node(view, i, &node) == DIT_NODE_FITS
			            ? read_list_page(work, node.child, height - 1, ret)
			            : DIT_E_CORRUPT;
		}
	}
	free(page);
	return r;
}

static int drop_pages(void *ctx, uint64_t first, uint64_t n)
{
	const struct dit_table_edit *edit = ctx;

	return edit->dropped == NULL ? 0 : edit->dropped(edit->ctx, first, n);
}

static int drop_list(const struct work *work, const struct dit_tree_record *list)
{
	const struct dit_tree_visitor visitor = {.pages = drop_pages,
	                                         .ctx = (void *)work->edit};

	return dit_tree_visit_branches(work->edit->source, list, &visitor);
}

/* The IDs of a node; pages that only it has are dropped. */
static int read_list(struct work *work, const struct dit_node_view *node)
{
	const struct dit_page_view inner = {node->value.data, (unsigned)node->value.len,
	                                    work->edit->source->format};
	struct dit_tree_record list;
	uint64_t id = 0;
	int r = 0;

	work->old.n = 0;
	if ((node->flags & DIT_NODE_LIST) == 0) {
		if (node->value.len != ID_BYTES) {
			return DIT_E_CORRUPT;
		}
		memcpy(&id, node->value.data, sizeof(id));
		return add_id(&work->old, id);
	}
	if ((node->flags & DIT_NODE_TREE) == 0) {
		return add_packed(&work->old, inner);
	}
	if (node->value.len != sizeof(list)) {
		return DIT_E_CORRUPT;
	}
	memcpy(&list, node->value.data, sizeof(list));
	if (list.depth == 0 || list.depth > DEPTH_MAX) {
		return DIT_E_CORRUPT;
	}
	r = read_list_page(work, list.root, list.depth, &work->old);
	return r < 0 ? r : drop_list(work, &list);
}

/* ---- changes of a list ---- */

/* How many of the changes that are left belong to the first one's key. */
static size_t count_same_key(const struct work *work)
{
	size_t n = 1;

	while (n < work->nchanges && compare_keys(work->edit->flags, work->changes[n].key,
	                                          work->changes[0].key) == 0) {
		n++;
	}
	return n;
}

static int change_range(struct work *work, size_t nchanges)
{
	uint64_t low = work->old.list[1];
	uint64_t high = work->old.list[2];
	int r = 0;

	for (size_t i = 0; i < nchanges; i++) {
		const struct dit_table_change *change = &work->changes[i];

		if (change->is_added) {
			low = change->id < low ? change->id : low;
			high = change->id > high ? change->id : high;
		}
	}
	work->new.n = 0;
	r = add_id(&work->new, 0);
	if (r == 0) {
		r = add_id(&work->new, low);
	}
	return r < 0 ? r : add_id(&work->new, high);
}

/* What is in work->old, with some changes. */
static int change_ids(struct work *work, size_t nchanges)
{
	const struct ids *old = &work->old;
	size_t at = 0;
	int r = 0;

	work->new.n = 0;
	for (size_t i = 0; i < nchanges && r == 0; i++) {
		const struct dit_table_change *change = &work->changes[i];

		while (at < old->n && old->list[at] < change->id && r == 0) {
			r = add_id(&work->new, old->list[at++]);
		}
		at += at < old->n && old->list[at] == change->id;
		if (r == 0 && change->is_added) {
			r = add_id(&work->new, change->id);
		}
	}
	while (at < old->n && r == 0) {
		r = add_id(&work->new, old->list[at++]);
	}
	return r;
}

static int change_list(struct work *work, size_t nchanges)
{
	int r = change_ids(work, nchanges);

	if (r == 0 && work->new.n > work->edit->list_max) {
		uint64_t *list = work->new.list;

		list[2] = list[work->new.n - 1];
		list[1] = list[0];
		list[0] = 0;
		work->new.n = 3;
	}
	return r;
}

/* The changes of one key, to what is in work->old. */
static int put_changed(struct work *work)
{
	struct dit_span key = work->changes[0].key;
	size_t n = count_same_key(work);
	bool is_range = work->old.n == 3 && work->old.list[0] == 0;
	int r = is_range ? change_range(work, n) : change_list(work, n);

	work->changes += n;
	work->nchanges -= n;
	return r < 0 ? r
	             : dit_table_writer_put(work->writer, key, work->new.list,
	                                    work->new.n);
}

/* ---- changes of a long list: pages without changes stay ---- */

struct list_edit {
	struct work *work;
	const struct dit_table_change *end; /* of the key's changes */
	uint64_t held;                      /* the page that comes next */
	uint64_t lowest;                    /* its lowest ID, as far as it is known */
	bool has_held;
	uint64_t nitems;
};

/* IDs that belong before the next page. */
static int edit_ids(struct list_edit *list, size_t nchanges)
{
	struct work *work = list->work;
	struct dit_page_view view;
	int r = read_page(work->edit->source, list->held, work->page, &view);

	work->old.n = 0;
	if (r == 0) {
		r = add_packed(&work->old, view);
	}
	if (r == 0) {
		r = change_ids(work, nchanges);
	}
	if (r < 0) {
		return r;
	}
	work->changes += nchanges;
	work->nchanges -= nchanges;
	list->nitems += work->new.n - work->old.n;
	r = dit_table_writer_put_ids(work->writer, work->new.list, work->new.n);
	return r < 0 ? r : drop_pages((void *)work->edit, list->held, 1);
}

static int end_ids_page(struct list_edit *list, uint64_t next)
{
	const struct work *work = list->work;
	size_t n = 0;

	if (!list->has_held) {
		return 0;
	}
	list->has_held = false;
	while (work->changes + n < list->end && work->changes[n].id < next) {
		n++;
	}
	return n > 0 ? edit_ids(list, n)
	             : dit_table_writer_keep_ids(work->writer, list->held, list->lowest);
}

static int visit_ids(struct list_edit *list, uint64_t number, unsigned height,
                     uint64_t lowest)
{
	const struct dit_tree_source *source = list->work->edit->source;
	struct dit_page_view view;
	struct dit_node_view node;
	char *page = NULL;
	int r = 0;

	if (height == 1) {
		r = end_ids_page(list, lowest);
		list->held = number;
		list->lowest = lowest;
		list->has_held = true;
		return r;
	}
	page = malloc(source->pages->page_bytes);
	r = page == NULL ? -ENOMEM : read_page(source, number, page, &view);
	if (r == 0 && (!dit_view_has_bounds(view) ||
	               (dit_view_flags(view) & DIT_PAGE_BRANCH) == 0)) {
		r = DIT_E_CORRUPT;
	}
	for (unsigned i = 0; r == 0 && i < dit_view_count(view); i++) {
		uint64_t id = lowest;

		if (dit_view_node(view, i, &node) != DIT_NODE_FITS ||
		    (i > 0 && node.key.len != ID_BYTES)) {
			r = DIT_E_CORRUPT;
			break;
		}
		if (i > 0) {
			memcpy(&id, node.key.data, sizeof(id));
		}
		r = visit_ids(list, node.child, height - 1, id);
	}
	if (r == 0) {
		r = drop_pages((void *)list->work->edit, number, 1);
	}
	free(page);
	return r;
}

static int edit_long_list(struct work *work, const struct dit_tree_record *tree,
                          size_t nchanges)
{
	struct dit_span key = work->changes[0].key;
	struct list_edit list = {
		.work = work, .end = work->changes + nchanges, .nitems = tree->nitems};
	int r = 0;

	if (tree->depth == 0 || tree->depth > DEPTH_MAX) {
		return DIT_E_CORRUPT;
	}
	r = visit_ids(&list, tree->root, tree->depth, 0);
	if (r == 0) {
		r = end_ids_page(&list, UINT64_MAX);
	}
	return r < 0 ? r : dit_table_writer_end_ids(work->writer, key, list.nitems);
}

/* A long list that cannot become a range. */
static bool is_long_list(const struct work *work, const struct dit_node_view *node,
                         size_t nchanges, struct dit_tree_record *ret)
{
	if ((node->flags & DIT_NODE_LIST) == 0 || (node->flags & DIT_NODE_TREE) == 0 ||
	    node->value.len != sizeof(*ret)) {
		return false;
	}
	memcpy(ret, node->value.data, sizeof(*ret));
	return ret->nitems + nchanges <= work->edit->list_max;
}

/* Keys that the table has not, up to this one. */
static int put_new_keys(struct work *work, const struct dit_span *end)
{
	int r = 0;

	while (r == 0 && work->nchanges > 0 &&
	       (end == NULL ||
	        compare_keys(work->edit->flags, work->changes[0].key, *end) < 0)) {
		work->old.n = 0;
		r = put_changed(work);
	}
	return r;
}

/* ---- leaves ---- */

static int edit_node(struct work *work, const struct dit_node_view *node)
{
	struct dit_tree_record list;
	int r = put_new_keys(work, &node->key);

	work->nlost += dit_node_items(node, work->edit->source->format);
	if (r < 0) {
		return r;
	}
	if (work->nchanges == 0 ||
	    compare_keys(work->edit->flags, work->changes[0].key, node->key) != 0) {
		return dit_table_writer_copy(work->writer, node);
	}
	if (is_long_list(work, node, count_same_key(work), &list)) {
		return edit_long_list(work, &list, count_same_key(work));
	}
	r = read_list(work, node);
	return r < 0 ? r : put_changed(work);
}

/* @param end  the lowest key behind the leaf; NULL: it is the last one */
static int edit_leaf(struct work *work, uint64_t number, const struct dit_span *end)
{
	struct dit_page_view view;
	struct dit_node_view node;
	int r = read_page(work->edit->source, number, work->leaf, &view);

	if (r == 0 && (!dit_view_has_bounds(view) ||
	               (dit_view_flags(view) & (DIT_PAGE_LEAF | DIT_PAGE_LEAF2)) !=
	                       DIT_PAGE_LEAF)) {
		r = DIT_E_CORRUPT;
	}
	for (unsigned i = 0; r == 0 && i < dit_view_count(view); i++) {
		r = dit_view_node(view, i, &node) == DIT_NODE_FITS
		            ? edit_node(work, &node)
		            : DIT_E_CORRUPT;
	}
	if (r == 0) {
		r = put_new_keys(work, end);
	}
	return r < 0 ? r : drop_pages((void *)work->edit, number, 1);
}

/* Now it is known where the leaf ends: before this key. */
static int end_leaf(struct work *work, const struct dit_span *end)
{
	bool is_changed = work->nchanges > 0 &&
	                  (end == NULL || compare_keys(work->edit->flags,
	                                               work->changes[0].key, *end) < 0);

	if (!work->has_held) {
		return 0;
	}
	work->has_held = false;
	return is_changed ? edit_leaf(work, work->held, end)
	                  : dit_table_writer_keep(work->writer, work->held, work->key);
}

/* A leaf begins; the first one of the tree without a key. */
static int take_leaf(struct work *work, uint64_t number, struct dit_span key)
{
	int r = end_leaf(work, &key);

	if (r < 0) {
		return r;
	}
	memcpy((char *)work->key.data, key.data, key.len);
	work->key.len = key.len;
	work->held = number;
	work->has_held = true;
	return 0;
}

/* @param key  of the page in its branch; of the first one the branch's own */
static int visit(struct work *work, uint64_t number, unsigned height, struct dit_span key)
{
	const struct dit_tree_source *source = work->edit->source;
	struct dit_page_view view;
	struct dit_node_view node;
	char *page = NULL;
	int r = 0;

	if (height == 1) {
		return take_leaf(work, number, key);
	}
	page = malloc(source->pages->page_bytes);
	r = page == NULL ? -ENOMEM : read_page(source, number, page, &view);
	if (r == 0 && (!dit_view_has_bounds(view) ||
	               (dit_view_flags(view) & DIT_PAGE_BRANCH) == 0)) {
		r = DIT_E_CORRUPT;
	}
	for (unsigned i = 0; r == 0 && i < dit_view_count(view); i++) {
		r = dit_view_node(view, i, &node) == DIT_NODE_FITS
		            ? visit(work, node.child, height - 1, i == 0 ? key : node.key)
		            : DIT_E_CORRUPT;
	}
	if (r == 0) {
		r = drop_pages((void *)work->edit, number, 1);
	}
	free(page);
	return r;
}

static int run(struct work *work, const struct dit_tree_record *table)
{
	int r = 0;

	if (table->root != DIT_PAGE_NONE) {
		if (table->depth == 0 || table->depth > DEPTH_MAX) {
			return DIT_E_CORRUPT;
		}
		r = visit(work, table->root, table->depth, (struct dit_span){"", 0});
	}
	if (r == 0) {
		r = end_leaf(work, NULL);
	}
	return r < 0 ? r : put_new_keys(work, NULL);
}

int dit_table_edit(const struct dit_table_edit *edit,
                   const struct dit_table_change *changes, size_t nchanges,
                   struct dit_tree_record *table)
{
	unsigned page_bytes = edit->source->pages->page_bytes;
	struct work work = {.edit = edit, .changes = changes, .nchanges = nchanges};
	struct dit_tree_record result = *table;
	uint64_t nitems = table->nitems;
	int r = 0;

	if (nchanges == 0) {
		return 0;
	}
	work.leaf = malloc(page_bytes);
	work.page = malloc(page_bytes);
	work.key.data = malloc(page_bytes);
	r = work.leaf == NULL || work.page == NULL || work.key.data == NULL
	            ? -ENOMEM
	            : dit_table_writer_new(&work.writer, edit->space, edit->flags);
	if (r == 0) {
		r = run(&work, table);
	}
	if (r == 0) {
		r = dit_table_writer_finish(work.writer, &result);
	}
	if (r == 0) {
		result.nitems += nitems - work.nlost;
		*table = result;
	}
	dit_table_writer_free(work.writer);
	free(work.leaf);
	free(work.page);
	free((char *)work.key.data);
	free(work.old.list);
	free(work.new.list);
	return r;
}
