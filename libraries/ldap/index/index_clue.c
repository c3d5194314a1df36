/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keys that an entry must have if a filter matches it.
 *
 * For a piece "abcdef" of a value the index has the key of each four bytes in a row, for
 * the piece may stand anywhere. If the value begins with the piece, it has the keys of
 * the first bytes of the piece as well; likewise at the end. Lengths are those of the
 * configuration (values.md 6.5).
 */
#include "index/index_keys.h"

#include <string.h>

#include "index/index_work.h"

/* The initial keys come first; there is one if the lengths contradict each other. */
static size_t add_end_keys(struct dit_index_work *work, const struct dit_index_def *def,
                           enum dit_index_clue clue, struct dit_span piece)
{
	uint64_t *keys = work->keys + work->nkeys;
	size_t n = dit_substr_end_keys(&work->set->params, &def->states, piece, keys);
	size_t ninitial = (n + 1) / 2;

	if (clue == DIT_CLUE_INITIAL) {
		return ninitial;
	}
	memmove(keys, keys + ninitial, (n - ninitial) * sizeof(*keys));
	return n - ninitial;
}

static int put_piece_keys(struct dit_index_work *work, const struct dit_index_def *def,
                          enum dit_index_clue clue, struct dit_span piece,
                          const struct dit_index_sink *sink)
{
	const struct dit_index_params *params = &work->set->params;
	int r = dit_index_work_reserve(work, dit_substr_keys_max(params, piece.len));

	if (r < 0) {
		return r;
	}
	work->nkeys = dit_substr_any_keys(params, &def->states, piece, work->keys);
	if (clue != DIT_CLUE_MIDDLE) {
		work->nkeys += add_end_keys(work, def, clue, piece);
	}
	return dit_index_put_hashes(work, def, 0, sink);
}

int dit_index_clue(struct dit_index_work *work, const struct dit_ad *ad,
                   enum dit_index_clue clue, struct dit_span piece,
                   dit_index_keys_fn keys, dit_index_wide_fn wide, void *ctx)
{
	const struct dit_index_sink sink = {keys, wide, ctx};
	unsigned kind = clue == DIT_CLUE_PRESENT ? DIT_INDEX_PRES : DIT_INDEX_SUB;
	struct dit_ad_defs defs = {0};
	int r = dit_index_work_defs(work, ad, &defs);

	for (uint16_t i = 0; i < defs.ndefs && r == 0; i++) {
		const struct dit_index_def *def = work->defs[defs.first + i];

		if ((def->kinds & kind) == 0) {
			continue;
		}
		work->nkeys = 0;
		r = clue == DIT_CLUE_PRESENT
		            ? dit_index_put_presence(work, def, &sink)
		            : put_piece_keys(work, def, clue, piece, &sink);
		r = r ?: dit_index_flush(work, def, &sink);
	}
	return r;
}
