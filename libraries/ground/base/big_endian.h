/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers in keys of sorters, which compare bytes: the most significant one first. */
#ifndef DITKIT_BIG_ENDIAN_H
#define DITKIT_BIG_ENDIAN_H

#include <stdint.h>

/** The lowest @p nbytes bytes of a number, at any address. */
static inline void dit_be_put(char *out, uint64_t value, int nbytes)
{
	for (int i = nbytes - 1; i >= 0; i--) {
		out[i] = (char)value;
		value >>= 8;
	}
}

static inline uint64_t dit_be_get(const char *at, int nbytes)
{
	uint64_t value = 0;

	for (int i = 0; i < nbytes; i++) {
		value = value << 8 | (unsigned char)at[i];
	}
	return value;
}

#endif
