/* SPDX-License-Identifier: BSD-2-Clause */
/* Values and lists into nodes, nodes into leaves. */
#include "tree/table_writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/object.h"
#include "base/short_bytes.h"
#include "page/lmdb_format.h"
#include "page/page_nodes.h"
#include "tree/table_writer_impl.h"

#define ID_BYTES sizeof(uint64_t)

int dit_table_writer_new(struct dit_table_writer **ret, struct dit_page_space *space,
                         unsigned flags)
{
	bool has_records =
		(flags & DIT_DB_DUPSORT) != 0 && (flags & DIT_DB_DUPFIXED) == 0;
	struct dit_table_writer *writer = calloc(1, sizeof(*writer));
	int r = 0;

	if (writer == NULL) {
		return -ENOMEM;
	}
	writer->tree.sink = &writer->sink;
	writer->list.sink = &writer->values;
	writer->format = space->format;
	writer->page_bytes = space->page_bytes;
	writer->node_max = dit_node_max(space->format, space->page_bytes);
	writer->key_max = dit_key_max(space->format, space->page_bytes);
	dit_key_default_orders(flags, &writer->orders);
	writer->key = malloc(writer->key_max);
	writer->records = has_records ? malloc(space->page_bytes) : NULL;
	writer->sink.space = space;
	writer->sink.values = &writer->values;
	writer->values.space = space;
	r = writer->key == NULL || (has_records && writer->records == NULL) ? -ENOMEM : 0;
	return DIT_HAND_OVER(r, ret, writer, dit_table_writer_free);
}

void dit_table_writer_free(struct dit_table_writer *writer)
{
	if (writer != NULL) {
		dit_page_tree_deinit(&writer->tree);
		dit_page_tree_deinit(&writer->list);
		dit_page_sink_deinit(&writer->sink);
		dit_page_sink_deinit(&writer->values);
		free(writer->key);
		free(writer->records);
		free(writer);
	}
}

/* ---- order ---- */

/* Integer keys of different lengths have no order (storage.md 1.5). */
static bool has_order(const struct dit_table_writer *writer, struct dit_span key)
{
	return writer->orders.keys.kind != DIT_ORDER_NUMBERS ||
	       ((key.len == 4 || key.len == 8) &&
	        (writer->key_len == 0 || key.len == writer->key_len));
}

int dit_table_writer_check_key(const struct dit_table_writer *writer, struct dit_span key)
{
	const struct dit_span none = {NULL, 0};
	const struct dit_span last = {writer->key, writer->key_len};

	if (key.len == 0 || key.len > writer->key_max || !has_order(writer, key)) {
		return DIT_LMDB_BAD_VALSIZE;
	}
	return last.len != 0 &&
	                       dit_key_compare(&writer->orders.keys, none, last, key) >= 0
	               ? DIT_LMDB_KEYEXIST
	               : 0;
}

void dit_table_writer_remember_key(struct dit_table_writer *writer, struct dit_span key)
{
	dit_short_copy(writer->key, key.data, key.len);
	writer->key_len = key.len;
}

/* ---- leaves ---- */

/* The key of a node of a page. */
static struct dit_span key_at(const struct dit_page_format *format, const char *page,
                              unsigned number)
{
	const struct dit_node_header *node = dit_page_node(format, page, number);

	return (struct dit_span){(const char *)(node + 1), node->key_len};
}

unsigned dit_table_writer_leaf_nodes(const struct dit_table_writer *writer)
{
	const char *leaf = writer->sink.open;

	return leaf == NULL ? 0 : dit_page_count(writer->format, leaf);
}

int dit_table_writer_end_leaf(struct dit_table_writer *writer)
{
	const char *leaf = writer->sink.open;

	if (leaf == NULL) {
		return 0;
	}
	writer->nnew_leaves++;
	return dit_page_tree_add(&writer->tree, dit_page_sink_close(&writer->sink),
	                         key_at(writer->format, leaf, 0));
}

/* A node in the open leaf, or in the next one. */
static int add_node(struct dit_table_writer *writer, struct dit_span key,
                    size_t value_len, unsigned flags, char **ret_value)
{
	struct dit_page_sink *sink = &writer->sink;
	struct dit_node_header *node = NULL;
	int r = 0;

	if (sink->open != NULL &&
	    !dit_page_has_room(writer->format, sink->open, key.len, value_len)) {
		r = dit_table_writer_end_leaf(writer);
	}
	if (r == 0 && sink->open == NULL) {
		r = dit_page_sink_open(sink, DIT_PAGE_LEAF);
	}
	if (r < 0) {
		return r;
	}
	node = dit_page_add_node(writer->format, sink->open, key, value_len, ret_value);
	node->flags = (uint16_t)flags;
	return 0;
}

static int add_value(struct dit_table_writer *writer, struct dit_span key, unsigned flags,
                     const void *value, size_t len)
{
	char *space = NULL;
	int r = add_node(writer, key, len, flags, &space);

	if (r == 0) {
		memcpy(space, value, len);
	}
	return r;
}

/* ---- values ---- */

/* A value with pages of its own: its node in the leaf holds where they are. */
static void point_to_overflow(const struct dit_page_format *format, char *value,
                              size_t key_len, size_t len, struct dit_big_value big)
{
	char *key = value - dit_key_room(format, key_len);
	struct dit_node_header *node = (struct dit_node_header *)(void *)key - 1;

	node->low = (uint16_t)len;
	node->high = (uint16_t)(len >> 16);
	memcpy(value, &big, format->big_node_bytes);
}

/* The node of a long value. */
static int add_big_node(struct dit_table_writer *writer, struct dit_span key)
{
	char *value = NULL;

	return add_node(writer, key, writer->format->big_node_bytes, DIT_NODE_BIG,
	                &value);
}

/* Tell the last node where its value is. @param ticket  of the first page */
static void note_overflow(struct dit_table_writer *writer, size_t len, uint64_t ticket)
{
	const struct dit_page_format *format = writer->format;
	size_t npages = dit_overflow_pages(format, len, writer->page_bytes);
	char *leaf = writer->sink.open;
	struct dit_node_header *node =
		dit_page_node(format, leaf, dit_page_count(format, leaf) - 1);

	point_to_overflow(
		format, dit_node_value(format, node), node->key_len, len,
		(struct dit_big_value){.first_page = ticket,
	                               .transaction = writer->sink.space->transaction,
	                               .npages = npages});
	writer->noverflow_pages += npages;
}

static int reserve_overflow(struct dit_table_writer *writer, struct dit_span key,
                            size_t len, char **ret_space)
{
	const struct dit_page_format *format = writer->format;
	size_t npages = dit_overflow_pages(format, len, writer->page_bytes);
	size_t used = format->header_bytes + len;
	uint64_t ticket = 0;
	struct dit_page_words words = dit_overflow_words(npages);
	char *pages = NULL;
	/* The node first: it may fill a chunk of leaves, and then the pages would be
	 * written before they are filled. */
	int r = add_big_node(writer, key);

	r = r ?: dit_page_sink_add(&writer->values, npages, &pages, &ticket);
	if (r < 0) {
		return r;
	}
	note_overflow(writer, len, ticket);
	dit_page_set_words(format, pages, &words);
	memset(pages + used, 0, npages * writer->page_bytes - used);
	*ret_space = pages + format->header_bytes;
	return 0;
}

int dit_table_writer_reserve(struct dit_table_writer *writer, struct dit_span key,
                             size_t len, char **ret_space)
{
	size_t inside = dit_node_bytes(writer->format, key.len, len);
	int r = len > UINT32_MAX ? DIT_LMDB_BAD_VALSIZE
	                         : dit_table_writer_check_key(writer, key);

	if (r < 0) {
		return r;
	}
	r = inside > writer->node_max ? reserve_overflow(writer, key, len, ret_space)
	                              : add_node(writer, key, len, 0, ret_space);
	dit_table_writer_remember_key(writer, key);
	writer->nitems++;
	return r;
}

size_t dit_table_writer_hold(struct dit_table_writer *writer, size_t key_len)
{
	writer->sink.holds = true;
	writer->values.holds = true;
	return writer->node_max - dit_node_bytes(writer->format, key_len, 0);
}

size_t dit_table_writer_mark(const struct dit_table_writer *writer)
{
	return writer->sink.nnumbered;
}

int dit_table_writer_release(struct dit_table_writer *writer, size_t mark)
{
	int r = dit_page_sink_release(&writer->values, UINT64_MAX);

	return r ?: dit_page_sink_release(&writer->sink, mark);
}

int dit_table_writer_put_pieces(struct dit_table_writer *writer, struct dit_span key,
                                size_t len, const struct dit_pieces *value)
{
	size_t npages = dit_overflow_pages(writer->format, len, writer->page_bytes);
	uint64_t ticket = 0;
	char *space = NULL;
	int r = 0;

	if (npages <= writer->sink.space->chunk_pages || len > UINT32_MAX ||
	    writer->format->crypto != NULL) {
		r = dit_table_writer_reserve(writer, key, len, &space);
		if (r == 0) {
			value->next(value->ctx, space, len);
		}
		return r;
	}
	r = dit_table_writer_check_key(writer, key);
	r = r ?: add_big_node(writer, key);
	if (r < 0) {
		return r;
	}
	r = dit_page_sink_write_overflow(&writer->values, len, value, &ticket);
	if (r == 0) {
		note_overflow(writer, len, ticket);
	}
	dit_table_writer_remember_key(writer, key);
	writer->nitems++;
	return r;
}

/* ---- lists of IDs ---- */

/* A packed page's header. It has no slots, but its bounds count as if it had.
 *
 * @param end  of the page's own bytes */
static void begin_packed(const struct dit_page_format *format, char *page, size_t end,
                         size_t nids, unsigned flags)
{
	struct dit_page_words words = {
		.item_bytes = ID_BYTES,
		.flags = (uint16_t)(DIT_PAGE_LEAF | DIT_PAGE_LEAF2 | flags),
		.lower = (uint16_t)(dit_lower_min(format) + 2 * nids),
		.upper = (uint16_t)(end - format->bounds_from - (ID_BYTES - 2) * nids),
	};

	dit_page_set_words(format, page, &words);
}

static int put_inside(struct dit_table_writer *writer, struct dit_span key,
                      const uint64_t *ids, size_t nids)
{
	const struct dit_page_format *format = writer->format;
	size_t len = format->header_bytes + nids * ID_BYTES;
	char *value = NULL;
	int r = add_node(writer, key, len, DIT_NODE_LIST, &value);

	if (r == 0) {
		begin_packed(format, value, len, nids, DIT_PAGE_SUB | format->sub_flags);
		memcpy(value + format->header_bytes, ids, nids * ID_BYTES);
	}
	return r;
}

static int put_packed_page(struct dit_table_writer *writer, const uint64_t *ids,
                           size_t nids)
{
	const struct dit_page_format *format = writer->format;
	size_t used = format->header_bytes + nids * ID_BYTES;
	uint64_t ticket = 0;
	char *page = NULL;
	int r = dit_page_sink_add(&writer->values, 1, &page, &ticket);

	if (r < 0) {
		return r;
	}
	begin_packed(format, page, dit_page_end(format, writer->page_bytes), nids, 0);
	memcpy(page + format->header_bytes, ids, nids * ID_BYTES);
	memset(page + used, 0, writer->page_bytes - used);
	return dit_page_tree_add(&writer->list, ticket,
	                         (struct dit_span){(const char *)ids, ID_BYTES});
}

/* All pages of a list are in its tree: its node. */
static int finish_list_tree(struct dit_table_writer *writer, struct dit_span key,
                            struct dit_tree_record record)
{
	int r = dit_page_tree_finish(&writer->list, &record);

	writer->nlist_branches += record.nbranch_pages;
	writer->nlist_leaves += record.nleaf_pages;
	r = r
	            ?: add_value(writer, key, DIT_NODE_LIST | DIT_NODE_TREE, &record,
	                         sizeof(record));
	dit_page_tree_reset(&writer->list);
	return r;
}

int dit_table_writer_put_ids(struct dit_table_writer *writer, const uint64_t *ids,
                             size_t nids)
{
	size_t end = dit_page_end(writer->format, writer->page_bytes);
	size_t room = (end - writer->format->header_bytes) / ID_BYTES;
	int r = 0;

	for (size_t at = 0; at < nids && r == 0; at += room) {
		r = put_packed_page(writer, ids + at,
		                    nids - at < room ? nids - at : room);
	}
	return r;
}

int dit_table_writer_end_ids(struct dit_table_writer *writer, struct dit_span key,
                             uint64_t nids)
{
	struct dit_tree_record record = {.item_bytes = ID_BYTES,
	                                 .flags = DIT_DB_DUPFIXED | DIT_DB_INTEGERKEY,
	                                 .nitems = nids};
	int r = dit_table_writer_check_key(writer, key);

	if (r < 0 || nids == 0) {
		dit_page_tree_reset(&writer->list);
		return r;
	}
	r = finish_list_tree(writer, key, record);
	dit_table_writer_remember_key(writer, key);
	writer->nitems += nids;
	return r;
}

int dit_table_writer_put(struct dit_table_writer *writer, struct dit_span key,
                         const uint64_t *ids, size_t nids)
{
	size_t inside = dit_node_bytes(writer->format, key.len,
	                               writer->format->header_bytes + nids * ID_BYTES);
	int r = dit_table_writer_check_key(writer, key);

	if (r == 0 && !dit_numbers_ascend(ids, nids)) {
		r = DIT_LMDB_KEYEXIST;
	}
	if (r < 0 || nids == 0) {
		return r;
	}
	if (nids == 1) {
		r = add_value(writer, key, 0, ids, ID_BYTES);
	} else if (nids < writer->page_bytes && inside <= writer->node_max) {
		r = put_inside(writer, key, ids, nids);
	} else {
		r = dit_table_writer_put_ids(writer, ids, nids);
		return r < 0 ? r : dit_table_writer_end_ids(writer, key, nids);
	}
	dit_table_writer_remember_key(writer, key);
	writer->nitems += nids;
	return r;
}

/* ---- lists of records ---- */

/* A record in the open page of them. */
static struct dit_span record_at(const struct dit_table_writer *writer, unsigned number)
{
	return key_at(writer->format, writer->records, number);
}

/* Move the open page of records to the list's tree. */
static int finish_records_page(struct dit_table_writer *writer)
{
	uint64_t ticket = 0;
	int r = dit_page_sink_put(&writer->values, writer->records, &ticket);

	r = r ?: dit_page_tree_add(&writer->list, ticket, record_at(writer, 0));
	dit_page_begin(writer->format, writer->records, writer->page_bytes,
	               DIT_PAGE_LEAF);
	return r;
}

/* The open page of records, cut to what it holds, as the value of a node. */
static int put_records_inside(struct dit_table_writer *writer, struct dit_span key,
                              size_t len)
{
	const struct dit_page_format *format = writer->format;
	const char *page = writer->records;
	struct dit_page_words words = *dit_page_words(format, page);
	size_t slots_end = format->bounds_from + words.lower;
	size_t nodes_begin = format->bounds_from + words.upper;
	size_t end = dit_page_end(format, writer->page_bytes);
	size_t gap = end - len;
	char *value = NULL;
	int r = add_node(writer, key, len, DIT_NODE_LIST, &value);

	if (r < 0) {
		return r;
	}
	for (size_t i = format->header_bytes; i < slots_end; i += sizeof(uint16_t)) {
		uint16_t at = 0;

		memcpy(&at, page + i, sizeof(at));
		at = (uint16_t)(at - gap);
		memcpy(value + i, &at, sizeof(at));
	}
	memcpy(value + slots_end, page + nodes_begin, end - nodes_begin);
	words.flags = (uint16_t)(DIT_PAGE_LEAF | DIT_PAGE_SUB | format->sub_flags);
	words.upper = (uint16_t)(words.upper - gap);
	dit_page_set_words(format, value, &words);
	return 0;
}

int dit_table_writer_end_records_page(struct dit_table_writer *writer)
{
	return writer->records != NULL &&
	                       dit_page_count(writer->format, writer->records) > 0
	               ? finish_records_page(writer)
	               : 0;
}

static int finish_records_tree(struct dit_table_writer *writer, uint64_t nrecords)
{
	const struct dit_tree_record tree = {.nitems = nrecords};
	int r = dit_table_writer_end_records_page(writer);

	writer->nrecords = 0;
	return r < 0 ? r
	             : finish_list_tree(writer,
	                                (struct dit_span){writer->key, writer->key_len},
	                                tree);
}

/* The list of the last key is complete. */
static int finish_records(struct dit_table_writer *writer)
{
	const struct dit_page_format *format = writer->format;
	struct dit_span key = {writer->key, writer->key_len};
	size_t len = dit_page_end(format, writer->page_bytes) -
	             dit_page_room(format, writer->records);
	struct dit_span record = {NULL, 0};
	int r = 0;

	if (writer->nrecords == 0) {
		return 0; /* all that were stored have gone */
	}
	if (writer->list.nlevels > 0 ||
	    (writer->nrecords > 1 &&
	     dit_node_bytes(format, key.len, len) > writer->node_max)) {
		return finish_records_tree(writer, writer->nrecords);
	}
	if (writer->nrecords == 1) {
		record = record_at(writer, 0);
		r = add_value(writer, key, 0, record.data, record.len);
	} else {
		r = put_records_inside(writer, key, len);
	}
	writer->nrecords = 0;
	return r;
}

int dit_table_writer_begin_records(struct dit_table_writer *writer, struct dit_span key)
{
	int r = dit_table_writer_check_key(writer, key);

	if (r < 0) {
		return r;
	}
	dit_table_writer_remember_key(writer, key);
	dit_page_begin(writer->format, writer->records, writer->page_bytes,
	               DIT_PAGE_LEAF);
	return 0;
}

/* Is the record above the last one of the open page, and is there room for it? */
static int continue_records(struct dit_table_writer *writer, struct dit_span record)
{
	const struct dit_span key = {writer->key, writer->key_len};
	unsigned n = dit_page_count(writer->format, writer->records);

	if (n == 0) {
		return 0;
	}
	if (dit_key_compare(&writer->orders.items, key, record_at(writer, n - 1),
	                    record) >= 0) {
		return DIT_LMDB_KEYEXIST;
	}
	return dit_page_has_room(writer->format, writer->records, record.len, 0)
	               ? 0
	               : finish_records_page(writer);
}

int dit_table_writer_add_record(struct dit_table_writer *writer, struct dit_span record)
{
	char *none = NULL;
	int r = record.len == 0 || record.len > writer->key_max
	                ? DIT_LMDB_BAD_VALSIZE
	                : continue_records(writer, record);

	if (r < 0) {
		return r;
	}
	(void)dit_page_add_node(writer->format, writer->records, record, 0, &none);
	writer->nrecords++;
	writer->nitems++;
	return 0;
}

int dit_table_writer_end_records(struct dit_table_writer *writer, uint64_t nrecords)
{
	if (nrecords == 0) {
		return finish_records(writer);
	}
	writer->nitems += nrecords - writer->nrecords;
	return finish_records_tree(writer, nrecords);
}

/* ---- nodes that are there already ---- */

/* Numbers of pages in a copied value become tickets of pages that lie in the file. */
static int number_value(struct dit_table_writer *writer, const struct dit_node_view *node,
                        char *value)
{
	unsigned big_bytes = writer->format->big_node_bytes;
	struct dit_big_value big = {.npages = 0};
	struct dit_tree_record tree;

	if ((node->flags & DIT_NODE_BIG) != 0) {
		if (node->value.len != big_bytes) {
			return DIT_E_CORRUPT;
		}
		memcpy(&big, value, big_bytes);
		big.first_page |= DIT_TICKET_IS_PAGE;
		point_to_overflow(writer->format, value, node->key.len, node->value_len,
		                  big);
		writer->noverflow_pages += dit_overflow_pages(
			writer->format, node->value_len, writer->page_bytes);
	} else if ((node->flags & DIT_NODE_TREE) != 0) {
		if (node->value.len != sizeof(tree)) {
			return DIT_E_CORRUPT;
		}
		memcpy(&tree, value, sizeof(tree));
		if (tree.root != DIT_PAGE_NONE) {
			tree.root |= DIT_TICKET_IS_PAGE;
		}
		if (!writer->format->counts_list_pages) {
			writer->ncopied_pages += tree.nbranch_pages + tree.nleaf_pages;
		}
		memcpy(value, &tree, sizeof(tree));
	}
	return 0;
}

int dit_table_writer_copy(struct dit_table_writer *writer,
                          const struct dit_node_view *node)
{
	char *value = NULL;
	int r = dit_table_writer_check_key(writer, node->key);

	if (r == 0 && (node->flags & DIT_NODE_LIST) != 0 &&
	    node->value.len < writer->format->header_bytes) {
		r = DIT_E_CORRUPT;
	}
	if (r == 0) {
		r = add_node(writer, node->key, node->value.len, node->flags, &value);
	}
	if (r != 0) {
		return r;
	}
	memcpy(value, node->value.data, node->value.len);
	r = number_value(writer, node, value);
	if (r < 0) {
		return r;
	}
	dit_table_writer_remember_key(writer, node->key);
	writer->nitems += dit_node_items(node, writer->format);
	return 0;
}

int dit_table_writer_finish(struct dit_table_writer *writer, struct dit_tree_record *ret)
{
	int r = dit_table_writer_end_leaf(writer);

	r = r ?: dit_page_tree_finish(&writer->tree, ret);
	r = r ?: dit_page_sink_flush(&writer->sink);
	if (r == 0) {
		ret->nitems = writer->nitems;
		ret->noverflow_pages = writer->noverflow_pages;
		writer->npages = ret->nbranch_pages + ret->nleaf_pages +
		                 writer->noverflow_pages + writer->nlist_branches +
		                 writer->nlist_leaves + writer->ncopied_pages;
		if (writer->format->counts_list_pages) {
			ret->nbranch_pages += writer->nlist_branches;
			ret->nleaf_pages += writer->nlist_leaves;
		}
		if (ret->root != DIT_PAGE_NONE) {
			ret->root = dit_page_sink_number(&writer->sink, ret->root);
		}
	}
	return r;
}
