/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory for keys and passphrases: no core has it, and it is zero before it is given
 * back. It is not written to the swap space if the system lets the user keep so much
 * memory.
 *
 * Threads: any, at once.
 */
#ifndef DITKIT_SECRET_H
#define DITKIT_SECRET_H

#include <stddef.h>

/** @return @p len bytes, 1 at least, all zero; NULL: there is no memory */
void *dit_secret_new(size_t len);
/** A copy of a text. NULL: no memory */
char *dit_secret_text(const char *text);
/** @param len  as it was wanted. NULL is fine. */
void dit_secret_free(void *secret, size_t len);
void dit_secret_text_free(char *text);

#endif
