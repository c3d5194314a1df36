/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One sentence of our own about a refused record: what is wrong, what to do, and the line
 * of the record that it is about. slapadd's messages stay as they are; this comes after
 * them.
 *
 * Threads: no state; the record, its notes and the arena belong to the caller.
 */
#ifndef DITKIT_EXPLAIN_H
#define DITKIT_EXPLAIN_H

#include "entry/entry.h"
#include "entry/why.h"

struct dit_explanation {
	size_t line;      /* physical lines of the record before the one that is meant */
	const char *text; /* lives in the arena */
};

/**
 * @param record  the text of the record, as dit_entry_read() got it
 *
 * @return 0; -ENOMEM
 */
int dit_explain(const struct dit_entry_context *context, const struct dit_why *why,
                struct dit_span record, struct dit_arena *arena,
                struct dit_explanation *ret);

#endif
