/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One LDIF record cut into its lines (RFC 2849, values.md 1.2 and 1.3).
 *
 * Values that need neither unfolding nor decoding point into the record's text; the
 * others into the arena. The text itself is never changed, so that a refused record can
 * be written to the reject file as it came.
 *
 * Threads: no state; the arena belongs to the caller.
 */
#ifndef DITKIT_LDIF_PARSE_H
#define DITKIT_LDIF_PARSE_H

#include "base/arena.h"
#include "base/notes.h"
#include "ldif/file_url.h"

enum dit_ldif_form {
	DIT_LDIF_PLAIN,
	DIT_LDIF_BASE64, /* "attr:: ..." */
	DIT_LDIF_URL,    /* "attr:< file:..."; the value is the file's content */
};

struct dit_ldif_line {
	struct dit_span name;  /* as typed; data NULL: no colon, value is the line */
	struct dit_span value; /* data NULL: "no value" (empty base64, failed URL) */
	enum dit_ldif_form form;
	const struct dit_note *last_note; /* of the record so far, this line included */
	bool is_damaged; /* no value, or base64 cut short: no DN is taken from it */
};

/** Differences between releases of slapd (values.md 1.2). Zero: 2.5. */
struct dit_ldif_dialect {
	bool trims_names;    /* blanks in front of the colon are not of the name, and
			      * the value of a line without a name is not read
			      * (2.6.12, 2.7) */
	bool keeps_controls; /* in front of a plain value spaces alone are left out: no
			      * TAB, no end of a folded line (2.6.11, 2.7) */
};

struct dit_ldif_lines {
	struct dit_ldif_line *lines; /* lives in the arena of the notes */
	size_t nlines;
	bool has_comments; /* and these are not among the lines */
};

/**
 * Cut one record: comments dropped, folds undone, base64 decoded (leniently, as slapd
 * does), file: URLs read, a leading line that starts with a digit dropped.
 *
 * @param dialect  of the release that reads it; NULL: 2.5
 * @param text     the record's physical lines, borrowed
 * @param files    which files URLs may name, and what ends the wait for one; NULL: any
 *                 regular file
 * @param notes    gets "ldif_parse_line: ..." and base64 diagnostics; the lines and their
 *                 values live in its arena
 *
 * @return 0; -ENOMEM; DIT_E_STOPPED. Malformed lines are not errors here: see struct
 *         dit_ldif_line.
 */
int dit_ldif_parse(const struct dit_ldif_dialect *dialect, struct dit_span text,
                   const struct dit_file_rules *files, struct dit_notes *notes,
                   struct dit_ldif_lines *ret);

/**
 * Where a line stands in its record: how many physical lines stand before the one that
 * the line begins with.
 *
 * @param index  of the line in what dit_ldif_parse() gives for the same text
 */
size_t dit_ldif_line_number(struct dit_span text, size_t index);

#endif
