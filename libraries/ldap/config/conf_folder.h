/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Folders and files of a cn=config tree: names in slapd's order, one record to a file.
 *
 * Threads: no state.
 */
#ifndef DITKIT_CONF_FOLDER_H
#define DITKIT_CONF_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

#define DIT_CONF_ENDING ".ldif"

struct dit_conf_listing {
	char **names; /* owned; without ".ldif", in the order in which entries are read */
	size_t nnames;
	size_t names_size; /* for how many there is room */
};

/**
 * List a folder; one that is not there is an empty one.
 *
 * @return 0; -ENOMEM; -errno: it cannot be read. Then there is nothing to release.
 */
int dit_conf_listing_init(struct dit_conf_listing *listing, const char *dir);
void dit_conf_listing_deinit(struct dit_conf_listing *listing);

/**
 * Read the record of a file, which ends at the first empty line.
 *
 * @param ret              lives in the arena, with a NUL somewhere after it
 * @param ret_has_bad_sum  the file has a checksum, and its text has another
 *
 * @return 0; -ENOMEM; -errno: it cannot be read; DIT_E_INVALID: it is no regular file
 */
int dit_conf_read_record(const char *path, struct dit_arena *arena, struct dit_span *ret,
                         bool *ret_has_bad_sum);

#endif
