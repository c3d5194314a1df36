/* SPDX-License-Identifier: BSD-2-Clause */
#include "svg.h"

#include "html.h"

void svg_begin(FILE *out, double height, const char *title)
{
	(void)fprintf(out,
	              "<svg width=\"100%%\" height=\"%.0f\" role=\"img\" "
	              "aria-label=\"",
	              height);
	html_text(out, title);
	(void)fputs("\">\n", out);
}

void svg_end(FILE *out)
{
	(void)fputs("</svg>\n", out);
}

void svg_bar(FILE *out, struct svg_box box, const char *colour, const char *title)
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

void svg_rule(FILE *out, struct svg_box box)
{
	(void)fprintf(out,
	              "<line class=\"rule\" x1=\"%.3f%%\" x2=\"%.3f%%\" y1=\"%.1f\" "
	              "y2=\"%.1f\"/>\n",
	              100 * box.left, 100 * box.right, box.top, box.top);
}

void svg_text(FILE *out, double left, double base, enum svg_anchor anchor,
              const char *text)
{
	static const char *const anchors[] = {
		[SVG_START] = "start", [SVG_MIDDLE] = "middle", [SVG_END] = "end"};

	(void)fprintf(out, "<text x=\"%.3f%%\" y=\"%.1f\" text-anchor=\"%s\">",
	              100 * left, base, anchors[anchor]);
	html_text(out, text);
	(void)fputs("</text>\n", out);
}
