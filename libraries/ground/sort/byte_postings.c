/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Byte keys go through the general sorter, one record for each posting, with an empty
 * value and the key
 *
 *   n  key bytes, 00 written as 00 FF
 *   2  00 00, so that a key sorts before those it is a prefix of
 *   8  ID, big-endian
 *
 * Equal records are the same pair inserted again: storage.md 5.4 wants to know that.
 */
#include "sort/byte_postings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/ids.h"
#include "base/object.h"
#include "sort/posting_list.h"
#include "sort/sort.h"

#define END_BYTES  2
#define ID_BYTES   8
#define RECORD_MAX (2 * DIT_BYTE_KEY_MAX + END_BYTES + ID_BYTES)

struct dit_byte_postings {
	struct dit_shared shared;  /* [const] */
	struct dit_sorter *sorter; /* producers push to it */
	uint64_t *npushed;         /* of each producer; [own: it] */

	/* [own: the thread that reads] */
	struct dit_list list;
	const struct dit_late_table *late; /* NULL: not finished */
	uint64_t nread;

	/* The record read ahead: the first of the next key. */
	bool has_record;
	char key[DIT_BYTE_KEY_MAX];
	size_t key_len;
	uint64_t id;

	char list_key[DIT_BYTE_KEY_MAX]; /* of the list that is collected */
};

int dit_byte_postings_new(struct dit_byte_postings **ret,
                          const struct dit_byte_postings_opts *opts)
{
	struct dit_sorter_opts sorter = {.size = sizeof(sorter),
	                                 .nproducers = opts->shared.nthreads,
	                                 .memory_bytes = opts->memory_bytes,
	                                 .tmpdir = opts->shared.tmpdir,
	                                 .cipher = opts->shared.cipher};
	struct dit_byte_postings *postings = NULL;
	int r = 0;

	if (opts->list_max == 0) {
		return -EINVAL;
	}
	postings = calloc(1, sizeof(*postings));
	if (postings == NULL) {
		return -ENOMEM;
	}
	postings->shared = opts->shared;
	dit_list_init(&postings->list, opts->list_max);
	r = dit_sorter_new(&postings->sorter, &sorter);
	if (r == 0) {
		postings->npushed = calloc(opts->shared.nthreads, sizeof(uint64_t));
		r = postings->npushed == NULL ? -ENOMEM : 0;
	}
	return DIT_HAND_OVER(r, ret, postings, dit_byte_postings_free);
}

void dit_byte_postings_free(struct dit_byte_postings *postings)
{
	if (postings == NULL) {
		return;
	}
	dit_sorter_free(postings->sorter);
	free(postings->npushed);
	dit_list_deinit(&postings->list);
	free(postings);
}

/* ---- producers ---- */

int dit_byte_postings_push(struct dit_byte_postings *postings, unsigned producer,
                           struct dit_span key, uint64_t id)
{
	char out[RECORD_MAX];
	size_t n = 0;

	if (key.len == 0 || key.len > DIT_BYTE_KEY_MAX) {
		return key.len == 0 ? -EINVAL : DIT_E_TOOLONG;
	}
	for (size_t i = 0; i < key.len; i++) {
		out[n++] = key.data[i];
		if (key.data[i] == '\0') {
			out[n++] = (char)0xff;
		}
	}
	out[n++] = '\0';
	out[n++] = '\0';
	dit_be_put(out + n, id, ID_BYTES);
	postings->npushed[producer]++;
	return dit_sorter_push(postings->sorter, producer,
	                       (struct dit_span){out, n + ID_BYTES}, DIT_SPAN(""));
}

/* ---- the reader ---- */

static int decode(struct dit_byte_postings *postings, struct dit_span record)
{
	const char *at = record.data;
	const char *end = record.data + record.len;

	postings->key_len = 0;
	for (;; at++) {
		if (end - at < END_BYTES + ID_BYTES) {
			return DIT_E_CORRUPT;
		}
		if (at[0] == '\0' && at[1] == '\0') {
			break;
		}
		if (postings->key_len == DIT_BYTE_KEY_MAX) {
			return DIT_E_CORRUPT;
		}
		postings->key[postings->key_len++] = at[0];
		at += at[0] == '\0' ? 1 : 0;
	}
	if (end - at != END_BYTES + ID_BYTES) {
		return DIT_E_CORRUPT;
	}
	postings->id = dit_be_get(at + END_BYTES, ID_BYTES);
	return 0;
}

static int read_ahead(struct dit_byte_postings *postings)
{
	struct dit_sort_record record = {0};
	int r = 0;

	if (dit_stop_is_set(postings->shared.stop)) {
		return DIT_E_STOPPED;
	}
	r = dit_sorter_next(postings->sorter, &record);
	postings->has_record = r > 0;
	return r > 0 ? decode(postings, record.key) : r;
}

int dit_byte_postings_finish(struct dit_byte_postings *postings,
                             const struct dit_late_table *late)
{
	int r = dit_sorter_seal(postings->sorter);

	if (r < 0) {
		return r;
	}
	postings->late = late;
	return read_ahead(postings);
}

/* All IDs of the key read ahead. */
static int collect(struct dit_byte_postings *postings, size_t key_len)
{
	int r = 0;

	dit_list_reset(&postings->list);
	do {
		postings->nread++;
		r = dit_list_add(&postings->list, postings->id);
		r = r ?: read_ahead(postings);
	} while (r == 0 && postings->has_record && postings->key_len == key_len &&
	         memcmp(postings->key, postings->list_key, key_len) == 0);
	return r;
}

int dit_byte_postings_next(struct dit_byte_postings *postings,
                           struct dit_posting_list *ret)
{
	struct dit_list *list = &postings->list;
	size_t key_len = postings->key_len;
	int r = 0;

	if (!postings->has_record) {
		return postings->late == NULL ? -EINVAL : 0;
	}
	memcpy(postings->list_key, postings->key, key_len);
	r = collect(postings, key_len);
	if (r < 0) {
		return r;
	}
	ret->key = (struct dit_span){postings->list_key, key_len};
	ret->nids = dit_list_finish(list, postings->late, &ret->ids);
	ret->is_repeated = dit_list_is_repeated(list, postings->late);
	return 1;
}

uint64_t dit_byte_postings_npushed(const struct dit_byte_postings *postings)
{
	uint64_t npushed = 0;

	for (unsigned i = 0; i < postings->shared.nthreads; i++) {
		npushed += postings->npushed[i];
	}
	return npushed;
}

uint64_t dit_byte_postings_nread(const struct dit_byte_postings *postings)
{
	return postings->nread;
}

uint64_t dit_byte_postings_run_bytes(const struct dit_byte_postings *postings)
{
	return dit_sorter_run_bytes(postings->sorter);
}
