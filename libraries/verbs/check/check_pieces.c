/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When there is no more room, the pieces are sorted, which takes away those that are not
 * kept. If more than half is left, the window is too wide.
 */
#include "check/check_pieces.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/ids.h"

#define ARENA_BYTES (64u << 10)

static void reset(struct dit_check_pieces *pieces)
{
	pieces->n = 0;
	pieces->text_bytes = 0;
	dit_arena_reset(&pieces->texts);
}

void dit_check_pieces_init(struct dit_check_pieces *pieces, uint64_t memory_bytes,
                           size_t same_max)
{
	/* qsort() takes as much again. */
	*pieces = (struct dit_check_pieces){
		.same_max = same_max, .bytes_max = memory_bytes / 2, .last = UINT64_MAX};
	dit_arena_init(&pieces->texts, ARENA_BYTES);
}

void dit_check_pieces_deinit(struct dit_check_pieces *pieces)
{
	free(pieces->list);
	dit_arena_deinit(&pieces->texts);
}

/* ---- order ---- */

size_t dit_check_pieces_same(const struct dit_check_pieces *pieces, size_t first)
{
	const struct dit_check_piece *list = pieces->list + first;
	size_t n = 1;

	while (n < pieces->n - first && list[n].hash == list->hash) {
		n++;
	}
	return n;
}

/* Pieces of one hash go to where others end. @return how many are kept */
static size_t keep(struct dit_check_piece *to, const struct dit_check_piece *from,
                   size_t n, size_t same_max)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (kept > 0 && to[kept - 1].rank == from[i].rank) {
			continue;
		}
		kept -= kept > same_max;
		to[kept++] = from[i];
	}
	return kept;
}

void dit_check_pieces_sort(struct dit_check_pieces *pieces)
{
	struct dit_check_piece *list = pieces->list;
	size_t kept = 0;
	size_t same = 0;

	dit_sort_items(list, pieces->n, sizeof(*list), dit_compare_id_pairs);
	for (size_t i = 0; i < pieces->n; i += same) {
		same = dit_check_pieces_same(pieces, i);
		kept += keep(&list[kept], &list[i], same, pieces->same_max);
	}
	pieces->n = kept;
}

/* ---- pieces come ---- */

static uint64_t bytes_of(const struct dit_check_pieces *pieces)
{
	return pieces->n * sizeof(*pieces->list) + pieces->text_bytes;
}

int dit_check_pieces_add(struct dit_check_pieces *pieces,
                         const struct dit_check_piece *piece)
{
	if (bytes_of(pieces) >= pieces->bytes_max) {
		dit_check_pieces_sort(pieces);
		if (bytes_of(pieces) > pieces->bytes_max / 2) {
			if (pieces->first < pieces->last) {
				return DIT_E_FULL;
			}
			pieces->bytes_max = 2 * bytes_of(pieces);
		}
	}
	return DIT_APPEND(pieces->list, pieces->size, pieces->n, *piece);
}

/* ---- windows ---- */

void dit_check_pieces_narrow(struct dit_check_pieces *pieces)
{
	pieces->last = pieces->first + (pieces->last - pieces->first) / 2;
	reset(pieces);
}

bool dit_check_pieces_next(struct dit_check_pieces *pieces)
{
	bool has_next = pieces->last < UINT64_MAX;

	pieces->first = pieces->last + 1;
	pieces->last = UINT64_MAX;
	reset(pieces);
	return has_next;
}
