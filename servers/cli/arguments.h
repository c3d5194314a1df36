/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers in options, reports as lines, figures for people, words for a shell. */
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
void common_print_report(bool is_silent, const struct dit_report *report);

/* PROGRAM is program_invocation_short_name in all messages, as in those of err(3);
 * common_start() has set it. */

/** 'PROGRAM: TEXT' on standard error. @return @p r */
int common_say(int r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** 'PROGRAM: PATH: REASON' on standard error. @return -1 */
int common_fail_path(const char *path, const char *reason);

/** Write out what was printed on standard output. 0; -1 after a message: something of it
 * is lost */
int common_flush_output(void);

/* ---- figures for people: digits in groups, sizes and times with units ---- */

/** Room for any of them. */
struct figure {
	char text[40];
};

/** "1,234,567" */
struct figure figure_count(uint64_t n);
/** "0 B", "17.5 KiB", "423 MiB", "1.2 TiB" */
struct figure figure_bytes(uint64_t bytes);
/** "0.004 s", "12.3 s", "5 min 28 s", "2 h 05 min" */
struct figure figure_seconds(double seconds);
/** "97.5 %"; of 0: "0 %" */
struct figure figure_share(double part, double of);

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
