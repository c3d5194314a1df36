/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes that are made piece by piece, so that they need not be in memory all at once.
 *
 * Threads: the maker's business.
 */
#ifndef DITKIT_PIECES_H
#define DITKIT_PIECES_H

#include <stddef.h>

/** A maker of bytes, from the first to the last. */
struct dit_pieces {
	/* Make the next @p len bytes. Whoever asks knows how many there are. */
	void (*next)(void *ctx, char *out, size_t len);
	void *ctx;
};

#endif
