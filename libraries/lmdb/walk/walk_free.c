/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The free list: under the number of a transaction the pages that it gave back, as
 *
 *   u64 count, u64 page ... in descending order
 *
 * The record may have room for more pages than it counts.
 */
#include <stdlib.h>

#include "walk/walk_private.h"

#define WORD sizeof(uint64_t)

/* One record, read from its beginning on. */
struct free_record {
	const struct walk_spot *at; /* its node */
	uint64_t transaction;
	uint64_t nwords; /* of the record, the count included */
	uint64_t count;
	uint64_t before; /* the page that was named last */
};

static void check_order(struct free_record *record, uint64_t page)
{
	if (page >= record->before) {
		dit_walk_report(
			record->at, DIT_WALK_FREE_ORDER,
			"transaction %lu gave back page %lu after page %lu in its list, whose numbers must descend",
			record->transaction, page, record->before);
	}
	record->before = page;
}

static void take_page(struct free_record *record, uint64_t page)
{
	struct walk *walk = record->at->walk;
	const struct walk_spot freed = walk_other_page(record->at, page);
	uint64_t by = record->transaction;

	if (page >= walk->npages && page - walk->npages < walk->nbehind) {
		atomic_fetch_add_explicit(&walk->nfreed_behind, 1, memory_order_relaxed);
		check_order(record, page);
		return;
	}
	if (page < 2 || page >= walk->npages) {
		dit_walk_report(
			record->at, DIT_WALK_FREE_RANGE,
			"transaction %lu gave back page %lu; pages of trees are 2 to %lu",
			by, page, walk->npages - 1);
		return;
	}
	check_order(record, page);
	if (!dit_page_set_add_shared(&walk->freed, page)) {
		dit_walk_report(
			record->at, DIT_WALK_FREE_TWICE,
			"transaction %lu gave back page %lu, which is free already", by,
			page);
		return;
	}
	atomic_fetch_add_explicit(&walk->nfreed, 1, memory_order_relaxed);
	if (dit_page_set_has_shared(&walk->used, page)) {
		dit_walk_report(&freed, DIT_WALK_PAGE_FREE,
		                "the page is in use, and the free list has it as well");
	}
}

/* Words of the record from @p first on; false: no more are wanted. */
static bool take_words(struct free_record *record, const char *bytes, uint64_t first,
                       uint64_t nwords)
{
	for (uint64_t i = 0; i < nwords; i++) {
		uint64_t word = 0;

		memcpy(&word, bytes + i * WORD, sizeof(word));
		if (first + i == 0) {
			record->count = word;
			if (word >= record->nwords) {
				return dit_walk_refuse(
					record->at, DIT_WALK_FREE_COUNT,
					"transaction %lu gave back %lu page%s; the record "
					"has room for %lu",
					record->transaction, word, word == 1 ? "" : "s",
					record->nwords - 1);
			}
		} else if (first + i > record->count) {
			return false;
		} else {
			take_page(record, word);
		}
	}
	return !dit_walk_is_over(record->at->walk);
}

/* A record in pages of its own, read from the file a page at a time. */
static void take_overflow(struct walk_member *member, struct free_record *record,
                          uint64_t first)
{
	struct walk *walk = member->walk;
	unsigned words_left_out = walk->format->header_bytes / WORD;
	struct walk_spot page = walk_other_page(record->at, first);
	uint64_t done = 0;
	struct dit_page_view view;

	for (; done < record->nwords; page.page++) {
		const char *bytes = NULL;
		uint64_t nwords = walk->page_bytes / WORD - words_left_out;

		if (!dit_walk_read(member, &page, WALK_RUN_MAX, &view)) {
			return;
		}
		bytes = view.bytes + words_left_out * WORD;
		if (nwords > record->nwords - done) {
			nwords = record->nwords - done;
		}
		if (!take_words(record, bytes, done, nwords)) {
			return;
		}
		done += nwords;
		words_left_out = 0;
	}
}

void dit_walk_free_record(struct walk_member *member, const struct walk_spot *at,
                          const struct dit_node_view *node)
{
	struct walk *walk = member->walk;
	struct free_record record = {
		.at = at,
		.nwords = node->value_len / WORD,
		.before = UINT64_MAX,
	};
	uint64_t first = 0;

	if (node->key.len == sizeof(record.transaction)) {
		memcpy(&record.transaction, node->key.data, sizeof(record.transaction));
	}
	if (node->key.len == sizeof(record.transaction) &&
	    record.transaction > walk->meta.transaction) {
		dit_walk_report(
			at, DIT_WALK_FREE_KEY,
			"the record belongs to transaction %lu; the last one is %lu",
			record.transaction, walk->meta.transaction);
	}
	if (node->value_len % WORD != 0 || record.nwords == 0) {
		(void)dit_walk_refuse(at, DIT_WALK_FREE_COUNT,
		                      "the record has %u bytes, not a count and pages",
		                      node->value_len);
		return;
	}
	if ((node->flags & DIT_NODE_BIG) == 0) {
		(void)take_words(&record, node->value.data, 0, record.nwords);
	} else if (dit_walk_overflow(member, at, node, &first)) {
		if (walk->format->crypto != NULL) {
			(void)take_words(&record,
			                 member->unit + walk->format->header_bytes, 0,
			                 record.nwords);
		} else {
			take_overflow(member, &record, first);
		}
	}
}
