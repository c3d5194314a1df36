/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file with results, for --stats=FILE and --report=FILE: written beside its place, and
 * renamed when it is complete.
 *
 *   result_file_open()      before the work, as the user who started the program
 *   write to .file
 *   result_file_place()     or, to give up, result_file_drop()
 *
 * Nothing but a regular file or a link is replaced. A pipe or a device is written to
 * directly; so is what /dev and /proc lead to, such as standard output.
 *
 * A program that root started becomes another user (user.h) and may then not be allowed
 * to rename. So a process that stays root waits to rename this one file, or to remove it.
 *
 * Threads: belongs to one thread. Open it before other threads start: it may fork.
 */
#ifndef DITKIT_COMMON_RESULT_FILE_H
#define DITKIT_COMMON_RESULT_FILE_H

#include <stdio.h>
#include <sys/types.h>

/** Zero: none is open. */
struct result_file {
	const char *program; /* in messages */
	const char *path;    /* borrowed */
	FILE *file;
	char *beside; /* owned; NULL: the file is written in its place */
	pid_t keeper; /* 0: none */
	int keeper_fd;
};

/** 0; -1 after a message on standard error: the file cannot be written. */
int result_file_open(struct result_file *file, const char *program, const char *path);

/** Close the file and give it its name. 0; -1 after a message: the place is unchanged. */
int result_file_place(struct result_file *file);

/** Remove what was written. Of one that is not open, too. */
void result_file_drop(struct result_file *file);

#endif
