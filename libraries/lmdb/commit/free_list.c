/* SPDX-License-Identifier: BSD-2-Clause */
#include "commit/free_list.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/grow.h"
#include "page/lmdb_format.h"
#include "page/long_value.h"
#include "page/meta_pages.h"

#define WORD sizeof(uint64_t)

/* ---- reading ---- */

/* A count and pages. */
static int check(const struct dit_free_record *record, size_t len,
                 struct dit_page_set *owned)
{
	if (len < WORD || len % WORD != 0 || record->words[0] > len / WORD - 1) {
		return DIT_E_CORRUPT;
	}
	for (size_t i = 1; i <= record->words[0]; i++) {
		if (record->words[i] < DIT_FIRST_PAGE ||
		    !dit_page_set_add(owned, record->words[i])) {
			return DIT_E_CORRUPT;
		}
	}
	return 0;
}

int dit_free_list_add(struct dit_free_list *list, const struct dit_page_source *source,
                      const struct dit_node_view *node, struct dit_page_set *owned)
{
	struct dit_free_record record = {.transaction = 0};
	char *bytes = NULL;
	int r = node->key.len != WORD || (node->flags & ~DIT_NODE_BIG) != 0
	                ? DIT_E_CORRUPT
	                : dit_node_value_read(source, node, &bytes);

	if (r < 0) {
		return r;
	}
	memcpy(&record.transaction, node->key.data, WORD);
	record.words = (void *)bytes;
	r = DIT_APPEND(list->records, list->records_size, list->nrecords, record);
	if (r < 0) {
		free(bytes);
		return r;
	}
	return check(&record, node->value_len, owned);
}

void dit_free_list_deinit(struct dit_free_list *list)
{
	for (size_t i = 0; i < list->nrecords; i++) {
		free(list->records[i].words);
	}
	free(list->records);
	*list = (struct dit_free_list){.records = NULL};
}

/* ---- changing ---- */

uint64_t dit_free_list_take(struct dit_free_list *list, const struct dit_page_set *pages)
{
	uint64_t ntaken = 0;

	for (size_t i = 0; i < list->nrecords; i++) {
		uint64_t *words = list->records[i].words;
		uint64_t n = 0;

		for (size_t k = 1; k <= words[0]; k++) {
			if (!dit_page_set_has(pages, words[k])) {
				words[++n] = words[k];
			}
		}
		ntaken += words[0] - n;
		words[0] = n;
	}
	return ntaken;
}

/* ---- writing ---- */

static int write_record(struct dit_table_writer *writer,
                        const struct dit_free_record *record)
{
	size_t len = (record->words[0] + 1) * WORD;
	char *space = NULL;
	int r = dit_table_writer_reserve(
		writer, (struct dit_span){(const char *)&record->transaction, WORD}, len,
		&space);

	if (r == 0) {
		memcpy(space, record->words, len);
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
                        struct dit_page_set *given, const struct dit_page_set *rest,
                        struct dit_tree_record *ret)
{
	const struct dit_span key = {(const char *)&space->transaction, WORD};
	size_t room = given->count + rest->count;
	struct dit_table_writer *writer = NULL;
	char *last = NULL;
	int r = dit_table_writer_new(&writer, space, DIT_DB_INTEGERKEY);

	if (r == 0) {
		(void)dit_table_writer_hold(writer, WORD);
	}
	for (size_t i = 0; r == 0 && i < list->nrecords; i++) {
		if (list->records[i].words[0] > 0) {
			r = write_record(writer, &list->records[i]);
		}
	}
	if (r == 0 && room > 0) {
		r = dit_table_writer_reserve(writer, key, (room + 1) * WORD, &last);
	}
	r = r ?: dit_table_writer_finish(writer, ret);
	if (r == 0 && last != NULL) {
		(void)dit_page_set_add_all(given, rest);
		fill_record(last, room, given);
	}
	r = r ?: dit_table_writer_release(writer, SIZE_MAX);
	dit_table_writer_free(writer);
	return r;
}
