/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines of LDIF as slapcat writes them (RFC 2849).
 *
 *   dit_ldif_text_init();  dit_ldif_write_value() or _values() ...;
 *   dit_ldif_write_raw();  use data and len;  set len to 0;  ...;
 *   dit_ldif_text_deinit()
 *
 *   cn: Barbara                         printable ASCII, no blank at either end
 *   cn:: QsOkcmJlbA==                   anything else: base64
 *   description: a value that is lo     folded: every line has "wrap" columns at most,
 *    nger than the line                 but a name and its colons are never folded
 *   creatorsName:                       an empty value
 *
 * Threads: a text belongs to one thread at a time.
 */
#ifndef DITKIT_LDIF_WRITE_H
#define DITKIT_LDIF_WRITE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"

#define DIT_LDIF_WRAP_DEFAULT 78 /* slapcat's */
#define DIT_LDIF_WRAP_NONE    0  /* lines are not folded */
#define DIT_LDIF_WRAP_MIN     2  /* a blank and one column; 1 counts as 2 */
#define DIT_LDIF_LABEL_BYTES  32

struct dit_ldif_text {
	char *data; /* owned; a block of base/slab.h */
	size_t len;
	size_t size;
	unsigned wrap;
};

/** How the lines of an attribute begin. */
struct dit_ldif_label {
	struct dit_span name; /* borrowed */
	bool is_base64;       /* always, as dit_ldif_write_value() has it */
	/* The name with ": ". */
	char bytes[DIT_LDIF_LABEL_BYTES];
	size_t len; /* 0: it is longer, or not needed */
};

/** Allocates nothing yet. */
static inline void dit_ldif_text_init(struct dit_ldif_text *text, unsigned wrap)
{
	*text = (struct dit_ldif_text){.wrap = wrap == 1 ? DIT_LDIF_WRAP_MIN : wrap};
}

void dit_ldif_text_deinit(struct dit_ldif_text *text);

/** May this value stand in a line as it is? */
bool dit_ldif_is_plain(struct dit_span value);

/**
 * "NAME: VALUE" or "NAME:: BASE64", folded.
 *
 * @param name       at most a few KiB
 * @param is_base64  even where the value could stand as it is; an empty one cannot tell
 *
 * @return 0; -ENOMEM, and the text is as it was
 */
int dit_ldif_write_value(struct dit_ldif_text *text, struct dit_span name,
                         struct dit_span value, bool is_base64);

/** @param name  outlives the label; at most a few KiB */
void dit_ldif_label_make(struct dit_ldif_label *label, struct dit_span name,
                         bool is_base64);

/**
 * The lines that dit_ldif_write_value() writes of each value.
 *
 * @return 0; -ENOMEM: the text ends with one of the values
 */
int dit_ldif_write_values(struct dit_ldif_text *text, const struct dit_ldif_label *label,
                          const struct dit_span *values, size_t n);

/**
 * Room for so many bytes after the text, for a caller that writes them itself and adds
 * them to len.
 *
 * @return 0; -ENOMEM, and the text is as it was
 */
int dit_ldif_reserve(struct dit_ldif_text *text, size_t nbytes);

/** Bytes as they are: comments, the empty line after a record. 0 or -ENOMEM */
int dit_ldif_write_raw(struct dit_ldif_text *text, struct dit_span bytes);

#endif
