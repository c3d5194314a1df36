/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Base64 (RFC 4648 section 4), decoded as slapd does it (leniency: values.md 1.3).
 *
 * Threads: no state.
 */
#ifndef DITKIT_BASE64_H
#define DITKIT_BASE64_H

#include "base/span.h"

/** Most bytes that a text of @p len characters can give. */
#define DIT_BASE64_ROOM(len) ((len) / 4 * 3)

#define DIT_BASE64_COMPLETE (-1)

/**
 * Decode. Bytes after "=" padding are ignored.
 *
 * @param dst      DIT_BASE64_ROOM(text.len) bytes; may be where the text itself stands
 * @param ret_len  bytes decoded, also when a character stopped the decoding: only whole
 *                 groups of four characters count
 *
 * @return DIT_BASE64_COMPLETE, or the character (0..255) that stopped it; 0 when the
 *         text ended inside a group
 */
int dit_base64_decode(struct dit_span text, char *dst, size_t *ret_len);

/** Characters of so many bytes, fewer than SIZE_MAX / 4. */
#define DIT_BASE64_TEXT(len) (((len) + 2) / 3 * 4)

/**
 * Encode, with padding.
 *
 * @param dst  DIT_BASE64_TEXT(bytes.len) bytes
 *
 * @return how many
 */
size_t dit_base64_encode(struct dit_span bytes, char *dst);

#endif
