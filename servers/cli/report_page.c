/* SPDX-License-Identifier: BSD-2-Clause */
#include "report_page.h"

#include <stdlib.h>

#include "figures.h"

/* ---- the style sheet: phone and desktop, light and dark, print ---- */

/*
 * Colours have names. Text has a contrast of 7 to 1 and more against its ground, notes of
 * 4.5; bars have 3 to 1 against the ground in both modes.
 */
/* clang-format off: laid out as a style sheet. */
static const char style[] =
	":root{color-scheme:light dark;--ground:#fdfdfc;--panel:#f3f4f2;--ink:#1d2125;"
	"--note:#5b6168;--line:#d8dad6;--entries:#2a6fb3;--tree:#7d63a8;--indexes:#1d8377;"
	"--publish:#a0661a;--busy:#1d8377;--ready:#c07a17;--waiting:#c3c7c4;--bad:#b3382c}\n"
	"@media(prefers-color-scheme:dark){:root{--ground:#15181b;--panel:#1f2428;"
	"--ink:#e8eaec;--note:#a2aab2;--line:#363d43;--entries:#6aabe8;--tree:#b39ddb;"
	"--indexes:#4fb8a8;--publish:#dfa14f;--busy:#4fb8a8;--ready:#e0a14a;"
	"--waiting:#4a5258;--bad:#ef8577}}\n"
	"@media print{:root{color-scheme:light;--ground:#fff;--panel:#fff;--ink:#000;"
	"--note:#444;--line:#bbb}h2,h3,thead,.note,ul.key{break-after:avoid}tr,li,figure,dl.cards{"
	"break-inside:avoid}@page{margin:1.5cm}"
	"*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}\n"
	"*{box-sizing:border-box}\n"
	"body{margin:0 auto;padding:1.5rem 1rem 3rem;max-width:62rem;background:var(--ground);"
	"color:var(--ink);font:16px/1.5 system-ui,sans-serif}\n"
	"h1{font-size:1.6rem;line-height:1.25;margin:0 0 .25rem}\n"
	"h2{font-size:1.1rem;margin:2.25rem 0 .5rem}\n"
	"p{margin:.25rem 0;max-width:44rem}\n"
	".note,caption{color:var(--note);font-size:.875rem}\n"
	".path{overflow-wrap:anywhere}\n"
	"dl.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(8.5rem,1fr));"
	"gap:.5rem;margin:1.25rem 0 0}\n"
	"dl.cards div{background:var(--panel);border:1px solid var(--line);"
	"border-radius:.4rem;padding:.5rem .75rem;break-inside:avoid}\n"
	"dl.cards dt{color:var(--note);font-size:.8125rem}\n"
	"dl.cards dd{margin:0;font-size:1.2rem;font-weight:600;"
	"font-variant-numeric:tabular-nums}\n"
	".bad dd{color:var(--bad)}\n"
	".wide{overflow-x:auto}\n"
	"table{border-collapse:collapse;width:100%;font-size:.875rem;"
	"font-variant-numeric:tabular-nums}\n"
	"th,td{padding:.3rem 0 .3rem .9rem;text-align:right;white-space:nowrap;"
	"border-bottom:1px solid var(--line)}\n"
	"th{font-weight:600;color:var(--note);vertical-align:bottom}\n"
	"tbody th{color:var(--ink)}\n"
	"th:first-child,td:first-child{text-align:left;padding-left:0;position:sticky;"
	"left:0;background:var(--ground)}\n"
	"ul.refusals{list-style:none;padding:0;margin:.5rem 0}"
	"ul.refusals li{border-left:3px solid var(--bad);padding:.1rem 0 .1rem .75rem;"
	"margin:.6rem 0;break-inside:avoid}\n"
	"td.chart{width:22%;min-width:7rem;padding-top:0;padding-bottom:0}\n"
	"td.broad{width:50%}\n"
	"i{display:block;forced-color-adjust:none}data{white-space:nowrap}\n"
	".bar{display:flex;height:14px}"
	".columns,.series{display:flex;align-items:flex-end;height:20px}"
	".columns i{flex:1;margin-right:2%}"
	"figure{margin:1rem 0 0}.series{height:64px;border:solid var(--line);border-width:1px 0}"
	".axis{display:flex;justify-content:space-between;font-size:12px}\n"
	".entries{background:var(--entries)}.tree{background:var(--tree)}.indexes{background:var(--indexes)}"
	".publish{background:var(--publish)}.busy{background:var(--busy)}.ready{background:var(--ready)}"
	".waiting{background:var(--waiting)}\n"
	"ul.key{list-style:none;display:flex;flex-wrap:wrap;gap:.1rem 1.1rem;padding:0;"
	"margin:.4rem 0;font-size:.875rem}\n"
	"i.swatch{display:inline-block;width:.75rem;height:.75rem;margin-right:.4rem}\n"
	"h3{font-size:1rem;margin:1rem 0 .2rem}\n"
	"ol.advice{padding-left:1.5rem}ol.advice>li{margin:1.1rem 0}"
	"ol.advice>li::marker{font-weight:600}ol.advice h3{margin:0}\n"
	"ul.steps,pre.steps{list-style:none;padding:.35rem .75rem;margin:.35rem 0 0;"
	"background:var(--panel);border:1px solid var(--line);border-radius:.4rem;"
	"font-size:.875rem;overflow-wrap:anywhere}ul.steps li{margin:.15rem 0}\n"
	"@media(max-width:32rem){h1{font-size:1.3rem}dl.cards{grid-template-columns:1fr 1fr}"
	"th,td{padding-left:.55rem}td.chart{min-width:4.5rem}}\n"
	/* A row of many columns becomes a block, with the heads of columns in it. */
	"@media screen and (max-width:61rem){table.rows,table.rows tbody{display:block}"
	"table.rows thead{display:none}"
	"table.rows tr{display:grid;grid-template-columns:repeat(auto-fit,minmax(6rem,1fr));"
	"gap:.3rem .75rem;padding:.7rem 0;border-bottom:1px solid var(--line)}"
	"table.rows td{display:block;border:0;padding:0;text-align:left;min-width:0;"
	"width:auto;position:static;white-space:normal}table.rows td:empty{display:none}"
	"table.rows td:first-child{grid-column:1/-1;font-weight:600}"
	"table.rows td.chart{grid-column:1/-1}"
	"table.rows td[data-label]::before{content:attr(data-label);display:block;"
	"color:var(--note);font-size:.75rem;line-height:1.3}}\n"
	"@media print{th:first-child,td:first-child{position:static}"
	"body{font-size:11pt;padding:0;max-width:none}.wide{overflow:visible}"
	"table{font-size:8.5pt}th,td{padding-left:.5rem}td.chart{min-width:3rem}}\n";
/* clang-format on */

/* ---- lengths of lists ---- */

json_t *report_page_lengths(json_t *indexes)
{
	uint64_t classes[PATTERN_CLASSES];
	unsigned n = pattern_lengths(indexes, classes);
	json_t *rows = json_array();
	uint64_t sum = 0;

	for (unsigned i = 0; i < n; i++) {
		sum += classes[i];
	}
	for (unsigned i = 0; i < n; i++) {
		uint64_t from = (uint64_t)1 << i;
		json_t *row = json_pack("{s:I, s:I, s:I, s:s}", "from", (json_int_t)from,
		                        "keys", (json_int_t)classes[i], "all",
		                        (json_int_t)sum, "title", "1");

		if (i > 0) {
			(void)json_object_set_new(
				row, "title",
				json_sprintf("%s to %s", figure_count(from).text,
			                     figure_count(2 * from - 1).text));
		}
		(void)json_array_append_new(rows, row);
	}
	json_decref(indexes);
	return rows;
}

/* clang-format off */
const struct report_table report_lengths_table = {"", " data-from=\"{from}\"", {
	{"entries", .pattern = "{title}"},
	{"", .pattern = REPORT_BAR("keys", REPORT_PART("entries", "keys", "{keys:bar}")), .class = "chart broad"},
	{"keys", .pattern = "{keys:count}"},
	{"share", .pattern = "{keys:share:all}"},
}};
/* clang-format on */

/* ---- tables and sections ---- */

/* The first column names its row; each other one has a label, for narrow screens. */
static void print_cell(const struct filler *row, const struct report_column *column,
                       bool is_first)
{
	(void)fputs("<td", row->out);
	if (column->class != NULL) {
		(void)fprintf(row->out, " class=\"%s\"", column->class);
	}
	if (!is_first && column->title[0] != '\0') {
		(void)fprintf(row->out, " data-label=\"%s\"", column->title);
	}
	(void)fputc('>', row->out);
	pattern_fill(row, column->pattern);
	(void)fputs("</td>", row->out);
}

void report_page_table(struct filler page, const struct report_table *table,
                       const json_t *rows)
{
	const struct report_column *column = table->columns;

	(void)fprintf(page.out, "<div class=\"wide\"><table class=\"%s\"><thead><tr>",
	              table->class);
	for (; column->title != NULL; column++) {
		(void)fprintf(page.out, "<th>%s</th>", column->title);
	}
	(void)fputs("</tr></thead><tbody>\n", page.out);
	page.rows = rows;
	for (size_t i = 0; i < json_array_size(rows); i++) {
		page.row = json_array_get(rows, i);
		(void)fputs("<tr", page.out);
		pattern_fill(&page, table->mark);
		(void)fputc('>', page.out);
		for (column = table->columns; column->title != NULL; column++) {
			print_cell(&page, column, column == table->columns);
		}
		(void)fputs("</tr>\n", page.out);
	}
	(void)fputs("</tbody></table></div>\n", page.out);
}

static void print_section(const struct filler *page, const struct report_section *section,
                          const json_t *rows)
{
	(void)fprintf(page->out, "<section id=\"%s\"><h2>%s</h2>\n", section->id,
	              section->title);
	if (section->note != NULL) {
		(void)fprintf(page->out, "<p class=\"note\">%s</p>\n", section->note);
	}
	if (section->body != NULL) {
		section->body(page, rows);
	}
	if (section->table != NULL) {
		report_page_table(*page, section->table, rows);
	}
	if (section->list != NULL) {
		(void)fputs("<ul class=\"refusals\">\n", page->out);
		pattern_fill_rows(*page, rows, section->list);
		(void)fputs("</ul>\n", page->out);
	}
	(void)fputs("</section>\n", page->out);
}

void report_page_sections(const struct filler *page,
                          const struct report_section *sections, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct report_section *section = &sections[i];
		json_t *rows =
			section->array != NULL
				? json_incref(json_object_get(page->json, section->array))
				: section->rows(page->json);

		if (json_array_size(rows) > 0) {
			print_section(page, section, rows);
		}
		json_decref(rows);
	}
}

json_t *report_page_always(const json_t *json)
{
	return json_pack("[O]", json);
}

/* ---- the frame ---- */

struct filler report_page_begin(FILE *out, const json_t *json, const char *title,
                                const char *array, const char *paths)
{
	const struct filler page = {
		.out = out, .json = json, .row = json, .is_page = true};

	(void)fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n"
	            "<meta name=\"viewport\" content=\"width=device-width, "
	            "initial-scale=1\"/>\n",
	            out);
	pattern_fill(&page, "<title>{program}: ");
	(void)fprintf(out, "%s</title>\n<style>%s</style></head>\n<body>\n", title,
	              style);
	(void)fprintf(out, "<header><h1>%s</h1>\n", title);
	pattern_fill_rows(page, json_object_get(json, array), paths);
	pattern_fill(&page,
	             "<p class=\"note\">{program}, {version}, {started:or:checked}</p>"
	             "</header>\n");
	return page;
}

void report_page_end(FILE *out)
{
	(void)fputs("</body></html>\n", out);
}

void report_page_cards(FILE *out, const struct report_card *cards, size_t n)
{
	(void)fputs("<dl class=\"cards\">\n", out);
	for (size_t i = 0; i < n; i++) {
		const struct report_card *card = &cards[i];
		struct figure figure = card->is_bytes ? figure_bytes(card->value)
		                                      : figure_count(card->value);

		(void)fprintf(out,
		              "<div%s><dt>%s</dt><dd><data id=\"%s\" "
		              "value=\"%llu\">%s</data></dd></div>\n",
		              card->is_bad ? " class=\"bad\"" : "", card->title, card->id,
		              (unsigned long long)card->value, figure.text);
	}
	(void)fputs("</dl>\n", out);
}
