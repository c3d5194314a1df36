/* SPDX-License-Identifier: BSD-2-Clause */
#include "html.h"

#include <math.h>
#include <string.h>

#include "figures.h"

static const char *entity(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		break;
	}
	if ((unsigned char)c < 0x20 && c != '\n' && c != '\t') {
		return "\xef\xbf\xbd"; /* XML has no place for them */
	}
	return NULL;
}

void html_text(FILE *out, const char *text)
{
	for (; *text != '\0'; text++) {
		const char *escaped = entity(*text);

		if (escaped != NULL) {
			(void)fputs(escaped, out);
		} else {
			(void)fputc(*text, out);
		}
	}
}

void html_element(FILE *out, const char *tag, const char *text)
{
	(void)fprintf(out, "<%s>", tag);
	html_text(out, text);
	(void)fprintf(out, "</%.*s>", (int)strcspn(tag, " "), tag);
}

struct figure html_figure(struct figure figure)
{
	struct figure joined = {""};
	size_t at = 0;

	for (const char *c = figure.text; *c != '\0' && at + 2 < sizeof(joined.text);
	     c++) {
		const char *shown = *c == ' ' ? "\xc2\xa0" : (const char[]){*c, '\0'};

		memcpy(joined.text + at, shown, strlen(shown));
		at += strlen(shown);
	}
	return joined;
}

/* ---- charts ---- */

/* Pixels of CSS. */
#define BAR_HEIGHT    14
#define STACK_HEIGHT  16
#define COLUMN_HEIGHT 20
#define SERIES_HEIGHT 64
#define LABEL_HEIGHT  18

/* A rectangle: shares of the width, pixels of the height. */
struct box {
	double left;
	double right;
	double top;
	double bottom;
};

static void begin(FILE *out, int height, const char *title)
{
	(void)fprintf(out,
	              "<svg width=\"100%%\" height=\"%d\" role=\"img\" aria-label=\"",
	              height);
	html_text(out, title);
	(void)fputs("\">\n", out);
}

static void end(FILE *out)
{
	(void)fputs("</svg>\n", out);
}

static void draw_box(FILE *out, struct box box, const char *colour, const char *title)
{
	if (box.right <= box.left || box.bottom <= box.top) {
		return;
	}
	(void)fprintf(out,
	              "<rect class=\"%s\" x=\"%.3f%%\" y=\"%.2f\" width=\"%.3f%%\" "
	              "height=\"%.2f\">",
	              colour, 100 * box.left, box.top, 100 * (box.right - box.left),
	              box.bottom - box.top);
	if (title != NULL) {
		html_element(out, "title", title);
	}
	(void)fputs("</rect>\n", out);
}

static void draw_rule(FILE *out, double top)
{
	(void)fprintf(out,
	              "<line class=\"rule\" x1=\"0.000%%\" x2=\"100.000%%\" y1=\"%.1f\" "
	              "y2=\"%.1f\"/>\n",
	              top, top);
}

/* At the left end, in the middle, at the right end. */
static void draw_text(FILE *out, double left, double base, const char *text)
{
	(void)fprintf(out, "<text x=\"%.3f%%\" y=\"%.1f\" text-anchor=\"%s\">",
	              100 * left, base,
	              left <= 0   ? "start"
	              : left >= 1 ? "end"
	                          : "middle");
	html_text(out, text);
	(void)fputs("</text>\n", out);
}

void chart_bar(FILE *out, const char *title, double share, const char *colour)
{
	begin(out, BAR_HEIGHT, title);
	draw_box(out, (struct box){.right = share, .bottom = BAR_HEIGHT}, colour, NULL);
	end(out);
}

void chart_stack(FILE *out, const char *title, const struct chart_part *parts, size_t n)
{
	double left = 0;

	begin(out, STACK_HEIGHT, title);
	for (size_t i = 0; i < n; i++) {
		struct box box = {.left = left,
		                  .right = fmin(left + parts[i].share, 1),
		                  .bottom = STACK_HEIGHT};

		draw_box(out, box, parts[i].colour, parts[i].title);
		left += parts[i].share;
	}
	end(out);
}

void chart_columns(FILE *out, const char *title, const uint64_t *values, size_t n)
{
	double max = 1;

	for (size_t i = 0; i < n; i++) {
		max = fmax(max, log2((double)values[i] + 1));
	}
	begin(out, COLUMN_HEIGHT, title);
	for (size_t i = 0; i < n; i++) {
		double height = COLUMN_HEIGHT * log2((double)values[i] + 1) / max;
		struct box box = {.left = (double)i / (double)n,
		                  .right = ((double)i + 0.8) / (double)n,
		                  .top = COLUMN_HEIGHT - height,
		                  .bottom = COLUMN_HEIGHT};

		draw_box(out, box, "entries", NULL);
	}
	end(out);
}

void chart_series(FILE *out, const struct chart_axis *axis,
                  const struct chart_part *parts, size_t n)
{
	double bottom = LABEL_HEIGHT + SERIES_HEIGHT;
	double left = 0;

	begin(out, SERIES_HEIGHT + 2 * LABEL_HEIGHT, axis->title);
	draw_text(out, 0, LABEL_HEIGHT - 6, axis->title);
	draw_text(out, 1, LABEL_HEIGHT - 6, axis->peak);
	draw_rule(out, LABEL_HEIGHT);
	for (size_t i = 0; i < n; i++) {
		struct box box = {.left = left,
		                  .right = left + parts[i].share,
		                  .top = bottom -
		                         SERIES_HEIGHT * parts[i].value / axis->max,
		                  .bottom = bottom};

		draw_box(out, box, parts[i].colour, NULL);
		left = box.right;
	}
	draw_rule(out, bottom);
	draw_text(out, 0, bottom + 14, "0 s");
	draw_text(out, 0.5, bottom + 14, figure_seconds(axis->seconds / 2).text);
	draw_text(out, 1, bottom + 14, figure_seconds(axis->seconds).text);
	end(out);
}
