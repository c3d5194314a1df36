/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * UTF-8: decoding, checking, and the preparation of strings for comparison
 * (caseIgnoreMatch, caseExactMatch; values.md 4.1).
 *
 * This is slapd's UTF-8, not Unicode's: up to six bytes, surrogates allowed, the tables
 * of Unicode 3.2. Bytes stored by one must be found by the other.
 *
 * Threads: no state.
 */
#ifndef DITKIT_UTF8_PREP_H
#define DITKIT_UTF8_PREP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/span.h"

#define DIT_UTF8_MAX       6 /* bytes of a code point */
#define DIT_UTF8_ASCII_MAX 8 /* ASCII characters in a decomposition; the tables have 5 */

/**
 * Decode the code point at the start of @p text, which is not empty.
 *
 * @return its length in bytes; 0: not UTF-8
 */
size_t dit_utf8_decode(struct dit_span text, uint32_t *ret);

/** Write a code point below 0x80000000. @return its length, at most DIT_UTF8_MAX */
size_t dit_utf8_encode(uint32_t c, char *to);

/**
 * The ASCII characters in the full decomposition of a code point, such as "e" of an e
 * with an accent.
 *
 * @param to  DIT_UTF8_ASCII_MAX bytes
 *
 * @return their number
 */
size_t dit_utf8_ascii(uint32_t c, char *to);

/**
 * The same for each character of a text.
 *
 * @param ret  in the arena
 *
 * @return 0; DIT_E_INVALID: not UTF-8; -ENOMEM
 */
int dit_utf8_to_ascii(struct dit_span text, struct dit_arena *arena,
                      struct dit_span *ret);

/** Does the text decode from end to end? Empty text does. */
bool dit_utf8_is_valid(struct dit_span text);

/**
 * Case folding if @p fold, compatibility composition, spaces squeezed.
 *
 * @param ret  in the arena; never NULL data
 *
 * @return 0; DIT_E_INVALID: not UTF-8; -ENOMEM
 */
int dit_utf8_prep(struct dit_span text, bool fold, struct dit_arena *arena,
                  struct dit_span *ret);

/*
 * Character properties, for utf8_prep.c. The tables are made from unicode-tables.tsv by
 * gen_unicode.awk at build time. Look-up is in two stages: the block of 64 code points,
 * then the code point in it. Equal blocks and equal property records are kept once.
 */

struct dit_unicode {
	uint32_t lower;     /* one to one lower case; 0: none */
	uint16_t decomp_at; /* full decomposition in dit_unicode_decomp[] */
	uint16_t
		compose_at; /* pairs with this second code point, dit_unicode_compose[] */
	uint8_t ndecomp;    /* 0: does not decompose */
	uint8_t ncompose;
	uint8_t ccc; /* canonical combining class */
};

/** A pair that composes. Sorted by second, then by first code point. */
struct dit_unicode_pair {
	uint32_t first;
	uint32_t composite;
};

#define DIT_UNICODE_BLOCK 64

extern const uint32_t dit_unicode_nblocks; /* code points after the last have none */
extern const uint8_t dit_unicode_block[];
extern const uint16_t dit_unicode_index[];
extern const struct dit_unicode dit_unicode_record[]; /* the first is all zero */
extern const uint32_t dit_unicode_decomp[];
extern const struct dit_unicode_pair dit_unicode_compose[];

static inline const struct dit_unicode *dit_unicode_find(uint32_t c)
{
	uint32_t block = c / DIT_UNICODE_BLOCK;

	if (block >= dit_unicode_nblocks) {
		return &dit_unicode_record[0];
	}
	block = dit_unicode_block[block];
	return &dit_unicode_record[dit_unicode_index[block * DIT_UNICODE_BLOCK +
	                                             c % DIT_UNICODE_BLOCK]];
}

#endif
