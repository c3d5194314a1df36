/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The way over the lines of a record, 64 bytes at a time: nobody looks at them before
 * ldif_parse.h, if at all.
 *
 * Threads: no state.
 */
#ifndef DITKIT_LDIF_SKIP_H
#define DITKIT_LDIF_SKIP_H

#include <stdint.h>

#include "base/span.h"

/**
 * Skip whole lines that are not blank.
 *
 * @param text        begins with a line
 * @param ret_nlines  how many were skipped
 *
 * @return where the first line begins that is blank, or that has no LF; text.len: there
 *         is none
 */
size_t dit_ldif_skip_lines(struct dit_span text, uint64_t *ret_nlines);

#endif
