/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes of postings one by one, given key by key as an output wants them. */
#ifndef DITKIT_POSTING_CHANGES_H
#define DITKIT_POSTING_CHANGES_H

#include <stdlib.h>

#include "page/key_order.h"
#include "test.h"
#include "tree/tree_merge.h"

/* An ID comes into the list of a key, or goes. */
struct posting_change {
	struct dit_span key;
	uint64_t id;
	bool is_added; /* else removed */
};

/* In order. Zero: none. */
struct posting_changes {
	const struct posting_change *list;
	size_t n;
	size_t at;
	uint64_t *ids; /* of the current key; free() */
};

static inline int posting_change_compare(const struct dit_key_order *keys,
                                         const struct posting_change *a,
                                         const struct posting_change *b)
{
	int order = dit_key_compare(keys, (struct dit_span){NULL, 0}, a->key, b->key);

	return order != 0 ? order : (a->id > b->id) - (a->id < b->id);
}

/* The next function of a struct dit_list_changes. */
static inline int posting_changes_next(void *ctx, struct dit_span *ret_key,
                                       struct dit_ids_change *ret)
{
	struct posting_changes *changes = ctx;
	const struct posting_change *list = changes->list + changes->at;
	size_t most = changes->n - changes->at;
	size_t n = 0;

	if (most == 0) {
		return 0;
	}
	*ret_key = list[0].key;
	*ret = (struct dit_ids_change){.nadded = 0};
	if (changes->ids == NULL) {
		changes->ids = calloc(2 * changes->n, sizeof(*changes->ids));
		assert_non_null(changes->ids);
	}
	for (; n < most && dit_span_eq(list[n].key, list[0].key); n++) {
		changes->ids[list[n].is_added ? ret->nadded++
		                              : changes->n + ret->nremoved++] =
			list[n].id;
	}
	ret->added = changes->ids;
	ret->removed = changes->ids + changes->n;
	changes->at += n;
	return 1;
}

#endif
