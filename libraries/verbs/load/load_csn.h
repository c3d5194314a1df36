/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * contextCSN in a load with -w; without, all of these do nothing.
 *
 * Threads: main.
 */
#ifndef DITKIT_LOAD_CSN_H
#define DITKIT_LOAD_CSN_H

#include "load/loader.h"

int dit_load_csn_start(struct loader *loader);

/** An entry is about to be stored. Reports a bad value. 0 or -ENOMEM */
int dit_load_csn_note(struct loader *loader, const struct load_item *item);

/** All entries are stored, their keys made, nothing else yet. Reports. */
int dit_load_csn_write(struct load_target *target);

/** The rest of it, when the database takes changes. Reports. */
int dit_load_csn_rewrite(struct load_target *target);

#endif
