/* SPDX-License-Identifier: BSD-2-Clause */
/* The page: its head, key figures, refusals, indexes, lengths of lists, the run. */
#include "report.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "figures.h"
#include "html.h"
#include "report_charts.h"
#include "report_lists.h"
#include "report_parts.h"
#include "run_facts.h"
#include "summary.h"
#include "svg.h"

#define BAR_HEIGHT 14

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

	report_begin(out);
	html_text(out, fact_text(json, "program"));
	(void)fputs(": ", out);
	print_title(out, json);
	report_body(out);
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

static void print_cards(FILE *out, const json_t *json)
{
	const json_t *records = json_object_get(json, "records");
	const json_t *memory = json_object_get(json, "memory");
	uint64_t left_out =
		fact_number(records, "refused") + fact_number(records, "not_stored");
	uint64_t bytes = fact_sum(json_object_get(json, "databases"), "bytes");
	uint64_t spilled = fact_number(json, "spilled_bytes");
	uint64_t anonymous = fact_number(memory, "peak_anonymous_bytes");
	double wall_s = fact_seconds(json, "wall_s");
	uint64_t rate = wall_s > 0 ? (uint64_t)((double)count_entries(json) / wall_s) : 0;

	(void)fputs("<dl class=\"cards\">\n", out);
	report_card(out, "entries", "entries", count_entries(json),
	            figure_count(count_entries(json)), false);
	report_card(out, "left_out", "left out", left_out, figure_count(left_out),
	            left_out > 0);
	report_card(out, "rate", "entries/s", rate, figure_count(rate), false);
	report_card(out, "bytes", "database", bytes, figure_bytes(bytes), false);
	report_card(out, "memory", "peak memory", anonymous, figure_bytes(anonymous),
	            false);
	report_card(out, "spilled", "temporary files", spilled, figure_bytes(spilled),
	            false);
	(void)fputs("</dl>\n", out);
}

/* ---- indexes ---- */

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
	html_bytes(out, "size", fact_number(index, "bytes"));
	html_seconds(out, "time", fact_seconds(index, "wall_s"));
	html_count(out, "postings", fact_number(index, "postings"));
	html_count(out, "keys", fact_number(index, "keys"));
	html_count(out, "range keys", fact_number(index, "range_keys"));
	html_share(out, "share", (double)fact_number(index, "range_keys"),
	           (double)fact_number(index, "keys"));
	(void)fputs("<td class=\"chart\" data-label=\"lengths of lists\">", out);
	report_spark(out, index, nclasses);
	(void)fputs("</td></tr>\n", out);
}

static void print_indexes(FILE *out, json_t *const *indexes, size_t n)
{
	uint64_t max_bytes = 0;
	uint64_t max_postings = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t bytes = fact_number(indexes[i], "bytes");
		uint64_t postings = fact_number(indexes[i], "postings");

		max_bytes = bytes > max_bytes ? bytes : max_bytes;
		max_postings = postings > max_postings ? postings : max_postings;
	}
	(void)fputs(
		"<section id=\"indexes\"><h2>What each index costs</h2>\n"
		"<p class=\"note\">The index that took the most time comes first. A "
		"range key holds the first and the last ID of its entries in place of "
		"a list: a search reads every entry between them.</p>\n"
		"<div class=\"wide\"><table class=\"rows\"><thead><tr><th>index</th><th></th>"
		"<th>size</th><th>time</th><th>postings</th><th>keys</th>"
		"<th>range keys</th><th>share</th><th>lengths of lists</th>"
		"</tr></thead><tbody>\n",
		out);
	for (size_t i = 0; i < n; i++) {
		print_index(out, indexes[i], max_bytes > 0 ? max_bytes : max_postings,
		            report_count_classes(indexes, n));
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
		const char *explanation = fact_text(refusal, "first_explanation");
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
		html_text(out, explanation[0] != '\0'
		                       ? explanation
		                       : fact_text(refusal, "first_reason"));
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

static void print_next(FILE *out, const json_t *json, const char *next)
{
	if (strcmp(fact_text(json, "result"), "failed") == 0 &&
	    strcmp(fact_text(json, "program"), "ditadd") == 0) {
		html_element(out, "p", SUMMARY_UNCHANGED);
	}
	if (next != NULL) {
		(void)fputs("<p class=\"path\" id=\"next\">Next: ", out);
		html_text(out, next);
		(void)fputs("</p>\n", out);
	}
}

void report_write(FILE *out, const json_t *json, const char *next)
{
	size_t n = 0;
	json_t **indexes = fact_indexes(json, &n);

	begin_page(out, json);
	print_next(out, json, next);
	print_cards(out, json);
	print_refusals(out, json_object_get(json, "refusals"));
	report_phases(out, json);
	report_over_time(out, json);
	report_threads(out, json);
	if (n > 0) {
		print_indexes(out, indexes, n);
		report_lengths(out, indexes, n);
	}
	print_run(out, json);
	report_end(out);
	free(indexes);
}
