/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records that are left out. Each function reports why, hands the record to the reject
 * callback, and returns 0 (go on, -c), DIT_E_REFUSED or a reported error.
 *
 * Threads: main.
 */
#ifndef DITKIT_LOAD_REFUSE_H
#define DITKIT_LOAD_REFUSE_H

#include "load/loader.h"

/** Its notes tell why: it cannot be read, or a check refuses it. */
int dit_load_refuse(struct loader *loader, const struct dit_ldif_record *record,
                    struct load_item *item);

/** There is an entry of that DN: of this load, or stored before it. */
int dit_load_fail_duplicate(struct load_target *target,
                            const struct dit_ldif_record *record,
                            const struct load_item *item, bool is_stored);

/** An RDN does not fit a record of dn2i. */
int dit_load_fail_name_size(struct loader *loader, const struct dit_ldif_record *record,
                            const struct load_item *item);

/** It is larger than maxentrysize. */
int dit_load_fail_entry_size(struct loader *loader, const struct dit_ldif_record *record,
                             const struct load_item *item);

/** Its database is of a type that takes no entries from tools. */
int dit_load_fail_foreign(struct loader *loader, const struct dit_ldif_record *record,
                          const struct load_item *item);

/** It has an attribute that the schema does not have. */
int dit_load_fail_unknown(struct loader *loader, const struct dit_ldif_record *record,
                          const struct load_item *item);

/** A value does not fit a record of id2v. */
int dit_load_fail_split_size(struct loader *loader, const struct dit_ldif_record *record,
                             const struct load_item *item);

void dit_load_refusals_deinit(struct load_refusals *refusals);

/** Report an item's notes. */
void dit_load_tell_notes(struct loader *loader, const struct load_item *item);

#endif
