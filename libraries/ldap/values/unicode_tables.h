/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Character properties for the preparation of UTF-8 strings (values.md 4.1).
 *
 * The tables are made from unicode-tables.tsv by gen_unicode.awk at build time. Look-up
 * is in two stages: the block of 64 code points, then the code point in it. Equal blocks
 * and equal property records are kept once.
 *
 * Threads: constants.
 */
#ifndef DITKIT_UNICODE_TABLES_H
#define DITKIT_UNICODE_TABLES_H

#include <stdint.h>

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
