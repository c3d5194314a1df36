/* SPDX-License-Identifier: BSD-2-Clause */
#include "commit/free_list.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/grow.h"
#include "page/lmdb_format.h"
#include "page/long_value.h"

#define WORD sizeof(uint64_t)

/* ---- reading ---- */

struct reading {
	struct dit_free_list *list;
	const struct dit_page_source *source;
	struct dit_page_set *owned;
	struct dit_page_set *own;
};

static int add_record(struct dit_free_list *list, struct dit_free_record **ret)
{
	if (DIT_GROW(list->records, list->records_size, list->nrecords + 1) < 0) {
		return -ENOMEM;
	}
	*ret = &list->records[list->nrecords++];
	**ret = (struct dit_free_record){.run = DIT_PAGE_NONE};
	return 0;
}

static int take_pages(void *ctx, uint64_t first, uint64_t n)
{
	struct reading *reading = ctx;

	return first >= 2 && dit_page_set_add_run(reading->owned, first, n) &&
	                       dit_page_set_add_run(reading->own, first, n)
	               ? 0
	               : DIT_E_CORRUPT;
}

/* A count and pages, which begin the array then. */
static int parse(struct reading *reading, struct dit_free_record *record)
{
	uint64_t n = 0;

	if (record->len < WORD || record->len % WORD != 0) {
		return DIT_E_CORRUPT;
	}
	n = record->pages[0];
	if (n > record->len / WORD - 1) {
		return DIT_E_CORRUPT;
	}
	memmove(record->pages, record->pages + 1, n * WORD);
	record->npages = n;
	for (size_t i = 0; i < n; i++) {
		if (record->pages[i] < 2 ||
		    !dit_page_set_add(reading->owned, record->pages[i])) {
			return DIT_E_CORRUPT;
		}
	}
	return 0;
}

static int take_node(void *ctx, const struct dit_node_view *node)
{
	struct reading *reading = ctx;
	struct dit_free_record *record = NULL;
	uint64_t npages = 0;
	char *bytes = NULL;
	int r = 0;

	if (node->key.len != WORD || (node->flags & ~DIT_NODE_BIG) != 0) {
		return DIT_E_CORRUPT;
	}
	r = add_record(reading->list, &record);
	if (r < 0) {
		return r;
	}
	memcpy(&record->transaction, node->key.data, WORD);
	record->len = node->value_len;
	if ((node->flags & DIT_NODE_BIG) != 0) {
		r = dit_long_value_run(reading->source, node, &record->run, &npages);
		if (r < 0) {
			return r;
		}
		/* With more pages than it needs it is written again. */
		record->is_changed =
			npages > dit_overflow_pages(reading->source->format, record->len,
		                                    reading->source->page_bytes);
		memcpy(&record->big, node->value.data, node->value.len);
	}
	r = dit_node_value_read(reading->source, node, &bytes);
	record->pages = (void *)bytes;
	return r ?: parse(reading, record);
}

int dit_free_list_read(struct dit_free_list *list, const struct dit_page_source *source,
                       const struct dit_tree_record *tree, struct dit_page_set *owned,
                       struct dit_page_set *own)
{
	struct reading reading = {
		.list = list, .source = source, .owned = owned, .own = own};
	const struct dit_tree_visitor visitor = {
		.pages = take_pages, .node = take_node, .ctx = &reading};

	*list = (struct dit_free_list){.records = NULL};
	return dit_tree_visit(source, tree, &visitor);
}

void dit_free_list_deinit(struct dit_free_list *list)
{
	for (size_t i = 0; i < list->nrecords; i++) {
		free(list->records[i].pages);
	}
	free(list->records);
	*list = (struct dit_free_list){.records = NULL};
}

/* ---- changing ---- */

uint64_t dit_free_list_take(struct dit_free_list *list, const struct dit_page_set *pages)
{
	uint64_t ntaken = 0;

	for (size_t i = 0; i < list->nrecords; i++) {
		struct dit_free_record *record = &list->records[i];
		size_t n = 0;

		for (size_t k = 0; k < record->npages; k++) {
			if (!dit_page_set_has(pages, record->pages[k])) {
				record->pages[n++] = record->pages[k];
			}
		}
		ntaken += record->npages - n;
		record->is_changed |= n != record->npages;
		record->npages = n;
	}
	return ntaken;
}

/* ---- writing ---- */

static int write_record(struct dit_table_writer *writer,
                        const struct dit_page_format *format,
                        const struct dit_free_record *record)
{
	struct dit_span key = {(const char *)&record->transaction, WORD};
	uint64_t n = record->npages;
	uint64_t len = (n + 1) * WORD;
	char *space = NULL;
	int r = 0;

	if (dit_free_record_stays(record)) {
		struct dit_node_view node = {
			.flags = DIT_NODE_BIG,
			.key = key,
			.value = {(const char *)&record->big, format->big_node_bytes},
			.value_len = record->len};

		return dit_table_writer_copy(writer, &node);
	}
	r = dit_table_writer_reserve(writer, key, len, &space);
	if (r == 0) {
		memcpy(space, &n, WORD);
		memcpy(space + WORD, record->pages, n * WORD);
	}
	return r;
}

/* A count, and the pages in descending order; the rest of the room is zero. */
static void fill_record(char *space, size_t room, const struct dit_page_set *pages)
{
	uint64_t n = pages->count;

	memcpy(space, &n, WORD);
	for (uint64_t page = dit_page_set_next(pages, 0); page < pages->npages;
	     page = dit_page_set_next(pages, page + 1)) {
		memcpy(space + n-- * WORD, &page, WORD);
	}
	memset(space + (pages->count + 1) * WORD, 0, (room - pages->count) * WORD);
}

/*
 * The last record has pages that the tree itself may take: it is filled when all pages
 * of the tree have their numbers.
 */
int dit_free_list_write(const struct dit_free_list *list, struct dit_page_space *space,
                        const struct dit_free_gift *gift, struct dit_tree_record *ret)
{
	const struct dit_span key = {(const char *)&gift->transaction, WORD};
	size_t room = gift->pages->count + gift->rest->count;
	struct dit_table_writer *writer = NULL;
	char *last = NULL;
	int r = dit_table_writer_new(&writer, space, DIT_DB_INTEGERKEY);

	if (r == 0) {
		(void)dit_table_writer_hold(writer, WORD);
	}
	for (size_t i = 0; r == 0 && i < list->nrecords; i++) {
		if (list->records[i].npages > 0) {
			r = write_record(writer, space->format, &list->records[i]);
		}
	}
	if (r == 0 && room > 0) {
		r = dit_table_writer_reserve(writer, key, (room + 1) * WORD, &last);
	}
	r = r ?: dit_table_writer_finish(writer, ret);
	if (r == 0 && last != NULL) {
		(void)dit_page_set_add_all(gift->pages, gift->rest);
		fill_record(last, room, gift->pages);
	}
	r = r ?: dit_table_writer_release(writer, SIZE_MAX);
	dit_table_writer_free(writer);
	return r;
}
