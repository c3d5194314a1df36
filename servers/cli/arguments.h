/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers in options, reports as lines, words for a shell, limits of the process. */
#ifndef DITKIT_COMMON_ARGUMENTS_H
#define DITKIT_COMMON_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <ditkit/report.h>

/** A decimal number up to @p max, without sign, blanks or base prefix. 0 or -1 */
int common_read_number(const char *text, unsigned long long max, unsigned long long *ret);

/** A size in bytes, or with suffix K, M, G or T. 0 or -1 */
int common_read_size(const char *text, uint64_t *ret);

/**
 * Print a report as one line on standard error, with the program's name before errors and
 * warnings.
 *
 * @param is_silent  -d 0: diagnostic lines are left out
 */
void common_print_report(const char *program, bool is_silent,
                         const struct dit_report *report);

/** 'PROGRAM: TEXT' on standard error. @return @p r */
int common_say(const char *program, int r, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** 'PROGRAM: PATH: REASON' on standard error. @return -1 */
int common_fail_path(const char *program, const char *path, const char *reason);

/** Write out what was printed on standard output. 0; -1 after a message: something of it
 * is lost */
int common_flush_output(const char *program);

/** Raise the limit of open files to the hard limit: sorted runs are open files. */
void common_raise_file_limit(void);

/** A program, without its beginning. @return its exit status */
typedef int (*common_main_fn)(int argc, char *argv[]);

/**
 * The beginning of every program: raise a lower limit of the stack to 256 KiB, for all
 * threads, spare address space if there is a limit of it (RLIMIT_AS), then run. The frame
 * of `run` may be larger than the stack was.
 *
 * @return what `run` returns; `failed` after a message: the hard limit is lower
 */
int common_start(const char *program, int failed, common_main_fn run, int argc,
                 char *argv[]);

/* ---- words for a shell ---- */

/** Print a word for a shell, in quotes where it needs some. */
void shell_word(FILE *out, const char *text);

/* ---- lines ---- */

/** Print a text; '?' stands for each control character that a terminal obeys. */
void text_put(FILE *out, const char *text, size_t len);

/** Print what was given: likewise, and the beginning of a long text alone. */
void text_echo(FILE *out, const char *text);

/** Text in lines of a width. */
struct wrap {
	FILE *out;
	size_t width;
	size_t indent; /* of lines that are not the first */
	size_t column; /* where the next word goes */
};

void wrap_line(struct wrap *wrap);
/** A word, with a blank before it unless it begins its line. */
void wrap_word(struct wrap *wrap, const char *word, size_t len);
/** Words up to the end of a line; '\n' begins one. */
void wrap_text(struct wrap *wrap, const char *text);

#endif
