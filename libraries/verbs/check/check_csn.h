/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * contextCSN checked: for no server is it older than an entryCSN (storage.md 6.3). A
 * server that it does not name is not looked at.
 *
 *   dit_check_csn_init() for each member;  dit_check_csn_note() for each entry;
 *   dit_check_csn_end();  dit_check_csn_deinit()
 *
 * Threads: each member has one of its own; the end is one thread's.
 */
#ifndef DITKIT_CHECK_CSN_H
#define DITKIT_CHECK_CSN_H

#include "check/check_findings.h"
#include "codec/entry_view.h"
#include "job/csn_list.h"
#include "schema/schema.h"

/** Zero is one that has noted nothing. */
struct dit_check_csn {
	const struct dit_ad *entry_csn;
	const struct dit_ad *context_csn;
	struct dit_csn_list entries; /* the newest of each server */
	struct dit_csn_list context; /* likewise; of the entry that has contextCSN */
	char *context_dn;            /* its name; NULL: there is none */
};

/** 0; -ENOMEM; DIT_E_UNKNOWN: the schema does not have them. */
int dit_check_csn_init(struct dit_check_csn *csn, struct dit_schema *schema);
void dit_check_csn_deinit(struct dit_check_csn *csn);

/** 0 or -ENOMEM. */
int dit_check_csn_note(struct dit_check_csn *csn, const struct dit_entry_view *entry);

/** Compare the notes of all members. 0 or -ENOMEM. */
int dit_check_csn_end(struct dit_check_csn *csns, unsigned n,
                      struct dit_check_findings *findings);

#endif
