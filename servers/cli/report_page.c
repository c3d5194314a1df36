/* SPDX-License-Identifier: BSD-2-Clause */
#include "report_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "charts.h"
#include "figures.h"
#include "html.h"
#include "report_style.h"
#include "run_facts.h"

#define NCLASSES 32

/* The source of what patterns are filled with. */
struct filler {
	FILE *out;
	const json_t *json;
	const json_t *rows;
	const json_t *row;
};

/* By its path; NULL: there is none. */
static const json_t *find(const struct filler *filler, const char *path)
{
	const json_t *at = path[0] == '/' ? filler->json : filler->row;

	path += path[0] == '/' ? 1 : 0;
	while (at != NULL && *path != '\0') {
		char name[40];
		size_t len = strcspn(path, ".");

		(void)snprintf(name, sizeof(name), "%.*s", (int)len, path);
		at = json_is_array(at) ? json_array_get(at, strtoul(name, NULL, 10))
		                       : json_object_get(at, name);
		path += len + (path[len] == '.' ? 1 : 0);
	}
	return at;
}

static double number(const struct filler *filler, const char *path)
{
	return json_number_value(find(filler, path));
}

static const char *text_of(const struct filler *filler, const char *path)
{
	const char *text = json_string_value(find(filler, path));

	return text == NULL ? "" : text;
}

/* ---- lengths of lists ---- */

/* The classes of lengths of a list, by the place of their bit. */
static void take_lengths(const json_t *index, uint64_t *classes)
{
	const json_t *lengths = json_object_get(index, "list_lengths");

	for (size_t i = 0; i < json_array_size(lengths); i++) {
		const json_t *length = json_array_get(lengths, i);
		uint64_t from = fact_number(length, "from");
		unsigned class = 0;

		while (from > 1 && class < NCLASSES - 1) {
			from /= 2;
			class ++;
		}
		classes[class] += fact_number(length, "keys");
	}
}

/* Sums over all rows. @return how many classes there are */
static unsigned sum_lengths(const json_t *rows, uint64_t *classes)
{
	unsigned n = NCLASSES;

	for (size_t i = 0; i < json_array_size(rows); i++) {
		take_lengths(json_array_get(rows, i), classes);
	}
	while (n > 0 && classes[n - 1] == 0) {
		n--;
	}
	return n;
}

json_t *report_page_lengths(json_t *indexes)
{
	uint64_t classes[NCLASSES] = {0};
	unsigned n = sum_lengths(indexes, classes);
	json_t *rows = json_array();
	uint64_t sum = 0;

	for (unsigned i = 0; i < n; i++) {
		sum += classes[i];
	}
	for (unsigned i = 0; i < n; i++) {
		uint64_t from = (uint64_t)1 << i;
		json_t *row =
			json_pack("{s:I, s:I, s:I}", "from", (json_int_t)from, "keys",
		                  (json_int_t)classes[i], "all", (json_int_t)sum);

		(void)json_object_set_new(
			row, "title",
			i == 0 ? json_string("1")
			       : json_sprintf("%s to %s", figure_count(from).text,
		                              figure_count(2 * from - 1).text));
		(void)json_array_append_new(rows, row);
	}
	json_decref(indexes);
	return rows;
}

/* clang-format off */
const struct report_table report_lengths_table = {"", " data-from=\"{from}\"", {
	{"entries", .pattern = "{title}"},
	{"", .pattern = "{keys:bar}", .class = "chart broad"},
	{"keys", .pattern = "{keys:count}"},
	{"share", .pattern = "{keys:share:all}"},
}};
/* clang-format on */

/* ---- fields of patterns ---- */

/* A figure of a row, or what stands for it. */
static double measure(const struct filler *filler, const json_t *row, const char *path,
                      const char *other)
{
	const struct filler of = {.json = filler->json, .row = row};
	double n = number(&of, path);

	return n > 0 || other[0] == '\0' ? n : number(&of, other);
}

static void show_bar(const struct filler *filler, const char *path, const char *other)
{
	bool is_length = json_object_get(filler->row, "from") != NULL;
	double max = 0;

	for (size_t i = 0; i < json_array_size(filler->rows); i++) {
		const json_t *row = json_array_get(filler->rows, i);

		max = fmax(max, measure(filler, row, path, other));
	}
	chart_bar(filler->out, is_length ? "keys" : "size, next to the largest one",
	          max > 0 ? measure(filler, filler->row, path, other) / max : 0,
	          is_length ? "entries" : "indexes");
}

static void show_lengths(const struct filler *filler)
{
	uint64_t classes[NCLASSES] = {0};
	uint64_t of_all[NCLASSES] = {0};

	take_lengths(filler->row, classes);
	chart_columns(filler->out, "lengths of lists, from one ID to many", classes,
	              sum_lengths(filler->rows, of_all));
}

/* @param between  two strings; after the last one there is none */
static void show_strings(const struct filler *filler, const json_t *array,
                         const char *between)
{
	for (size_t i = 0; i < json_array_size(array); i++) {
		(void)fputs(i == 0 ? "" : between, filler->out);
		html_text(filler->out, json_string_value(json_array_get(array, i)));
	}
}

/* How a field is shown; in the order of report_page.h. */
enum how {
	HOW_COUNT,
	HOW_KNOWN,
	HOW_SOME,
	HOW_PLURAL,
	HOW_BYTES,
	HOW_EACH,
	HOW_SECONDS,
	HOW_SHARE,
	HOW_BAR,
	HOW_LENGTHS,
	HOW_PHASE,
	HOW_OR,
	HOW_ELSE,
	HOW_SEVERAL,
	HOW_LIST,
	HOW_LINES,
	HOW_WORDS,
	NHOWS
};

static const char *const hows[NHOWS] = {"count", "known",   "some",  "plural",  "bytes",
                                        "each",  "seconds", "share", "bar",     "lengths",
                                        "phase", "or",      "else",  "several", "list",
                                        "lines", "words"};

static void show_number(const struct filler *filler, enum how how, const char *path,
                        const char *other)
{
	double x = number(filler, path);
	double of = how == HOW_EACH || how == HOW_SHARE ? number(filler, other) : 1;
	uint64_t n = of > 0 ? (uint64_t)(x / of) : 0;
	bool is_bytes = how == HOW_BYTES || how == HOW_EACH;
	struct figure figure = is_bytes ? figure_bytes(n) : figure_count(n);

	if ((how == HOW_KNOWN && find(filler, path) == NULL) ||
	    (how == HOW_SOME && n == 0)) {
		return;
	}
	if (how == HOW_PLURAL) {
		(void)fputs(n == 1 ? "" : "s", filler->out);
	} else if (how == HOW_SHARE) {
		(void)fputs(figure_share(x, of).text, filler->out);
	} else if (how == HOW_SECONDS) {
		(void)fprintf(filler->out, "<data value=\"%.6f\">%s</data>", x,
		              figure_seconds(x).text);
	} else {
		(void)fprintf(filler->out,
		              is_bytes && n == 0 ? "-" : "<data value=\"%llu\">%s</data>",
		              (unsigned long long)n, figure.text);
	}
	(void)fprintf(filler->out, how == HOW_SOME ? " %s" : "", other);
}

static void show_text(const struct filler *filler, enum how how, const char *path,
                      const char *other)
{
	const json_t *value = find(filler, path);
	const char *text = text_of(filler, path);

	if (how == HOW_ELSE) {
		html_text(filler->out, text[0] == '\0' ? other : "");
	} else if (how == HOW_OR) {
		html_text(filler->out, text[0] == '\0' ? text_of(filler, other) : text);
	} else if (how == HOW_PHASE) {
		html_text(filler->out, fact_phase_title(text));
	} else if (how == HOW_SEVERAL) {
		if (json_array_size(json_object_get(filler->json, "files")) > 1) {
			(void)fputs("<br/>", filler->out);
			html_element(filler->out, "span class=\"note path\"", text);
		}
	} else if (json_is_integer(value)) {
		(void)fprintf(filler->out, "%lld", (long long)json_integer_value(value));
	} else {
		html_text(filler->out, text);
	}
}

/* "bytes:share:keys" */
static void fill_field(const struct filler *filler, const char *field, size_t len)
{
	char parts[3][48] = {"", "", ""};
	size_t at = 0;
	int how = 0;

	for (size_t i = 0; i < 3 && at <= len; i++) {
		size_t n = strcspn(field + at, i < 2 ? ":}" : "}");

		(void)snprintf(parts[i], sizeof(parts[i]), "%.*s", (int)n, field + at);
		at += n + 1;
	}
	while (how < NHOWS && strcmp(hows[how], parts[1]) != 0) {
		how++;
	}
	if (how < HOW_BAR) {
		show_number(filler, (enum how)how, parts[0], parts[2]);
	} else if (how == HOW_BAR) {
		show_bar(filler, parts[0], parts[2]);
	} else if (how == HOW_LENGTHS) {
		show_lengths(filler);
	} else if (how >= HOW_LIST && how < NHOWS) {
		show_strings(filler, find(filler, parts[0]),
		             how == HOW_LIST    ? "</li><li>"
		             : how == HOW_LINES ? "\n"
		                                : " ");
	} else {
		show_text(filler, (enum how)how, parts[0], parts[2]);
	}
}

static void fill(const struct filler *filler, const char *pattern)
{
	while (*pattern != '\0') {
		size_t len = strcspn(pattern, "{");

		(void)fwrite(pattern, 1, len, filler->out);
		pattern += len;
		if (*pattern == '{') {
			len = strcspn(pattern, "}");
			fill_field(filler, pattern + 1, len - 1);
			pattern += len + 1;
		}
	}
}

void report_page_each(FILE *out, const json_t *json, const json_t *rows,
                      const char *pattern)
{
	for (size_t i = 0; i < json_array_size(rows); i++) {
		const struct filler filler = {out, json, rows, json_array_get(rows, i)};

		fill(&filler, pattern);
	}
}

/* ---- tables and sections ---- */

/* The first column names its row; each other one has a label, for narrow screens. */
static void print_cell(const struct filler *filler, const struct report_column *column,
                       bool is_first)
{
	(void)fputs("<td", filler->out);
	if (column->class != NULL) {
		(void)fprintf(filler->out, " class=\"%s\"", column->class);
	}
	if (!is_first && column->title[0] != '\0') {
		(void)fprintf(filler->out, " data-label=\"%s\"", column->title);
	}
	(void)fputc('>', filler->out);
	if (column->pattern != NULL) {
		fill(filler, column->pattern);
	} else {
		column->draw(filler->out, filler->json, filler->row);
	}
	(void)fputs("</td>", filler->out);
}

void report_page_table(FILE *out, const json_t *json, const struct report_table *table,
                       const json_t *rows)
{
	const struct report_column *column = table->columns;

	(void)fprintf(out, "<div class=\"wide\"><table class=\"%s\"><thead><tr>",
	              table->class);
	for (; column->title != NULL; column++) {
		html_element(out, "th", column->title);
	}
	(void)fputs("</tr></thead><tbody>\n", out);
	for (size_t i = 0; i < json_array_size(rows); i++) {
		const struct filler filler = {out, json, rows, json_array_get(rows, i)};

		(void)fputs("<tr", out);
		fill(&filler, table->mark);
		(void)fputc('>', out);
		for (column = table->columns; column->title != NULL; column++) {
			print_cell(&filler, column, column == table->columns);
		}
		(void)fputs("</tr>\n", out);
	}
	(void)fputs("</tbody></table></div>\n", out);
}

static void print_section(FILE *out, const json_t *json,
                          const struct report_section *section, const json_t *rows)
{
	(void)fprintf(out, "<section id=\"%s\"><h2>%s</h2>\n", section->id,
	              section->title);
	if (section->note != NULL) {
		(void)fprintf(out, "<p class=\"note\">%s</p>\n", section->note);
	}
	if (section->body != NULL) {
		section->body(out, json, rows);
	}
	if (section->table != NULL) {
		report_page_table(out, json, section->table, rows);
	}
	if (section->list != NULL) {
		(void)fputs("<ul class=\"refusals\">\n", out);
		report_page_each(out, json, rows, section->list);
		(void)fputs("</ul>\n", out);
	}
	(void)fputs("</section>\n", out);
}

void report_page_sections(FILE *out, const json_t *json,
                          const struct report_section *sections, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct report_section *section = &sections[i];
		json_t *rows =
			section->array != NULL
				? json_incref(json_object_get(json, section->array))
				: section->rows(json);

		if (json_array_size(rows) > 0) {
			print_section(out, json, section, rows);
		}
		json_decref(rows);
	}
}

json_t *report_page_always(const json_t *json)
{
	return json_pack("[O]", json);
}

/* ---- the frame ---- */

void report_page_begin(FILE *out, const json_t *json, const char *title,
                       const json_t *rows, const char *paths)
{
	const struct filler filler = {out, json, rows, json};

	(void)fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n"
	            "<meta name=\"viewport\" content=\"width=device-width, "
	            "initial-scale=1\"/>\n",
	            out);
	fill(&filler, "<title>{program}: ");
	(void)fprintf(out, "%s</title>\n<style>%s</style></head>\n<body>\n", title,
	              report_style);
	(void)fprintf(out, "<header><h1>%s</h1>\n", title);
	report_page_each(out, json, rows, paths);
	fill(&filler, "<p class=\"note\">{program}, {version}, {started:or:checked}</p>"
	              "</header>\n");
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
