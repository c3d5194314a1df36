/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Markup: text that is escaped. The output is well-formed XML as well as HTML.
 *
 * Threads: belongs to one thread.
 */
#ifndef DITKIT_COMMON_HTML_H
#define DITKIT_COMMON_HTML_H

#include <stdio.h>

#include "figures.h"

/** Print text, for elements and for attribute values in double quotes. Control characters
 * become U+FFFD. */
void html_text(FILE *out, const char *text);

/** <TAG>TEXT</TAG>. @param tag  with a class, if it has one: "p class=\"note\"" */
void html_element(FILE *out, const char *tag, const char *text);

/** A figure whose unit stays on its line. */
struct figure html_figure(struct figure figure);

#endif
