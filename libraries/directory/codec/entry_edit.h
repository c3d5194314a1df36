/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stored entries with one attribute changed, byte by byte as they were otherwise.
 *
 * Threads: functions without state.
 */
#ifndef DITKIT_ENTRY_EDIT_H
#define DITKIT_ENTRY_EDIT_H

#include "base/arena.h"
#include "base/span.h"

/**
 * The record of an entry with other values for an attribute, without normal forms: in the
 * place of the first attribute of that number, or after all others.
 *
 * @param record  of id2e (storage.md 4.1), not empty
 * @param ret     in the arena
 *
 * @return 0; DIT_E_CORRUPT; DIT_E_UNSUPPORTED: the attribute's values are in id2v;
 *         DIT_E_TOOLONG; -ENOMEM
 */
int dit_entry_set_values(struct dit_span record, uint32_t ad_number,
                         const struct dit_span *values, uint32_t nvalues,
                         struct dit_arena *arena, struct dit_span *ret);

#endif
