/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * id2v checked: each value belongs to an attribute of an entry that keeps its values
 * there; there are as many as the entry counts, in the order of the attribute's equality
 * rule (storage.md 4.6). Attributes without any value there are found with their entries
 * (check_entry.h), as are wrong normal forms.
 *
 * Threads: one, with a reader of the snapshot of its own.
 */
#ifndef DITKIT_CHECK_SPLIT_H
#define DITKIT_CHECK_SPLIT_H

#include "base/stop.h"
#include "check/check_findings.h"
#include "reader/ad_names.h"
#include "reader/snapshot.h"

struct dit_check_split_opts {
	struct dit_snapshot *snapshot; /* borrowed, like the others */
	unsigned reader;
	const struct dit_ad_names *names;
	const struct dit_stop *stop; /* may be NULL */
	struct dit_check_findings *findings;
	struct dit_check_findings *notes;
};

/** @return 0; DIT_E_STOPPED; -ENOMEM; LMDB's codes */
int dit_check_split(const struct dit_check_split_opts *opts);

#endif
