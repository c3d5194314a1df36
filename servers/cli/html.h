/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Markup: text that is escaped. What is printed is well-formed XML as well as HTML.
 *
 * Threads: belongs to one thread.
 */
#ifndef DITKIT_COMMON_HTML_H
#define DITKIT_COMMON_HTML_H

#include <stdint.h>
#include <stdio.h>

/** Print text, for elements and for attribute values in double quotes. Control characters
 * become U+FFFD. */
void html_text(FILE *out, const char *text);

/** <TAG>TEXT</TAG> */
void html_element(FILE *out, const char *tag, const char *text);

/** A figure, with its unit on the same line. */
void html_figure(FILE *out, const char *figure);

/**
 * A cell with a number: <td data-label="keys"><data value="1234">1,234</data></td>
 *
 * @param label  the head of its column, which a phone shows with it; plain text
 */
void html_count(FILE *out, const char *label, uint64_t n);
/** The same with a size, "1.2 KiB"; 0: not known, "-" */
void html_bytes(FILE *out, const char *label, uint64_t n);
/** The same with a time. */
void html_seconds(FILE *out, const char *label, double seconds);
/** The same with a share. */
void html_share(FILE *out, const char *label, double part, double of);

#endif
