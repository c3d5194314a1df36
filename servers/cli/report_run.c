/* SPDX-License-Identifier: BSD-2-Clause */
/* The page of a run: its head, key figures, and the table of its sections. */
#include "report_run.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "figures.h"
#include "report_page.h"
#include "run_facts.h"
#include "summary.h"

/* ---- head and key figures ---- */

static struct filler print_head(FILE *out, const json_t *json, const char *next)
{
	bool has_failed = strcmp(fact_text(json, "result"), "failed") == 0;
	bool is_load = strcmp(fact_text(json, "program"), "ditadd") == 0;
	struct filler page;
	char title[120];

	(void)snprintf(title, sizeof(title), "%s entries %s in %s",
	               figure_count(fact_entries(json)).text, fact_verb(json),
	               html_figure(figure_seconds(fact_seconds(json, "wall_s"))).text);
	page = report_page_begin(out, json,
	                         !has_failed ? title
	                         : is_load   ? "The load failed"
	                                     : "The reindexing failed",
	                         "databases",
	                         "<p class=\"path\">{directory}/data.mdb</p>\n");
	if (has_failed && is_load) {
		(void)fputs("<p>" SUMMARY_UNCHANGED "</p>", out);
	}
	if (next != NULL) {
		(void)fputs("<p class=\"path\" id=\"next\">Next: ", out);
		html_text(out, next);
		(void)fputs("</p>\n", out);
	}
	return page;
}

static void print_cards(FILE *out, const json_t *json)
{
	const json_t *memory = json_object_get(json, "memory");
	uint64_t entries = fact_entries(json);
	uint64_t left_out = fact_left_out(json);
	double wall_s = fact_seconds(json, "wall_s");
	const struct report_card cards[] = {
		{"entries", "entries", entries, false, false},
		{"left_out", "left out", left_out, false, left_out > 0},
		{"rate", "entries/s",
	         wall_s > 0 ? (uint64_t)((double)entries / wall_s) : 0, false, false},
		{"bytes", "database",
	         fact_sum(json_object_get(json, "databases"), "bytes"), true, false},
		{"memory", "peak memory", fact_number(memory, "peak_anonymous_bytes"),
	         true, false},
		{"spilled", "temporary files", fact_number(json, "spilled_bytes"), true,
	         false},
	};

	report_page_cards(out, cards, sizeof(cards) / sizeof(cards[0]));
}

static void print_run(const struct filler *page, const json_t *rows)
{
	const json_t *json = page->json;
	double cpu_s =
		fact_seconds(json, "cpu_user_s") + fact_seconds(json, "cpu_system_s");

	(void)rows;
	pattern_fill(page, "<p class=\"path\"><code>{command:words}</code></p>\n");
	(void)fprintf(page->out, "<p class=\"note\">%s of wall clock, %s of CPU, ",
	              figure_seconds(fact_seconds(json, "wall_s")).text,
	              figure_seconds(cpu_s).text);
	pattern_fill(page, "{tool_threads} tool threads on {processors} processors, exit "
	                   "status {exit_status}.</p>\n");
}

/* ---- phases ---- */

static json_t *phases(const json_t *json)
{
	return fact_seconds(json, "wall_s") > 0
	               ? json_incref(json_object_get(json, "phases"))
	               : NULL;
}

static void draw_phases(const struct filler *page, const json_t *rows)
{
	(void)fputs(
		"<div class=\"bar\" role=\"img\" aria-label=\"time of the phases, one "
		"after the other\">",
		page->out);
	pattern_fill_rows(
		*page, rows,
		REPORT_PART("{name}", "{name:phase}", "{wall_s:percent:/wall_s}"));
	(void)fputs("</div>\n", page->out);
}

/* ---- over time ---- */

/* One chart: a figure of all samples. */
struct series {
	const char *title;
	const char *phase; /* of this one alone; NULL: of all */
	const char *field;
	bool is_rate; /* how much more in a second; else the figure itself */
};

static const struct series all_series[] = {
	{"entries per second", "entries", "entries", true},
	{"postings written per second", "indexes", "phase_done", true},
	{"memory", NULL, "anonymous_bytes", false},
};

/* Two samples make one part. */
static json_t *samples(const json_t *json)
{
	bool has_parts = json_array_size(json_object_get(json, "samples")) >= 3;

	return has_parts && fact_seconds(json, "wall_s") > 0
	               ? json_incref(json_object_get(json, "samples"))
	               : NULL;
}

/* From one sample to the next. */
static double value_at(const struct series *series, const json_t *from, const json_t *to)
{
	double seconds = fact_seconds(to, "time_s") - fact_seconds(from, "time_s");
	double before = (double)fact_number(from, series->field);
	double after = (double)fact_number(to, series->field);

	if (!series->is_rate) {
		return before;
	}
	if (strcmp(fact_text(from, "phase"), series->phase) != 0 || seconds <= 0 ||
	    strcmp(fact_text(to, "phase"), series->phase) != 0 || after < before) {
		return 0;
	}
	return (after - before) / seconds;
}

/* From each sample to the next. The first part is empty: the time before it. */
static json_t *parts_of(const struct series *series, const json_t *samples)
{
	double before_s = fact_seconds(json_array_get(samples, 0), "time_s");
	json_t *parts = json_pack("[{s:f, s:f}]", "seconds", before_s, "value", 0.0);

	for (size_t i = 1; i < json_array_size(samples); i++) {
		const json_t *from = json_array_get(samples, i - 1);
		const json_t *to = json_array_get(samples, i);
		double seconds =
			fact_seconds(to, "time_s") - fact_seconds(from, "time_s");
		json_t *part = json_pack("{s:s, s:f, s:f}", "phase",
		                         fact_text(from, "phase"), "seconds", seconds,
		                         "value", value_at(series, from, to));

		(void)json_array_append_new(parts, part);
	}
	return parts;
}

static void draw_series(const struct filler *page, const struct series *series,
                        const json_t *samples)
{
	double wall_s = fact_seconds(page->json, "wall_s");
	json_t *parts = parts_of(series, samples);
	double max = 0;

	for (size_t i = 0; i < json_array_size(parts); i++) {
		max = fmax(max, fact_seconds(json_array_get(parts, i), "value"));
	}
	if (max > 0) {
		(void)fprintf(page->out,
		              "<figure><div class=\"axis\"><span>%s</span><span>%s at "
		              "most</span></div>\n"
		              "<div class=\"series\" role=\"img\" aria-label=\"%s\">",
		              series->title,
		              series->is_rate ? figure_count((uint64_t)max).text
		                              : figure_bytes((uint64_t)max).text,
		              series->title);
		pattern_fill_rows(
			*page, parts,
			"<i class=\"{phase}\" style=\"width:"
			"{seconds:percent:/wall_s}%;height:{value:bar}%\"></i>");
		(void)fprintf(
			page->out,
			"</div>\n<div class=\"axis\"><span>0 s</span><span>%s</span>"
			"<span>%s</span></div></figure>\n",
			figure_seconds(wall_s / 2).text, figure_seconds(wall_s).text);
	}
	json_decref(parts);
}

static void draw_samples(const struct filler *page, const json_t *rows)
{
	(void)fputs("<ul class=\"key\">\n", page->out);
	pattern_fill_rows(*page, json_object_get(page->json, "phases"),
	                  REPORT_KEY("{name}", "{name:phase}"));
	(void)fputs("</ul>\n", page->out);
	for (size_t i = 0; i < sizeof(all_series) / sizeof(all_series[0]); i++) {
		draw_series(page, &all_series[i], rows);
	}
}

/* ---- threads ---- */

/* With the time of the longest one in each row. */
static json_t *threads(const json_t *json)
{
	json_t *rows = json_deep_copy(json_object_get(json, "threads"));
	double max = 0;

	for (size_t i = 0; i < json_array_size(rows); i++) {
		const json_t *thread = json_array_get(rows, i);

		max = fmax(max, fact_seconds(thread, "busy_s") +
		                        fact_seconds(thread, "ready_s") +
		                        fact_seconds(thread, "waiting_s"));
	}
	for (size_t i = 0; i < json_array_size(rows); i++) {
		(void)json_object_set_new(json_array_get(rows, i), "longest_s",
		                          json_real(max));
	}
	if (max <= 0) {
		(void)json_array_clear(rows);
	}
	return rows;
}

static void print_key(const struct filler *page, const json_t *rows)
{
	(void)rows;
	(void)fputs("<ul class=\"key\">\n" REPORT_KEY("busy", "busy")
	                    REPORT_KEY("ready", "ready, without a processor") REPORT_KEY(
				    "waiting",
				    "waiting for others or for the disk") "</ul>\n",
	            page->out);
}

/* ---- indexes ---- */

static json_t *lengths(const json_t *json)
{
	return report_page_lengths(fact_indexes(json));
}

/* clang-format off */
static const struct report_table phases_table = {"rows", " data-phase=\"{name}\"", {
	{"phase", .pattern = "<i class=\"swatch {name}\"></i>{name:phase}"},
	{"time", .pattern = "{wall_s:seconds}"},
	{"share", .pattern = "{wall_s:share:/wall_s}"},
	{"CPU", .pattern = "{cpu_s:seconds}"},
	{"throughput", .pattern = "[{entries_per_s:count} entries/s][{postings_per_s:count} postings/s]"},
}};

static const struct report_table threads_table = {"rows", " data-thread=\"{name}\"", {
	{"thread", .pattern = "{name}"},
	{"", .class = "chart broad", .pattern = REPORT_BAR("{name}",
	 REPORT_PART("busy", "busy", "{busy_s:percent:longest_s}")
	 REPORT_PART("ready", "ready", "{ready_s:percent:longest_s}")
	 REPORT_PART("waiting", "waiting", "{waiting_s:percent:longest_s}"))},
	{"busy", .pattern = "{busy_s:seconds}"},
	{"ready", .pattern = "{ready_s:seconds}"},
	{"waiting", .pattern = "{waiting_s:seconds}"},
}};

static const struct report_table indexes_table = {"rows", " data-index=\"{name}\"", {
	{"index", .pattern = "{name}"},
	{"", .pattern = REPORT_SIZE("bytes:bar:postings"), .class = "chart"},
	{"size", .pattern = "{bytes:bytes}"},
	{"time", .pattern = "{wall_s:seconds}"},
	{"postings", .pattern = "{postings:count}"},
	{"keys", .pattern = "{keys:count}"},
	{"range keys", .pattern = "{range_keys:count}"},
	{"share", .pattern = "{range_keys:share:keys}"},
	{"lengths of lists", .pattern = REPORT_LISTS, .class = "chart"},
}};

static const struct report_section sections[] = {
	{"refusals", "What was left out, and why", .array = "refusals",
	 .list = "<li data-kind=\"{kind}\"><strong>{kind}</strong>: {records:count} "
	 "record{records:plural}, the first at line {first_line:count}<br/><span class=\"path\">"
	 "{first_dn}</span><br/><span class=\"note path\">{first_explanation:or:first_reason}"
	 "</span></li>\n"},
	{"phases", "Where the time went", .rows = phases, .body = draw_phases,
	 .table = &phases_table},
	{"time", "Over time", .rows = samples, .body = draw_samples},
	{"threads", "Threads", .rows = threads, .body = print_key, .table = &threads_table},
	{"indexes", "What each index costs",
	 "The index that took the most time comes first. A range key holds the first and the last "
	 "ID of its entries in place of a list: a search reads every entry between them.",
	 .rows = fact_indexes, .table = &indexes_table},
	{"lengths", "Lengths of lists", REPORT_LENGTHS_NOTE, .rows = lengths,
	 .table = &report_lengths_table},
	{"run", "The run", .rows = report_page_always, .body = print_run},
};
/* clang-format on */

void report_write(FILE *out, const json_t *json, const char *next)
{
	struct filler page = print_head(out, json, next);

	print_cards(out, json);
	report_page_sections(&page, sections, sizeof(sections) / sizeof(sections[0]));
	report_page_end(out);
}
