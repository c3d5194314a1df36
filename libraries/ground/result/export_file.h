/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where an export, or another result, goes: a file that appears when it is complete, or
 * what is there to be written to.
 *
 *   dit_export_file_open();  write() to fd ...;  dit_export_file_finish()
 *   and in every case  dit_export_file_close()
 *
 * A regular file is written under another name in the same directory, made for it alone
 * and opened through no link, and gets its own name when all of it is on the disk. A file
 * that has the name already keeps its mode, and its owner if we may give files away; in a
 * directory like /tmp it must not be another user's. A link of that name is replaced, not
 * followed, unless it leads to a directory. The directory is opened once, part by part
 * (path.h).
 *
 * A large file that is written by dit_export_file_write() goes past the page cache, in
 * pieces of 512 KiB, if the file system can do that. Pipes and devices get such pieces as
 * well, and a pipe is made large enough for two of them.
 *
 * Threads: belongs to one thread.
 */
#ifndef DITKIT_EXPORT_FILE_H
#define DITKIT_EXPORT_FILE_H

#include <stddef.h>
#include <stdint.h>

#include <ditkit/error.h>
#include <ditkit/keeper.h>
#include <ditkit/path.h>

struct dit_stop;         /* stop.h */
struct dit_export_piece; /* export_file.c */

/** The form of what is written. */
enum dit_export_compression {
	DIT_EXPORT_PLAIN,
	DIT_EXPORT_GZIP,
	DIT_EXPORT_ZSTD,
};

/** Zero is one that is not open. The caller reads fd, nbytes and why. */
struct dit_export_file {
	const struct dit_stop *stop; /* borrowed */
	const char *path;            /* borrowed; NULL: standard output */
	int dir_fd;                  /* owned; where both names are; -1: none is needed */
	const char *name;            /* the last part of the path */
	char *temporary;             /* owned; where it is written; NULL: in place */
	int fd;
	struct dit_keeper keeper;       /* of the name; none unless asked for */
	uint64_t nbytes;                /* that dit_export_file_write() has got */
	struct dit_export_piece *piece; /* owned; of these, not written; NULL: none */
	char why[DIT_PATH_WHY_BYTES];   /* where the code says too little; else "" */
};

/**
 * @param system_flags  for what /dev and /proc lead to: O_TRUNC or O_APPEND
 *
 * @return 0; -errno; -ENOMEM. To be closed in every case.
 */
DIT_PUBLIC int dit_export_file_open(struct dit_export_file *file, const char *path,
                                    int system_flags, const struct dit_stop *stop);

/**
 * As root, before the process becomes another user: let a process of root (keeper.h)
 * finish the file, or remove it. The user need not have the right to rename a file in the
 * directory. Without a temporary file nothing is to be done.
 *
 * @return 0 or -errno
 */
DIT_PUBLIC int dit_export_file_keep(struct dit_export_file *file);

/**
 * Write all bytes. Those of a large file, and some of what is written in place, wait for
 * later ones or for dit_export_file_finish().
 *
 * @return 0; -ENOMEM; -errno, also of bytes that came before; DIT_E_STOPPED: an interrupt
 *         came while the reader of a pipe was slow
 */
int dit_export_file_write(struct dit_export_file *file, const char *bytes, size_t len);

/** In place: write what waits, though the result is not complete; after an interrupt
 * nothing. Errors as above. */
int dit_export_file_flush(struct dit_export_file *file);

/** Write the rest, sync, give the file its name, and sync that. 0; -errno;
 * DIT_E_STOPPED as above */
DIT_PUBLIC int dit_export_file_finish(struct dit_export_file *file);

/** Close; remove a file that was not finished. Closing twice is fine. */
DIT_PUBLIC void dit_export_file_close(struct dit_export_file *file);

#endif
