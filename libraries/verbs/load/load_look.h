/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Look what the databases of a load hold before it. The look is read-only; slapd may have
 * the databases open.
 *
 * Threads: main.
 */
#ifndef DITKIT_LOAD_LOOK_H
#define DITKIT_LOAD_LOOK_H

#include "load/loader.h"

/** Do the options ask for a look? An estimate has one in any case. */
bool dit_load_look_is_wanted(const struct dit_load_opts *opts);

/**
 * Look at all targets, before any output is opened. A database that cannot be read
 * counts as empty: a load tells the failure when it opens the database, a dry run says
 * that it could not look.
 *
 * @return 0; reported: -ENOMEM; DIT_E_UNSUPPORTED: an estimate, and a module of LMDB 1.0
 *         has changed the pages
 */
int dit_load_look(struct loader *loader);

/** With only_if_empty: a target holds entries, and a report says so. */
bool dit_load_look_is_unneeded(struct loader *loader);

/** An entry of the input, for dit_load_look_tell(). */
void dit_load_look_note(struct load_target *target, const struct dit_dn *dn);

/** Report in a line for each target the entries of the input that it holds already.
 * @return the number of lines */
unsigned dit_load_look_tell(struct loader *loader, enum dit_report_kind kind);

/** "DIR/data.mdb has 2 entries: "A", "B"", or DIR if it was not looked at; points
 * into the target. */
const char *dit_load_look_text(const struct load_target *target);

void dit_load_look_deinit(struct load_look *look);

#endif
