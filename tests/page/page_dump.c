/* SPDX-License-Identifier: BSD-2-Clause */
#include "page_dump.h"

#include <stdlib.h>
#include <string.h>

#include "page/page_seal.h"

#define DEPTH_MAX 40

struct visit {
	const struct page_dump *dump;
	page_dump_fn record;
	page_dump_page_fn page;
	void *ctx;
	unsigned depth;
};

/* ---- the file ---- */

static const char *read_all(struct page_dump *dump, FILE *in)
{
	size_t size = 0;
	size_t n = 0;

	do {
		size = size == 0 ? 1 << 20 : size * 2;
		dump->bytes = realloc(dump->bytes, size);
		if (dump->bytes == NULL) {
			return "no memory";
		}
		n = fread(dump->bytes + dump->len, 1, size - dump->len, in);
		dump->len += n;
	} while (dump->len == size);
	return ferror(in) ? "the file cannot be read" : NULL;
}

static bool read_meta(const struct page_dump *dump, const struct dit_page_format *format,
                      size_t at, struct dit_meta *ret)
{
	if (at + format->header_bytes + sizeof(*ret) > dump->len) {
		return false;
	}
	memcpy(ret, dump->bytes + at + format->header_bytes, sizeof(*ret));
	return ret->magic == DIT_META_MAGIC && ret->version == format->version;
}

const char *page_dump_read(struct page_dump *dump, FILE *in)
{
	const char *error = NULL;
	struct dit_meta first;
	struct dit_meta second;

	memset(dump, 0, sizeof(*dump));
	error = read_all(dump, in);
	if (error != NULL) {
		return error;
	}
	dump->format =
		read_meta(dump, &dit_lmdb_09, 0, &first) ? &dit_lmdb_09 : &dit_lmdb_10;
	if (!read_meta(dump, dump->format, 0, &first)) {
		return "no meta page";
	}
	dump->page_bytes = first.free_tree.item_bytes;
	if (!read_meta(dump, dump->format, dump->page_bytes, &second)) {
		return "no second meta page";
	}
	dump->meta = second.transaction > first.transaction ? second : first;
	return NULL;
}

void page_dump_unseal(struct page_dump *dump, const struct dit_page_format *sealed)
{
	dump->format = sealed;
	dump->is_open = calloc(dump->len / dump->page_bytes + 1, 1);
}

void page_dump_free(struct page_dump *dump)
{
	free(dump->bytes);
	free(dump->is_open);
}

/* Pages that are one unit. */
static void open_unit(const struct page_dump *dump, uint64_t first, uint64_t npages)
{
	char *unit = dump->bytes + first * dump->page_bytes;
	size_t len = npages * dump->page_bytes;

	if (dump->is_open == NULL || dump->is_open[first] != 0) {
		return;
	}
	dump->is_open[first] = 1;
	if (dit_page_unseal(dump->format, unit, len) < 0 ||
	    !dit_page_sum_is_right(dump->format, unit, len)) {
		memset(unit, 0, len);
	}
}

/* ---- pages ---- */

struct dit_page_view page_dump_view(const struct page_dump *dump, uint64_t page)
{
	open_unit(dump, page, 1);
	return (struct dit_page_view){
		.bytes = dump->bytes + page * dump->page_bytes,
		.len = dit_page_end(dump->format, dump->page_bytes),
		.format = dump->format,
	};
}

static const char *visit_tree(struct visit *visit, struct dit_span list_key,
                              const struct dit_tree_record *tree);

static const char *visit_inner(struct visit *visit, struct dit_span key,
                               struct dit_page_view view, unsigned item_bytes)
{
	struct dit_node_view node;

	if (view.len < view.format->header_bytes || !dit_view_has_bounds(view)) {
		return "a page with wrong bounds";
	}
	for (unsigned i = 0; i < dit_view_count(view); i++) {
		if ((dit_view_flags(view) & DIT_PAGE_LEAF2) != 0) {
			visit->record(visit->ctx, key,
			              dit_view_item(view, i, item_bytes));
		} else if (dit_view_node(view, i, &node) != DIT_NODE_FITS) {
			return "a node outside of its page";
		} else {
			visit->record(visit->ctx, key, node.key);
		}
	}
	return NULL;
}

static const char *visit_node(struct visit *visit, const struct dit_node_view *node)
{
	const struct page_dump *dump = visit->dump;
	struct dit_page_view inner = {.bytes = node->value.data,
	                              .len = (unsigned)node->value.len,
	                              .format = dump->format};
	struct dit_big_value big = {.npages = 1};
	struct dit_tree_record tree;
	uint64_t first = 0;

	if ((node->flags & DIT_NODE_BIG) != 0) {
		memcpy(&big, node->value.data, node->value.len);
		first = big.first_page;
		open_unit(dump, first, big.npages);
		visit->record(visit->ctx, node->key,
		              (struct dit_span){dump->bytes + first * dump->page_bytes +
		                                        dump->format->header_bytes,
		                                node->value_len});
		return NULL;
	}
	if (node->flags == (DIT_NODE_LIST | DIT_NODE_TREE)) {
		memcpy(&tree, node->value.data, sizeof(tree));
		return visit_tree(visit, node->key, &tree);
	}
	if (node->flags == DIT_NODE_LIST) {
		return visit_inner(visit, node->key, inner, dit_view_item_bytes(inner));
	}
	visit->record(visit->ctx, node->key, node->value);
	return NULL;
}

static const char *visit_page(struct visit *visit, struct dit_span list_key,
                              uint64_t number, unsigned item_bytes)
{
	struct dit_page_view view;
	bool is_branch = false;
	struct dit_node_view node;
	const char *error = NULL;

	if ((number + 1) * visit->dump->page_bytes > visit->dump->len) {
		return "a page that is none";
	}
	view = page_dump_view(visit->dump, number);
	if (dit_view_number(view) != number || !dit_view_has_bounds(view)) {
		return "a page that is none";
	}
	is_branch = (dit_view_flags(view) & DIT_PAGE_BRANCH) != 0;
	visit->page(visit->ctx, view);
	if (!is_branch && list_key.data != NULL) {
		return visit_inner(visit, list_key, view, item_bytes);
	}
	for (unsigned i = 0; i < dit_view_count(view) && error == NULL; i++) {
		if (dit_view_node(view, i, &node) != DIT_NODE_FITS) {
			return "a node outside of its page";
		}
		error = is_branch ? visit_page(visit, list_key, node.child, item_bytes)
		                  : visit_node(visit, &node);
	}
	return error;
}

static const char *visit_tree(struct visit *visit, struct dit_span list_key,
                              const struct dit_tree_record *tree)
{
	const char *error = NULL;

	if (++visit->depth > DEPTH_MAX) {
		return "trees without end";
	}
	if (tree->root != DIT_PAGE_NONE) {
		error = visit_page(visit, list_key, tree->root, tree->item_bytes);
	}
	visit->depth--;
	return error;
}

static void no_record(void *ctx, struct dit_span key, struct dit_span value)
{
	(void)ctx, (void)key, (void)value;
}

static void no_page(void *ctx, struct dit_page_view view)
{
	(void)ctx, (void)view;
}

const char *page_dump_tree(const struct page_dump *dump,
                           const struct dit_tree_record *tree, page_dump_fn fn, void *ctx)
{
	struct visit visit = {.dump = dump, .record = fn, .page = no_page, .ctx = ctx};

	return visit_tree(&visit, (struct dit_span){NULL, 0}, tree);
}

const char *page_dump_pages(const struct page_dump *dump,
                            const struct dit_tree_record *tree, page_dump_page_fn fn,
                            void *ctx)
{
	struct visit visit = {.dump = dump, .record = no_record, .page = fn, .ctx = ctx};

	return visit_tree(&visit, (struct dit_span){NULL, 0}, tree);
}
