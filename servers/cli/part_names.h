/* SPDX-License-Identifier: BSD-2-Clause */
/* A directory of parts, as ditsplit(8) writes it: part-R-of-N.ldif*, and digests. */
#ifndef DITKIT_PART_NAMES_H
#define DITKIT_PART_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#define PART_DIGEST_BYTES 33 /* 32 digits and NUL */

/** Is this the name of a part? */
bool part_is_name(const char *name);

/**
 * Put names of parts in order, and check that they are all parts of one split, each once.
 *
 * @return 0; -1 after a message on stderr
 */
int part_sort(const char *program, const char *directory, char **names, size_t n);

struct part_digests {
	char part[PART_DIGEST_BYTES];
	char map[PART_DIGEST_BYTES]; /* by which it was split; "": not told */
};

/**
 * Read the digests of a part.
 *
 * @return 0; -1 after a message on stderr
 */
int part_read_digests(const char *program, const char *directory, const char *name,
                      struct part_digests *ret);

/**
 * After a load of parts has failed: say on stderr how a part is made again.
 *
 * @param path  the part whose digest is another one; NULL: not known
 */
void part_tell_again(const char *program, const char *path);

#endif
