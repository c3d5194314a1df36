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

static int last_record(struct dit_free_list *list, uint64_t transaction,
                       struct dit_free_record **ret)
{
	size_t n = list->nrecords;

	if (n > 0 && list->records[n - 1].transaction == transaction) {
		*ret = &list->records[n - 1];
		return 0;
	}
	return add_record(list, ret);
}

int dit_free_list_give(struct dit_free_list *list, uint64_t transaction,
                       const struct dit_page_set *pages, size_t room)
{
	uint64_t *numbers = malloc((pages->count + 1) * WORD);
	uint64_t page = dit_page_set_next(pages, 0);
	struct dit_free_record *record = NULL;
	int r = numbers == NULL ? -ENOMEM : last_record(list, transaction, &record);

	if (r < 0) {
		free(numbers);
		return r;
	}
	for (size_t i = pages->count; i > 0; i--) {
		numbers[i - 1] = page;
		page = dit_page_set_next(pages, page + 1);
	}
	free(record->pages);
	record->transaction = transaction;
	record->is_changed = true;
	record->pages = numbers;
	record->npages = pages->count;
	record->room = room;
	return 0;
}

/* ---- writing ---- */

static uint64_t bytes_of(const struct dit_free_record *record)
{
	size_t n = record->npages < record->room ? record->room : record->npages;

	return (n + 1) * WORD;
}

static int write_record(struct dit_table_writer *writer,
                        const struct dit_page_format *format,
                        const struct dit_free_record *record)
{
	struct dit_span key = {(const char *)&record->transaction, WORD};
	uint64_t n = record->npages;
	uint64_t len = bytes_of(record);
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
		memset(space + WORD + n * WORD, 0, len - WORD - n * WORD);
	}
	return r;
}

int dit_free_list_write(const struct dit_free_list *list, struct dit_page_space *space,
                        struct dit_tree_record *ret)
{
	struct dit_table_writer *writer = NULL;
	int r = dit_table_writer_new(&writer, space, DIT_DB_INTEGERKEY);

	for (size_t i = 0; r == 0 && i < list->nrecords; i++) {
		if (list->records[i].npages > 0) {
			r = write_record(writer, space->format, &list->records[i]);
		}
	}
	r = r ?: dit_table_writer_finish(writer, ret);
	dit_table_writer_free(writer);
	return r;
}
