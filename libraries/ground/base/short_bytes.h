/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Short texts: what memcmp() and memcpy() do, where the call takes longer than the work.
 * Eight bytes at a time, the last ones of which may be some of those before.
 */
#ifndef DITKIT_SHORT_BYTES_H
#define DITKIT_SHORT_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline bool dit_short_eq(const char *a, const char *b, size_t n)
{
	uint64_t x = 0;
	uint64_t y = 0;

	for (; n > sizeof(x); a += sizeof(x), b += sizeof(x), n -= sizeof(x)) {
		memcpy(&x, a, sizeof(x));
		memcpy(&y, b, sizeof(y));
		if (x != y) {
			return false;
		}
	}
	while (n > 0 && a[n - 1] == b[n - 1]) {
		n--;
	}
	return n == 0;
}

static inline void dit_short_copy(char *to, const char *from, size_t n)
{
	uint64_t eight[2];
	uint32_t four[2];

	if (n > sizeof(eight)) {
		memcpy(to, from, n);
	} else if (n >= sizeof(eight[0])) {
		memcpy(&eight[0], from, sizeof(eight[0]));
		memcpy(&eight[1], from + n - sizeof(eight[1]), sizeof(eight[1]));
		memcpy(to, &eight[0], sizeof(eight[0]));
		memcpy(to + n - sizeof(eight[1]), &eight[1], sizeof(eight[1]));
	} else if (n >= sizeof(four[0])) {
		memcpy(&four[0], from, sizeof(four[0]));
		memcpy(&four[1], from + n - sizeof(four[1]), sizeof(four[1]));
		memcpy(to, &four[0], sizeof(four[0]));
		memcpy(to + n - sizeof(four[1]), &four[1], sizeof(four[1]));
	} else {
		for (size_t i = 0; i < n; i++) {
			to[i] = from[i];
		}
	}
}

#endif
