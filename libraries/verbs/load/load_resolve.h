/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Main's work on one batch: what becomes of each record.
 *
 * Threads: main.
 */
#ifndef DITKIT_LOAD_RESOLVE_H
#define DITKIT_LOAD_RESOLVE_H

#include "load/loader.h"

int dit_load_resolve(struct loader *loader, struct load_slot *slot);

/** "Error, entries missing!" and the lines below it. */
void dit_load_report_missing(struct loader *loader);

#endif
