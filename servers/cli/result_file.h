/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file with results, for --stats=FILE and --report=FILE, that appears when it is
 * complete.
 *
 *   result_file_open()      before the work, as the user who started the program
 *   write to .file
 *   result_file_place()     or, to give up, result_file_drop()
 *
 * It is opened, and gets its name, as an export (export_file.h). A file
 * that /dev or /proc leads to, such as standard output, is appended to.
 *
 * Threads: belongs to one thread. Open it before other threads start: it may fork.
 */
#ifndef DITKIT_COMMON_RESULT_FILE_H
#define DITKIT_COMMON_RESULT_FILE_H

#include <stdio.h>

#include <ditkit/export_file.h>

/** Zero: none is open. */
struct result_file {
	const char *program; /* in messages */
	const char *path;    /* borrowed */
	FILE *file;
	struct dit_export_file out;
};

/** 0; -1 after a message on standard error: the file cannot be written. */
int result_file_open(struct result_file *file, const char *program, const char *path);

/** Close the file and give it its name. 0; -1 after a message: the place is unchanged. */
int result_file_place(struct result_file *file);

/** Remove what was written; also if it is not open. */
void result_file_drop(struct result_file *file);

#endif
