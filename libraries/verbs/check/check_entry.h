/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One stored entry checked: its record, its attribute descriptions, its flags, normal
 * forms, the order of values, its name.
 *
 * Errors of the tree are found elsewhere (check_tree.h), as are values in id2v
 * that belong to no entry (check_split.h).
 *
 * Threads: belongs to one thread.
 */
#ifndef DITKIT_CHECK_ENTRY_H
#define DITKIT_CHECK_ENTRY_H

#include "check/check_findings.h"
#include "codec/entry_view.h"
#include "reader/ad_names.h"
#include "reader/snapshot.h"
#include "schema/schema.h"

struct dit_check_entry;

struct dit_check_entry_opts {
	struct dit_snapshot *snapshot;
	unsigned reader;
	const struct dit_schema *schema;
	const struct dit_ad_names *names;
	const uint64_t *sorted; /* as in struct dit_entry_context; NULL: none */
	struct dit_check_findings *findings;
};

/** @param opts  copied; what it points to is borrowed. 0; -ENOMEM; LMDB's codes */
int dit_check_entry_new(struct dit_check_entry **ret,
                        const struct dit_check_entry_opts *opts);
/** NULL is fine. */
void dit_check_entry_free(struct dit_check_entry *check);

/**
 * Check an entry or a hole.
 *
 * @return 0, with findings or without; -ENOMEM; LMDB's codes
 */
int dit_check_entry(struct dit_check_entry *check, const struct dit_entry_view *view);

#endif
