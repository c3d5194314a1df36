/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Digests of files: XXH128, as xxh128sum prints it.
 *
 *   dit_digest_new();  dit_digest_add() ...;  dit_digest_text();  dit_digest_free()
 *
 * Threads: a digest belongs to one thread at a time.
 */
#ifndef DITKIT_DIGEST_H
#define DITKIT_DIGEST_H

#include <stddef.h>

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

#endif
