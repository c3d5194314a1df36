/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Digests of 128 bits (XXH3), and sums of them, which do not depend on the order. They
 * find out mistakes. They are no protection against somebody who wants two contents with
 * one digest.
 *
 * Threads: values; any thread.
 */
#ifndef DITKIT_SUM128_H
#define DITKIT_SUM128_H

#include <stdint.h>

#include "base/span.h"

/** Zero: the sum of none. */
struct dit_sum128 {
	uint64_t high;
	uint64_t low;
};

/** In hexadecimal digits, as xxh128sum prints it, with the NUL. */
#define DIT_SUM128_TEXT 33

struct dit_sum128 dit_sum128_of(struct dit_span bytes, uint64_t seed);

/** The seed for what follows these bytes: a digest of several texts, one after the other,
 * is a chain of these and a dit_sum128_of(). */
uint64_t dit_sum128_seed(struct dit_span bytes, uint64_t seed);

/** Modulo 2^128. */
void dit_sum128_add(struct dit_sum128 *sum, const struct dit_sum128 *more);

void dit_sum128_text(const struct dit_sum128 *digest, char ret[DIT_SUM128_TEXT]);

#endif
