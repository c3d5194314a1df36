/* SPDX-License-Identifier: BSD-2-Clause */
/* Phases, throughput and memory over time, threads. */
#include "report_charts.h"

#include <stdbool.h>
#include <string.h>

#include "figures.h"
#include "html.h"
#include "run_facts.h"
#include "svg.h"

#define BAR_HEIGHT   16
#define PANEL_HEIGHT 64
#define LABEL_HEIGHT 18

static void print_key(FILE *out, const char *colour, const char *text)
{
	(void)fprintf(out,
	              "<li><svg viewBox=\"0 0 1 1\"><rect class=\"%s\" width=\"1\" "
	              "height=\"1\"/></svg>",
	              colour);
	html_text(out, text);
	(void)fputs("</li>\n", out);
}

/* ---- phases ---- */

static void draw_phases(FILE *out, const json_t *phases, double wall_s)
{
	double left = 0;

	svg_begin(out, BAR_HEIGHT, "time of the phases, one after the other");
	for (size_t i = 0; i < json_array_size(phases); i++) {
		const json_t *phase = json_array_get(phases, i);
		double right = left + fact_seconds(phase, "wall_s") / wall_s;
		struct svg_box box = {.left = left,
		                      .right = right < 1 ? right : 1,
		                      .bottom = BAR_HEIGHT};

		svg_bar(out, box, fact_text(phase, "name"),
		        fact_phase_title(fact_text(phase, "name")));
		left = right;
	}
	svg_end(out);
}

static void print_rate(FILE *out, const json_t *phase)
{
	uint64_t entries = fact_number(phase, "entries_per_s");
	uint64_t postings = fact_number(phase, "postings_per_s");

	if (entries > 0 || postings > 0) {
		(void)fprintf(
			out,
			"<td data-label=\"throughput\"><data value=\"%llu\">%s</data> %s/s</td>",
			(unsigned long long)(entries > 0 ? entries : postings),
			figure_count(entries > 0 ? entries : postings).text,
			entries > 0 ? "entries" : "postings");
	} else {
		(void)fputs("<td></td>", out);
	}
}

static void print_phase(FILE *out, const json_t *phase, double wall_s)
{
	const char *name = fact_text(phase, "name");

	(void)fputs("<tr data-phase=\"", out);
	html_text(out, name);
	(void)fprintf(
		out,
		"\"><td><svg width=\"10\" height=\"10\" style=\"display:inline-block;"
		"margin-right:.4rem\"><rect class=\"%s\" width=\"10\" "
		"height=\"10\"/></svg>",
		name);
	html_text(out, fact_phase_title(name));
	(void)fputs("</td>", out);
	html_seconds(out, "time", fact_seconds(phase, "wall_s"));
	html_share(out, "share", fact_seconds(phase, "wall_s"), wall_s);
	html_seconds(out, "CPU", fact_seconds(phase, "cpu_s"));
	print_rate(out, phase);
	(void)fputs("</tr>\n", out);
}

void report_phases(FILE *out, const json_t *json)
{
	const json_t *phases = json_object_get(json, "phases");
	double wall_s = fact_seconds(json, "wall_s");

	if (json_array_size(phases) == 0 || wall_s <= 0) {
		return;
	}
	(void)fputs("<section id=\"phases\"><h2>Where the time went</h2>\n", out);
	draw_phases(out, phases, wall_s);
	(void)fputs(
		"<div class=\"wide\"><table class=\"rows\"><thead><tr><th>phase</th><th>time</th>"
		"<th>share</th><th>CPU</th><th>throughput</th></tr></thead><tbody>\n",
		out);
	for (size_t i = 0; i < json_array_size(phases); i++) {
		print_phase(out, json_array_get(phases, i), wall_s);
	}
	(void)fputs("</tbody></table></div></section>\n", out);
}

/* ---- over time ---- */

/* One panel: a figure of all samples. */
struct panel {
	const char *title;
	const char *phase; /* of this one alone; NULL: of all */
	const char *field;
	bool is_rate; /* how much more in a second; else the figure itself */
	bool is_bytes;
};

static const struct panel panels[] = {
	{"entries per second", "entries", "entries", true, false},
	{"postings written per second", "indexes", "phase_done", true, false},
	{"memory", NULL, "anonymous_bytes", false, true},
};

/* From one sample to the next. */
static double value_at(const struct panel *panel, const json_t *from, const json_t *to)
{
	double seconds = fact_seconds(to, "time_s") - fact_seconds(from, "time_s");
	double before = (double)fact_number(from, panel->field);
	double after = (double)fact_number(to, panel->field);

	if (!panel->is_rate) {
		return before;
	}
	if (strcmp(fact_text(from, "phase"), panel->phase) != 0 || seconds <= 0 ||
	    strcmp(fact_text(to, "phase"), panel->phase) != 0 || after < before) {
		return 0;
	}
	return (after - before) / seconds;
}

static double greatest(const struct panel *panel, const json_t *samples)
{
	double max = 0;

	for (size_t i = 1; i < json_array_size(samples); i++) {
		double value = value_at(panel, json_array_get(samples, i - 1),
		                        json_array_get(samples, i));

		max = value > max ? value : max;
	}
	return max;
}

static void draw_panel(FILE *out, const struct panel *panel, const json_t *samples,
                       double wall_s)
{
	double max = greatest(panel, samples);
	double bottom = LABEL_HEIGHT + PANEL_HEIGHT;
	struct figure peak = panel->is_bytes ? figure_bytes((uint64_t)max)
	                                     : figure_count((uint64_t)max);
	char text[100];

	if (max <= 0) {
		return;
	}
	(void)snprintf(text, sizeof(text), "%s at most", peak.text);
	svg_begin(out, bottom + LABEL_HEIGHT, panel->title);
	svg_text(out, 0, LABEL_HEIGHT - 6, SVG_START, panel->title);
	svg_text(out, 1, LABEL_HEIGHT - 6, SVG_END, text);
	svg_rule(out, (struct svg_box){.right = 1, .top = LABEL_HEIGHT});
	for (size_t i = 1; i < json_array_size(samples); i++) {
		const json_t *from = json_array_get(samples, i - 1);
		const json_t *to = json_array_get(samples, i);
		double height = PANEL_HEIGHT * value_at(panel, from, to) / max;

		svg_bar(out,
		        (struct svg_box){.left = fact_seconds(from, "time_s") / wall_s,
		                         .right = fact_seconds(to, "time_s") / wall_s,
		                         .top = bottom - height,
		                         .bottom = bottom},
		        fact_text(from, "phase"), NULL);
	}
	svg_rule(out, (struct svg_box){.right = 1, .top = bottom});
	svg_text(out, 0, bottom + 14, SVG_START, "0 s");
	svg_text(out, 0.5, bottom + 14, SVG_MIDDLE, figure_seconds(wall_s / 2).text);
	svg_text(out, 1, bottom + 14, SVG_END, figure_seconds(wall_s).text);
	svg_end(out);
}

void report_over_time(FILE *out, const json_t *json)
{
	const json_t *samples = json_object_get(json, "samples");
	const json_t *phases = json_object_get(json, "phases");
	double wall_s = fact_seconds(json, "wall_s");

	if (json_array_size(samples) < 3 || wall_s <= 0) {
		return;
	}
	(void)fputs("<section id=\"time\"><h2>Over time</h2>\n<ul class=\"key\">\n", out);
	for (size_t i = 0; i < json_array_size(phases); i++) {
		const char *name = fact_text(json_array_get(phases, i), "name");

		print_key(out, name, fact_phase_title(name));
	}
	(void)fputs("</ul>\n", out);
	for (size_t i = 0; i < sizeof(panels) / sizeof(panels[0]); i++) {
		draw_panel(out, &panels[i], samples, wall_s);
	}
	(void)fputs("</section>\n", out);
}

/* ---- threads ---- */

static void draw_thread(FILE *out, const json_t *thread, double wall_s)
{
	static const char *const parts[] = {"busy", "ready", "waiting"};
	static const char *const fields[] = {"busy_s", "ready_s", "waiting_s"};
	double left = 0;

	svg_begin(out, BAR_HEIGHT, fact_text(thread, "name"));
	for (size_t i = 0; i < 3; i++) {
		double right = left + fact_seconds(thread, fields[i]) / wall_s;

		svg_bar(out,
		        (struct svg_box){
				.left = left, .right = right, .bottom = BAR_HEIGHT},
		        parts[i], parts[i]);
		left = right;
	}
	svg_end(out);
}

static double longest_thread(const json_t *threads)
{
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

void report_threads(FILE *out, const json_t *json)
{
	const json_t *threads = json_object_get(json, "threads");
	double longest_s = longest_thread(threads);

	if (longest_s <= 0) {
		return;
	}
	(void)fputs("<section id=\"threads\"><h2>Threads</h2>\n<ul class=\"key\">\n",
	            out);
	print_key(out, "busy", "busy");
	print_key(out, "ready", "ready, without a processor");
	print_key(out, "waiting", "waiting for others or for the disk");
	(void)fputs(
		"</ul>\n<div class=\"wide\"><table class=\"rows\"><thead><tr><th>thread</th><th></th>"
		"<th>busy</th><th>ready</th><th>waiting</th></tr></thead><tbody>\n",
		out);
	for (size_t i = 0; i < json_array_size(threads); i++) {
		const json_t *thread = json_array_get(threads, i);

		(void)fputs("<tr data-thread=\"", out);
		html_text(out, fact_text(thread, "name"));
		(void)fputs("\">", out);
		html_element(out, "td", fact_text(thread, "name"));
		(void)fputs("<td class=\"chart broad\">", out);
		draw_thread(out, thread, longest_s);
		(void)fputs("</td>", out);
		html_seconds(out, "busy", fact_seconds(thread, "busy_s"));
		html_seconds(out, "ready", fact_seconds(thread, "ready_s"));
		html_seconds(out, "waiting", fact_seconds(thread, "waiting_s"));
		(void)fputs("</tr>\n", out);
	}
	(void)fputs("</tbody></table></div></section>\n", out);
}
