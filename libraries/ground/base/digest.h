/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Digests of 128 bits, XXH3 as xxh128sum prints it: of bytes that come one after the
 * other, of bytes that lie in memory, and sums of digests, which do not depend on the
 * order.
 *
 *   dit_digest_new();  dit_digest_add() ...;  dit_digest_text();  dit_digest_free()
 *
 * They reveal mistakes. They do not protect against somebody who makes two contents with
 * one digest.
 *
 * Threads: a digest belongs to one thread at a time; sums are values.
 */
#ifndef DITKIT_DIGEST_H
#define DITKIT_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

/** 32 hexadecimal digits and NUL. */
#define DIT_DIGEST_TEXT_BYTES 33

struct dit_digest;

/** No bytes are in it so far. @return 0 or -ENOMEM */
int dit_digest_new(struct dit_digest **ret);
/** NULL is fine. */
void dit_digest_free(struct dit_digest *digest);

void dit_digest_add(struct dit_digest *digest, const void *bytes, size_t nbytes);

/** The digest of all bytes so far; more may follow. */
void dit_digest_text(const struct dit_digest *digest, char ret[DIT_DIGEST_TEXT_BYTES]);

/** Zero: the sum of none. */
struct dit_sum128 {
	uint64_t high;
	uint64_t low;
};

struct dit_sum128 dit_sum128_of(struct dit_span bytes, uint64_t seed);

/** A seed that depends on these bytes, for the next text: a digest of several texts is a
 * chain of such seeds, and a dit_sum128_of() of the last text. */
uint64_t dit_sum128_seed(struct dit_span bytes, uint64_t seed);

/** Modulo 2^128. */
void dit_sum128_add(struct dit_sum128 *sum, const struct dit_sum128 *more);

void dit_sum128_text(const struct dit_sum128 *sum, char ret[DIT_DIGEST_TEXT_BYTES]);

/* ---- of entries ---- */

/** Add the digest of each value: XXH3 of its bytes. @param seed  in digests that leave
 * the process, XXH3 (64 bits) of its attribute's name; in others mixed with a secret */
void dit_sum128_add_values(struct dit_sum128 *sum, const struct dit_span *values,
                           uint32_t nvalues, uint64_t seed);

/**
 * The digest of an entry: XXH3 of 32 bytes: XXH3 of the normal DN, then the sum of the
 * values, each as two words of 64 bits, the high one first, each word with its lowest
 * byte first. The order of attributes and values does not count.
 *
 * @param values  of dit_sum128_add_values() for all attributes
 */
struct dit_sum128 dit_sum128_of_entry(struct dit_span norm_dn,
                                      const struct dit_sum128 *values);

#endif
