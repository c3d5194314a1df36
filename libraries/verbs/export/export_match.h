/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which entries an export writes: base, scope and filter.
 *
 * Threads: one thread makes it; afterwards constant, any thread.
 */
#ifndef DITKIT_EXPORT_MATCH_H
#define DITKIT_EXPORT_MATCH_H

#include "base/arena.h"
#include "codec/entry_view.h"
#include "export/export.h"
#include "schema/schema.h"
#include "values/filter.h"

/** Zero matches nothing. */
struct dit_export_match {
	struct dit_arena arena; /* of all that follows; to be deinitialised */
	bool has_base;
	struct dit_span base; /* normal form */
	enum dit_export_scope scope;
	const struct dit_schema *schema;
	struct dit_filter *filter; /* NULL: none */
};

/** @return 0; DIT_E_INVALID: the base is no DN; DIT_E_SYNTAX: the filter is none;
 * -ENOMEM. Remarks about the filter are reported. */
int dit_export_match_init(struct dit_export_match *match, const struct dit_schema *schema,
                          const struct dit_export_opts *opts);
/** Without a base of its own the scope begins at the suffix. @param suffix  borrowed */
void dit_export_match_below(struct dit_export_match *match, struct dit_span suffix);

/** @param arena  for values that are compared. @return 1; 0; -ENOMEM */
int dit_export_matches(const struct dit_export_match *match,
                       const struct dit_entry_view *entry, struct dit_arena *arena);

#endif
