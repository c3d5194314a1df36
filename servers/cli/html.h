/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Markup: text that is escaped, and four kinds of chart as SVG. The output is well-formed
 * XML as well as HTML.
 *
 * Places along the width of a chart are shares of it, from 0 to 1, and become percents:
 * so a chart is as wide as its page, and its text keeps its size, on a phone as in print.
 * Colours are classes of the style sheet (report_page.c).
 *
 * Threads: belongs to one thread.
 */
#ifndef DITKIT_COMMON_HTML_H
#define DITKIT_COMMON_HTML_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "figures.h"

/** Print text, for elements and for attribute values in double quotes. Control characters
 * become U+FFFD. */
void html_text(FILE *out, const char *text);

/** <TAG>TEXT</TAG>. @param tag  with a class, if it has one: "p class=\"note\"" */
void html_element(FILE *out, const char *tag, const char *text);

/** A figure whose unit stays on its line. */
struct figure html_figure(struct figure figure);

/* ---- charts ---- */

/** A piece of a chart. */
struct chart_part {
	double share;       /* of the width */
	double value;       /* of a series; its height */
	const char *colour; /* a class */
	const char *title;  /* shown where somebody points; NULL: none */
};

/** One bar. @param title  what the chart shows, for those who do not see it */
void chart_bar(FILE *out, const char *title, double share, const char *colour);

/** Parts of a bar, one after the other. */
void chart_stack(FILE *out, const char *title, const struct chart_part *parts, size_t n);

/** Columns as high as the logarithm of @p values: a small value is seen, too. */
void chart_columns(FILE *out, const char *title, const uint64_t *values, size_t n);

struct chart_axis {
	const char *title;
	const char *peak; /* the greatest value in words */
	double max;       /* that value, above 0 */
	double seconds;   /* that the width stands for */
};

/** Values over time, with an axis below. */
void chart_series(FILE *out, const struct chart_axis *axis,
                  const struct chart_part *parts, size_t n);

#endif
