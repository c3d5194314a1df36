/* SPDX-License-Identifier: BSD-2-Clause */
/* The page: its head, key figures, refusals, indexes, lengths of lists, the run. */
#include "report.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "figures.h"
#include "html.h"
#include "report_charts.h"
#include "report_style.h"
#include "run_facts.h"
#include "svg.h"

#define BAR_HEIGHT   14
#define SPARK_HEIGHT 20
#define NCLASSES     32

/* ---- head and key figures ---- */

static uint64_t count_entries(const json_t *json)
{
	const json_t *records = json_object_get(json, "records");

	return fact_number(records, json_object_get(records, "stored") != NULL ? "stored"
	                                                                       : "read");
}

static void print_title(FILE *out, const json_t *json)
{
	const char *result = fact_text(json, "result");
	bool is_load = strcmp(fact_text(json, "program"), "ditadd") == 0;
	struct figure n = figure_count(count_entries(json));

	if (strcmp(result, "failed") == 0) {
		(void)fputs(is_load ? "The load failed" : "The reindexing failed", out);
		return;
	}
	(void)fprintf(out, "%s entries %s in ", n.text,
	              !is_load                         ? "indexed"
	              : strcmp(result, "checked") == 0 ? "checked"
	                                               : "stored");
	html_figure(out, figure_seconds(fact_seconds(json, "wall_s")).text);
}

static void begin_page(FILE *out, const json_t *json)
{
	const json_t *databases = json_object_get(json, "databases");

	(void)fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n"
	            "<meta name=\"viewport\" content=\"width=device-width, "
	            "initial-scale=1\"/>\n<title>",
	            out);
	html_text(out, fact_text(json, "program"));
	(void)fputs(": ", out);
	print_title(out, json);
	(void)fprintf(out, "</title>\n<style>%s</style></head>\n<body>\n<header><h1>",
	              report_style);
	print_title(out, json);
	(void)fputs("</h1>\n", out);
	for (size_t i = 0; i < json_array_size(databases); i++) {
		(void)fputs("<p class=\"path\">", out);
		html_text(out, fact_text(json_array_get(databases, i), "directory"));
		(void)fputs("/data.mdb</p>\n", out);
	}
	(void)fputs("<p class=\"note\">", out);
	html_text(out, fact_text(json, "program"));
	(void)fputs(", ", out);
	html_text(out, fact_text(json, "version"));
	(void)fputs(", ", out);
	html_text(out, fact_text(json, "started"));
	(void)fputs("</p></header>\n", out);
}

static void print_card(FILE *out, const char *name, const char *title, uint64_t value,
                       struct figure figure)
{
	bool is_bad = strcmp(name, "left_out") == 0 && value > 0;

	(void)fprintf(out,
	              "<div%s><dt>%s</dt><dd><data id=\"%s\" "
	              "value=\"%llu\">%s</data></dd></div>\n",
	              is_bad ? " class=\"bad\"" : "", title, name,
	              (unsigned long long)value, figure.text);
}

static void print_cards(FILE *out, const json_t *json)
{
	const json_t *records = json_object_get(json, "records");
	const json_t *memory = json_object_get(json, "memory");
	const json_t *entries = fact_named(json_object_get(json, "phases"), "entries");
	uint64_t left_out =
		fact_number(records, "refused") + fact_number(records, "not_stored");
	uint64_t bytes = fact_sum(json_object_get(json, "databases"), "bytes");
	uint64_t spilled = fact_number(json, "spilled_bytes");
	uint64_t anonymous = fact_number(memory, "peak_anonymous_bytes");
	uint64_t rate = fact_number(entries, "entries_per_s");

	(void)fputs("<dl class=\"cards\">\n", out);
	print_card(out, "entries", "entries", count_entries(json),
	           figure_count(count_entries(json)));
	print_card(out, "left_out", "left out", left_out, figure_count(left_out));
	print_card(out, "rate", "entries/s", rate, figure_count(rate));
	print_card(out, "bytes", "database", bytes, figure_bytes(bytes));
	print_card(out, "memory", "peak memory", anonymous, figure_bytes(anonymous));
	print_card(out, "spilled", "temporary files", spilled, figure_bytes(spilled));
	(void)fputs("</dl>\n", out);
}

/* ---- indexes ---- */

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

static unsigned count_classes(const uint64_t *classes)
{
	unsigned n = NCLASSES;

	while (n > 0 && classes[n - 1] == 0) {
		n--;
	}
	return n;
}

/* Heights are logarithms: one key with a long list is to be seen, too. */
static void draw_spark(FILE *out, const json_t *index, unsigned nclasses)
{
	uint64_t classes[NCLASSES] = {0};
	double max = 1;

	take_lengths(index, classes);
	for (unsigned i = 0; i < NCLASSES; i++) {
		max = log2((double)classes[i] + 1) > max ? log2((double)classes[i] + 1)
		                                         : max;
	}
	svg_begin(out, SPARK_HEIGHT, "lengths of lists, from one ID to many");
	for (unsigned i = 0; i < nclasses; i++) {
		double height = SPARK_HEIGHT * log2((double)classes[i] + 1) / max;

		svg_bar(out,
		        (struct svg_box){.left = (double)i / nclasses,
		                         .right = (i + 0.8) / nclasses,
		                         .top = SPARK_HEIGHT - height,
		                         .bottom = SPARK_HEIGHT},
		        "entries", NULL);
	}
	svg_end(out);
}

static void print_index(FILE *out, const json_t *index, uint64_t max, unsigned nclasses)
{
	const char *measure = fact_number(index, "bytes") > 0 ? "bytes" : "postings";
	double share = max == 0 ? 0 : (double)fact_number(index, measure) / (double)max;

	(void)fputs("<tr data-index=\"", out);
	html_text(out, fact_text(index, "name"));
	(void)fputs("\">", out);
	html_element(out, "td", fact_text(index, "name"));
	(void)fputs("<td class=\"chart\">", out);
	svg_begin(out, BAR_HEIGHT, "size beside the largest index");
	svg_bar(out, (struct svg_box){.right = share, .bottom = BAR_HEIGHT}, "indexes",
	        NULL);
	svg_end(out);
	(void)fputs("</td>", out);
	html_bytes(out, fact_number(index, "bytes"));
	html_seconds(out, fact_seconds(index, "wall_s"));
	html_count(out, fact_number(index, "postings"));
	html_count(out, fact_number(index, "keys"));
	html_count(out, fact_number(index, "range_keys"));
	html_share(out, (double)fact_number(index, "range_keys"),
	           (double)fact_number(index, "keys"));
	(void)fputs("<td class=\"chart\">", out);
	draw_spark(out, index, nclasses);
	(void)fputs("</td></tr>\n", out);
}

static void print_indexes(FILE *out, json_t *const *indexes, size_t n)
{
	uint64_t classes[NCLASSES] = {0};
	uint64_t max_bytes = 0;
	uint64_t max_postings = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t bytes = fact_number(indexes[i], "bytes");
		uint64_t postings = fact_number(indexes[i], "postings");

		take_lengths(indexes[i], classes);
		max_bytes = bytes > max_bytes ? bytes : max_bytes;
		max_postings = postings > max_postings ? postings : max_postings;
	}
	(void)fputs(
		"<section id=\"indexes\"><h2>What each index costs</h2>\n"
		"<p class=\"note\">The index that took the most time comes first. A "
		"range key holds the first and the last ID of its entries in place of "
		"a list: a search reads every entry between them.</p>\n"
		"<div class=\"wide\"><table><thead><tr><th>index</th><th></th>"
		"<th>size</th><th>time</th><th>postings</th><th>keys</th>"
		"<th>range keys</th><th>share</th><th>lengths of lists</th>"
		"</tr></thead><tbody>\n",
		out);
	for (size_t i = 0; i < n; i++) {
		print_index(out, indexes[i], max_bytes > 0 ? max_bytes : max_postings,
		            count_classes(classes));
	}
	(void)fputs("</tbody></table></div></section>\n", out);
}

/* ---- lengths of lists ---- */

static void print_length(FILE *out, unsigned class, uint64_t n, uint64_t max,
                         uint64_t sum)
{
	uint64_t from = (uint64_t)1 << class;

	(void)fprintf(out, "<tr data-from=\"%llu\"><td>%s", (unsigned long long)from,
	              figure_count(from).text);
	if (class > 0) {
		(void)fprintf(out, " to %s", figure_count(2 * from - 1).text);
	}
	(void)fputs("</td><td class=\"chart broad\">", out);
	svg_begin(out, BAR_HEIGHT, "keys");
	svg_bar(out,
	        (struct svg_box){.right = (double)n / (double)max, .bottom = BAR_HEIGHT},
	        "entries", NULL);
	svg_end(out);
	(void)fputs("</td>", out);
	html_count(out, n);
	html_share(out, (double)n, (double)sum);
	(void)fputs("</tr>\n", out);
}

static void print_lengths(FILE *out, json_t *const *indexes, size_t n)
{
	uint64_t classes[NCLASSES] = {0};
	uint64_t max = 0;
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		take_lengths(indexes[i], classes);
	}
	for (unsigned i = 0; i < NCLASSES; i++) {
		max = classes[i] > max ? classes[i] : max;
		sum += classes[i];
	}
	if (sum == 0) {
		return;
	}
	(void)fputs(
		"<section id=\"lengths\"><h2>Lengths of lists</h2>\n<p class=\"note\">"
		"How many entries a key leads to, over all indexes.</p>\n"
		"<div class=\"wide\"><table><thead><tr><th>entries</th><th></th>"
		"<th>keys</th><th>share</th></tr></thead><tbody>\n",
		out);
	for (unsigned i = 0; i < count_classes(classes); i++) {
		print_length(out, i, classes[i], max, sum);
	}
	(void)fputs("</tbody></table></div></section>\n", out);
}

/* ---- refusals, and the run ---- */

static void print_refusals(FILE *out, const json_t *refusals)
{
	if (json_array_size(refusals) == 0) {
		return;
	}
	(void)fputs("<section id=\"refusals\"><h2>What was left out, and why</h2>\n"
	            "<ul class=\"refusals\">\n",
	            out);
	for (size_t i = 0; i < json_array_size(refusals); i++) {
		const json_t *refusal = json_array_get(refusals, i);

		uint64_t n = fact_number(refusal, "records");
		uint64_t line = fact_number(refusal, "first_line");

		(void)fputs("<li data-kind=\"", out);
		html_text(out, fact_text(refusal, "kind"));
		(void)fputs("\">", out);
		html_element(out, "strong", fact_text(refusal, "kind"));
		(void)fprintf(
			out,
			": <data value=\"%llu\">%s</data> record%s, the first at line "
			"<data value=\"%llu\">%s</data><br/><span class=\"path\">",
			(unsigned long long)n, figure_count(n).text, n == 1 ? "" : "s",
			(unsigned long long)line, figure_count(line).text);
		html_text(out, fact_text(refusal, "first_dn"));
		(void)fputs("</span><br/><span class=\"note path\">", out);
		html_text(out, fact_text(refusal, "first_reason"));
		(void)fputs("</span></li>\n", out);
	}
	(void)fputs("</ul></section>\n", out);
}

static void print_run(FILE *out, const json_t *json)
{
	const json_t *command = json_object_get(json, "command");
	double cpu_s =
		fact_seconds(json, "cpu_user_s") + fact_seconds(json, "cpu_system_s");

	(void)fputs("<section id=\"run\"><h2>The run</h2>\n<p class=\"path\"><code>",
	            out);
	for (size_t i = 0; i < json_array_size(command); i++) {
		(void)fputs(i == 0 ? "" : " ", out);
		html_text(out, json_string_value(json_array_get(command, i)));
	}
	(void)fprintf(out, "</code></p>\n<p class=\"note\">%s of wall clock, %s of CPU, ",
	              figure_seconds(fact_seconds(json, "wall_s")).text,
	              figure_seconds(cpu_s).text);
	(void)fprintf(out, "%s tool threads on %s processors, exit status %s.</p>\n",
	              figure_count(fact_number(json, "tool_threads")).text,
	              figure_count(fact_number(json, "processors")).text,
	              figure_count(fact_number(json, "exit_status")).text);
	(void)fputs("</section>\n", out);
}

void report_write(FILE *out, const json_t *json)
{
	size_t n = 0;
	json_t **indexes = fact_indexes(json, &n);

	begin_page(out, json);
	print_cards(out, json);
	print_refusals(out, json_object_get(json, "refusals"));
	report_phases(out, json);
	report_over_time(out, json);
	report_threads(out, json);
	if (n > 0) {
		print_indexes(out, indexes, n);
		print_lengths(out, indexes, n);
	}
	print_run(out, json);
	(void)fputs("</body></html>\n", out);
	free(indexes);
}
