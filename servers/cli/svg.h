/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Charts as SVG inside a page. Places along the width are shares of it, from 0 to 1, and
 * become percents: so a chart is as wide as its page, and its text keeps its size, on a
 * phone as in print. Heights are pixels of CSS. Colours are classes of the style sheet
 * (report_style.c).
 *
 *   svg_begin();  svg_bar(), svg_text() ...;  svg_end()
 *
 * Threads: belongs to one thread.
 */
#ifndef DITKIT_COMMON_SVG_H
#define DITKIT_COMMON_SVG_H

#include <stdio.h>

struct svg_box {
	double left; /* shares of the width */
	double right;
	double top; /* pixels */
	double bottom;
};

enum svg_anchor {
	SVG_START,
	SVG_MIDDLE,
	SVG_END
};

/** @param title  what the chart shows, for those who do not see it */
void svg_begin(FILE *out, double height, const char *title);
void svg_end(FILE *out);

/** @param colour  a class  @param title  shown where somebody points; NULL: none */
void svg_bar(FILE *out, struct svg_box box, const char *colour, const char *title);
/** A thin line across, from left to right at the top of the box. */
void svg_rule(FILE *out, struct svg_box box);
/** @param base  the base line of the text, in pixels */
void svg_text(FILE *out, double left, double base, enum svg_anchor anchor,
              const char *text);

#endif
