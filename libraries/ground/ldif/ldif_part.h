/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parts of a plain LDIF file, for processes that read one part each.
 *
 * Part R of N has the chunks of lines whose first byte lies from size * R / N on, and
 * before size * (R + 1) / N. A chunk ends with a blank line, so no record has lines in
 * two parts, and each record is in one.
 *
 * Threads: no state.
 */
#ifndef DITKIT_LDIF_PART_H
#define DITKIT_LDIF_PART_H

#include <stdbool.h>
#include <stdint.h>

#include "base/stop.h"

struct dit_ldif_part {
	uint64_t begin; /* bytes of the file */
	uint64_t end;
	bool is_at_start; /* there are no lines before, but blank ones and comments */
};

/**
 * @param fd      read with pread()
 * @param number  from 0
 * @param n       at least 1
 * @param stop    ends the search; NULL: none
 *
 * @return 0; -errno; DIT_E_STOPPED
 */
int dit_ldif_part_find(int fd, uint64_t size, unsigned number, unsigned n,
                       const struct dit_stop *stop, struct dit_ldif_part *ret);

/** How many lines begin before byte @p end. 0; -errno; DIT_E_STOPPED */
int dit_ldif_part_count_lines(int fd, uint64_t end, const struct dit_stop *stop,
                              uint64_t *ret);

#endif
