/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files of a database directory, opened so that another user who can write in the
 * directory cannot lead us to another file.
 *
 * Such a user can exchange each name in the directory at each moment: for a link, a FIFO,
 * another directory. Root does not work where there is one. For all others:
 *
 *   the directory     is opened once, part by part (system/path.h); all names are looked
 *                     up in that descriptor
 *   data.mdb,         are opened without following a link, and looked at through the
 *   lock.mdb          descriptor: only a regular file will do
 *   new files         are created exclusively
 *   ditkit-staging    belongs to us and no other user can write in it
 *   liblmdb           needs a path: it gets /proc/self/fd/N, which leads to the open file
 *                     whatever the names in the directory say
 *
 * Threads: no state; any thread.
 */
#ifndef DITKIT_FILES_H
#define DITKIT_FILES_H

#include <stdbool.h>
#include <sys/types.h>

#include "files/fault.h"

#define DIT_STAGING_NAME  "ditkit-staging"
#define DIT_PREPARED_NAME "ditkit-prepared" /* a finished one, that waits */
#define DIT_DATA_NAME     "data.mdb"
#define DIT_LOCK_NAME     "lock.mdb"
#define DIT_OLD_NAME      "old.mdb" /* a second name of what is replaced */

/*
 * All functions: @p fault may be NULL; it gets a text where the code says too little.
 */

/**
 * The directory of a data file.
 *
 * @param ret  "DIR" of "DIR/data.mdb", or "."; free()
 *
 * @return 1; 0: the file has another name; -ENOMEM
 */
int dit_data_directory(const char *path, char **ret);

/** Are both paths there, and lead to one directory? */
bool dit_directory_is_one(const char *a, const char *b);
/** Open a database directory as dit_path_open_to_work() does, to be read and locked. */
int dit_directory_open(const char *path, struct dit_fault *fault);

/**
 * Open a file that is there.
 *
 * @param flags  O_RDONLY or O_RDWR
 *
 * @return the descriptor, the caller's; -errno; -ENOENT: there is none; with a fault:
 *         -EACCES, -ELOOP: it is a link, -EINVAL: no regular file, or one that has a
 *         second name elsewhere and belongs to another user than the directory
 */
int dit_file_open(int dir_fd, const char *name, int flags, struct dit_fault *fault);

/**
 * Open a database to be read.
 *
 * @param path  its directory; its data file; a file of another name, which is no
 *              database, and may be a link
 *
 * @return as dit_directory_open() and dit_file_open(); -ENOMEM
 */
int dit_data_open_path(const char *path, struct dit_fault *fault);

/** Create a file, for reading and writing. @param mode  the umask applies. @return the
 * descriptor, the caller's; -EEXIST; other -errno */
int dit_file_make(int dir_fd, const char *name, mode_t mode);

/*
 * Directories in a database directory: DIT_STAGING_NAME, DIT_PREPARED_NAME.
 */

/** Open one. @return the descriptor, the caller's; -ENOENT; other -errno; -ENOTDIR with a
 * fault: it is no directory */
int dit_folder_open(int dir_fd, const char *name, struct dit_fault *fault);

/** Is it ours, and may no other user write in it? 0; -EPERM with a fault; other -errno */
int dit_folder_check(int fd, const char *name, struct dit_fault *fault);

/**
 * Can it be removed with all that is in it? Files alone can.
 *
 * @return 0; -EISDIR with a fault: a directory is in it; other -errno
 */
int dit_folder_check_files(int fd, const char *name, struct dit_fault *fault);

/**
 * Remove one with the files in it.
 *
 * @param fd  of it; closed in every case
 *
 * @return 0 or -errno
 */
int dit_folder_remove(int dir_fd, const char *name, int fd);

/** The same by its name, after a check. 0, also if there is none; -errno, with a fault */
int dit_folder_clear(int dir_fd, const char *name, struct dit_fault *fault);

/**
 * Remove what is left of an older one, and make DIR/ditkit-staging again: ours, empty,
 * closed to others.
 *
 * @return the descriptor, the caller's; -errno; with a fault if somebody else has put
 *         another thing there
 */
int dit_staging_make(int dir_fd, struct dit_fault *fault);

/**
 * Remove the directory that dit_staging_make() made, with the files in it, and close the
 * descriptor. -1 is fine.
 */
void dit_staging_remove(int dir_fd, int staging_fd);

/** Long enough for every path to a descriptor. */
#define DIT_FD_PATH_BYTES 32
/** The path that leads to an open file or directory. 0; -ENOSYS with a fault: no
 * /proc. */
int dit_fd_path(int fd, char ret[DIT_FD_PATH_BYTES], struct dit_fault *fault);

#endif
