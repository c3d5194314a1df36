/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which entries an export writes: base and scope.
 *
 * Threads: one thread makes it; afterwards constant, any thread.
 */
#ifndef DITKIT_EXPORT_MATCH_H
#define DITKIT_EXPORT_MATCH_H

#include "base/arena.h"
#include "bulk/export.h"
#include "schema/schema.h"
#include "store/entry_view.h"

/** Zero matches nothing. */
struct dit_export_match {
	struct dit_arena arena;
	bool has_base;
	struct dit_span base; /* normal form */
	enum dit_export_scope scope;
};

/** @return 0; DIT_E_INVALID: the base is no DN; -ENOMEM */
int dit_export_match_init(struct dit_export_match *match, const struct dit_schema *schema,
                          const struct dit_export_opts *opts);
/** One that was never made is fine. */
void dit_export_match_deinit(struct dit_export_match *match);

bool dit_export_matches(const struct dit_export_match *match,
                        const struct dit_entry_view *entry);

#endif
