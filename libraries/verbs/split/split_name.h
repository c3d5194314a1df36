/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The DN of a record, as written, without a look at its other lines if the first one has
 * it.
 *
 * Threads: no state.
 */
#ifndef DITKIT_SPLIT_NAME_H
#define DITKIT_SPLIT_NAME_H

#include "base/arena.h"
#include "ldif/ldif_parse.h"

/**
 * @param dialect  of the release that will load the record
 * @param record   its lines; at least one byte
 * @param files    for "dn:< file:..." in the first line; elsewhere no file is read
 * @param arena    for what is folded or encoded; the caller resets it
 * @param ret      points into the record or the arena
 *
 * @return 1; 0: no line has a DN that can be read; -ENOMEM; DIT_E_STOPPED
 */
int dit_split_name_find(const struct dit_ldif_dialect *dialect, struct dit_span record,
                        const struct dit_file_rules *files, struct dit_arena *arena,
                        struct dit_span *ret);

#endif
