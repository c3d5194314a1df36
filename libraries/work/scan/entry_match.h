/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which entries are wanted: base, scope and filter.
 *
 * Threads: one thread makes it; afterwards constant, any thread.
 */
#ifndef DITKIT_ENTRY_MATCH_H
#define DITKIT_ENTRY_MATCH_H

#include "base/arena.h"
#include "codec/entry_view.h"
#include "scan/scan.h"
#include "schema/schema.h"
#include "values/filter.h"

/** Borrowed during the call. */
struct dit_entry_match_opts {
	const char *base; /* a DN; NULL: none */
	enum dit_scope scope;
	const char *filter; /* NULL: none */
	dit_report_fn report;
	void *report_ctx;
};

/** Zero matches nothing. */
struct dit_entry_match {
	struct dit_arena arena; /* of all that follows; to be deinitialised */
	bool has_base;
	struct dit_span base; /* normal form */
	enum dit_scope scope;
	const struct dit_schema *schema;
	struct dit_filter *filter; /* NULL: none */
};

/** @return 0; DIT_E_INVALID: the base is no DN; DIT_E_SYNTAX: the filter is none;
 * -ENOMEM. Remarks about the filter are reported. */
int dit_entry_match_init(struct dit_entry_match *match, const struct dit_schema *schema,
                         const struct dit_entry_match_opts *opts);
/** Without a base of its own the scope begins at the suffix. @param suffix  borrowed */
void dit_entry_match_below(struct dit_entry_match *match, struct dit_span suffix);

/** @param arena  for values that are compared. @return 1; 0; -ENOMEM */
int dit_entry_matches(const struct dit_entry_match *match,
                      const struct dit_entry_view *entry, struct dit_arena *arena);

#endif
