/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Directories opened part by part, so that nobody else than root and the own user decides
 * where a path leads.
 *
 * Root names /var/lib/ldap/site/db, and /var/lib/ldap belongs to openldap: openldap can
 * exchange "site" for a link at each moment. So a link is followed as long as only root
 * and the user of the process could have put it there, as /var/run. From the first part
 * on that somebody else can exchange, all parts must be directories.
 *
 *   the part lies in a directory       somebody else can exchange it
 *   of root, or of the own user        no
 *   likewise, in which all may write,  yes; with the sticky bit (/tmp)
 *   or for root a group                only what is not root's or own
 *   of another user                    yes
 *
 * A relative path begins at the working directory, whose own path does not count.
 *
 * Threads: no state; any thread.
 */
#ifndef DITKIT_PATH_H
#define DITKIT_PATH_H

#include <ditkit/error.h>

/** Room for the words that an error code lacks. */
#define DIT_PATH_WHY_BYTES 384

/**
 * @param ret_why  DIT_PATH_WHY_BYTES; may be NULL; "" where the code says all
 *
 * @return the directory's descriptor (O_PATH), the caller's; -errno; -ELOOP with words: a
 *         link, or ".." after such a part, is not followed
 */
DIT_PUBLIC int dit_path_open(const char *path, char *ret_why);

/**
 * The same, for a directory whose files are to be changed. Root works only in a directory
 * of root's where no other user can exchange names, in it or on the way.
 *
 * @return as dit_path_open(); -EPERM with words: root does not work there
 */
int dit_path_open_to_work(const char *path, char *ret_why);

/**
 * Open the directory that the last part of a path lies in.
 *
 * @param ret_name  points into @p path: the last part; "" if the path ends with a slash
 */
DIT_PUBLIC int dit_path_open_parent(const char *path, const char **ret_name,
                                    char *ret_why);

#endif
