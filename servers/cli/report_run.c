/* SPDX-License-Identifier: BSD-2-Clause */
/* The page of a run: its head, key figures, and the table of its sections. */
#include "report_run.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "figures.h"
#include "html.h"
#include "report_page.h"
#include "run_facts.h"
#include "summary.h"

/* The meaning of a colour, an element of <ul class="key">. */
#define KEY(class, text)                                                                 \
 "<li><svg viewBox=\"0 0 1 1\"><rect class=\"" class                                     \
	 "\" width=\"1\" height=\"1\"/></svg>" text "</li>\n"

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
		html_element(out, "p", SUMMARY_UNCHANGED);
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

#define NPHASES 8

static void draw_phases(const struct filler *page, const json_t *rows)
{
	double wall_s = fact_seconds(page->json, "wall_s");
	struct chart_part parts[NPHASES];
	size_t n = 0;

	for (; n < json_array_size(rows) && n < NPHASES; n++) {
		const json_t *phase = json_array_get(rows, n);
		const char *name = fact_text(phase, "name");

		parts[n] = (struct chart_part){.share = fact_seconds(phase, "wall_s") /
		                                        wall_s,
		                               .colour = name,
		                               .title = fact_phase_title(name)};
	}
	chart_stack(page->out, "time of the phases, one after the other", parts, n);
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

/* The first part is empty: the time before the first sample. */
static void draw_series(FILE *out, const struct series *series, const json_t *rows,
                        double wall_s)
{
	size_t n = json_array_size(rows);
	struct chart_part *parts = calloc(n, sizeof(*parts));
	struct chart_axis axis = {.title = series->title, .seconds = wall_s};
	char peak[60];

	for (size_t i = 1; i < n && parts != NULL; i++) {
		const json_t *from = json_array_get(rows, i - 1);
		const json_t *to = json_array_get(rows, i);

		parts[0].share =
			i == 1 ? fact_seconds(from, "time_s") / wall_s : parts[0].share;
		parts[i].colour = fact_text(from, "phase");
		parts[i].value = value_at(series, from, to);
		parts[i].share =
			(fact_seconds(to, "time_s") - fact_seconds(from, "time_s")) /
			wall_s;
		axis.max = parts[i].value > axis.max ? parts[i].value : axis.max;
	}
	(void)snprintf(peak, sizeof(peak), "%s at most",
	               series->is_rate ? figure_count((uint64_t)axis.max).text
	                               : figure_bytes((uint64_t)axis.max).text);
	axis.peak = peak;
	if (axis.max > 0) {
		chart_series(out, &axis, parts, n);
	}
	free(parts);
}

static void draw_samples(const struct filler *page, const json_t *rows)
{
	(void)fputs("<ul class=\"key\">\n", page->out);
	pattern_fill_rows(*page, json_object_get(page->json, "phases"),
	                  KEY("{name}", "{name:phase}"));
	(void)fputs("</ul>\n", page->out);
	for (size_t i = 0; i < sizeof(all_series) / sizeof(all_series[0]); i++) {
		draw_series(page->out, &all_series[i], rows,
		            fact_seconds(page->json, "wall_s"));
	}
}

/* ---- threads ---- */

static double longest_thread(const json_t *json)
{
	const json_t *threads = json_object_get(json, "threads");
	double max = 0;

	for (size_t i = 0; i < json_array_size(threads); i++) {
		const json_t *thread = json_array_get(threads, i);
		double seconds = fact_seconds(thread, "busy_s") +
		                 fact_seconds(thread, "ready_s") +
		                 fact_seconds(thread, "waiting_s");

		max = seconds > max ? seconds : max;
	}
	return max;
}

static json_t *threads(const json_t *json)
{
	return longest_thread(json) > 0 ? json_incref(json_object_get(json, "threads"))
	                                : NULL;
}

static void print_key(const struct filler *page, const json_t *rows)
{
	(void)rows;
	(void)fputs("<ul class=\"key\">\n" KEY("busy", "busy")
	                    KEY("ready", "ready, without a processor")
	                            KEY("waiting",
	                                "waiting for others or for the disk") "</ul>\n",
	            page->out);
}

static void draw_thread(const struct filler *row)
{
	static const char *const fields[] = {"busy_s", "ready_s", "waiting_s"};
	static const char *const names[] = {"busy", "ready", "waiting"};
	struct chart_part parts[3];

	for (size_t i = 0; i < 3; i++) {
		parts[i] =
			(struct chart_part){.share = fact_seconds(row->row, fields[i]) /
		                                     longest_thread(row->json),
		                            .colour = names[i],
		                            .title = names[i]};
	}
	chart_stack(row->out, fact_text(row->row, "name"), parts, 3);
}

/* ---- indexes ---- */

static json_t *lengths(const json_t *json)
{
	return report_page_lengths(fact_indexes(json));
}

/* clang-format off */
static const struct report_table phases_table = {"rows", " data-phase=\"{name}\"", {
	{"phase", .pattern = "<svg width=\"10\" height=\"10\" style=\"display:inline-block;"
	 "margin-right:.4rem\"><rect class=\"{name}\" width=\"10\" height=\"10\"/></svg>"
	 "{name:phase}"},
	{"time", .pattern = "{wall_s:seconds}"},
	{"share", .pattern = "{wall_s:share:/wall_s}"},
	{"CPU", .pattern = "{cpu_s:seconds}"},
	{"throughput", .pattern = "[{entries_per_s:count} entries/s][{postings_per_s:count} postings/s]"},
}};

static const struct report_table threads_table = {"rows", " data-thread=\"{name}\"", {
	{"thread", .pattern = "{name}"},
	{"", .class = "chart broad", .draw = draw_thread},
	{"busy", .pattern = "{busy_s:seconds}"},
	{"ready", .pattern = "{ready_s:seconds}"},
	{"waiting", .pattern = "{waiting_s:seconds}"},
}};

static const struct report_table indexes_table = {"rows", " data-index=\"{name}\"", {
	{"index", .pattern = "{name}"},
	{"", .pattern = "{bytes:bar:postings}", .class = "chart"},
	{"size", .pattern = "{bytes:bytes}"},
	{"time", .pattern = "{wall_s:seconds}"},
	{"postings", .pattern = "{postings:count}"},
	{"keys", .pattern = "{keys:count}"},
	{"range keys", .pattern = "{range_keys:count}"},
	{"share", .pattern = "{range_keys:share:keys}"},
	{"lengths of lists", .pattern = "{list_lengths:lengths}", .class = "chart"},
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
