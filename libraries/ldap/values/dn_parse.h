/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The text of a DN, one attribute value assertion (AVA) at a time (RFC 4514 with slapd's
 * liberties, values.md 5.1).
 *
 *   struct dit_dn_scan scan = {text.data, text.data + text.len, arena};
 *   do { dit_dn_scan_ava(&scan, &raw); ... } while (raw.stop == ',' || raw.stop == '+');
 *
 * Knows nothing of schema. Threads: no state.
 */
#ifndef DITKIT_DN_PARSE_H
#define DITKIT_DN_PARSE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/span.h"

struct dit_dn_scan {
	const char *at;
	const char *end;
	struct dit_arena *arena; /* for values that have escapes */
};

struct dit_raw_ava {
	struct dit_span type;  /* without options; points into the text */
	struct dit_span value; /* without escapes; may be empty */
	bool is_copy;          /* the value is in the arena, not in the text */
	bool is_plain;         /* its output needs no escapes */
	bool is_ascii;
	char stop; /* what follows: '+' an AVA, ',' an RDN, NUL nothing, '?' rubbish */
};

/** Read one AVA and what separates it from the next. @return 0; DIT_E_INVALID; -ENOMEM */
int dit_dn_scan_ava(struct dit_dn_scan *scan, struct dit_raw_ava *ret);

/**
 * Where the first RDN ends, for texts simple enough to tell at a glance.
 *
 * @return offset of the ',' or ';' after it; 0: there is none, or look closer
 */
size_t dit_dn_first_stop(struct dit_span text);

/** Is the value, as it stands in a DN, its own normal form, and without escapes? For
 * texts simple enough to tell at a glance. */
bool dit_dn_is_kept(struct dit_span value);

/** Is the value written without escapes (values.md 5.4)? */
bool dit_dn_is_plain(struct dit_span value);

#define DIT_DN_ESCAPED_MAX 3 /* bytes for a byte */

/**
 * Write a value with escapes.
 *
 * @param is_hex  also escape bytes outside ASCII (names in certificates)
 *
 * @return after the last byte written
 */
char *dit_dn_escape(char *to, struct dit_span value, bool is_hex);

#endif
