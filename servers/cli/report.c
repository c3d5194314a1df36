/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One table of sections: those of a run, then those of a check. Rows are objects of the
 * JSON, shown by patterns (patterns.h). Charts are boxes of percents, as wide as their
 * place, on a phone as in print: a bar with parts; a bar as long as its figure next to
 * that of the other rows; the lengths of the lists of an index; a series over time.
 */
#include "report.h"

#include <stdbool.h>
#include <string.h>

#include <jansson.h>

#include "figures.h"
#include "patterns.h"
#include "report_style.h"
#include "run_facts.h"
#include "summary.h"

#define NLONGEST 10
#define NPARTS   4
#define NCOLUMNS 11

struct column {
	const char *title; /* NULL: no further column */
	const char *pattern;
	const char *class; /* "chart", "chart broad", "path"; NULL: none */
};

struct table {
	const char *class; /* "rows": rows become blocks on a narrow screen; "" */
	const char *mark;  /* pattern of an attribute of each row, from a space on; "" */
	struct column columns[NCOLUMNS];
};

/** The lines above the table: patterns of the whole JSON, and of each row. */
struct part {
	const char *before;
	const char *each;  /* NULL: there are no rows; else, without rows, no such part */
	const char *after; /* NULL: nothing */
	const char *array; /* whose rows; NULL: those of the section */
	const char *field; /* if it is 0 in all rows, no such part; NULL: any rows */
};

struct section {
	const char *id;
	const char *title;
	const char *note;                    /* NULL: none */
	const char *array;                   /* rows are those of the JSON; or */
	json_t *(*rows)(const json_t *json); /* owned. NULL, []: no section */
	void (*body)(const struct filler *page, const json_t *rows); /* NULL: none */
	struct part parts[NPARTS];
	const struct table *table; /* below; NULL: none */
};

/* ---- rows that the JSON does not have as they are ---- */

/* The databases of a check that are indexes, or the others; the largest first. Owned. */
static json_t *choose(const json_t *json, bool is_index)
{
	json_t *rows = fact_largest(json_object_get(json, "databases"), 0);

	for (size_t i = json_array_size(rows); i > 0; i--) {
		const json_t *row = json_array_get(rows, i - 1);

		if (json_object_get(row, "index") != json_boolean(is_index)) {
			(void)json_array_remove(rows, i - 1);
		}
	}
	return rows;
}

static json_t *indexes(const json_t *json)
{
	return choose(json, true);
}

static json_t *others(const json_t *json)
{
	return choose(json, false);
}

/* The kinds as rows. */
static json_t *findings(const json_t *json)
{
	json_t *rows = json_array();
	const char *kind = NULL;
	json_t *n = NULL;

	json_object_foreach(json_object_get(json, "kinds"), kind, n)
	{
		(void)json_array_append_new(
			rows, json_pack("{s:s, s:O}", "kind", kind, "findings", n));
	}
	return rows;
}

/* How many entries the keys of indexes lead to. @param indexes  taken */
static json_t *lengths_of(json_t *indexes)
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

static json_t *lengths(const json_t *json)
{
	json_t *of_run = fact_indexes(json);

	return lengths_of(of_run != NULL ? of_run : indexes(json));
}

/* Each with its database. */
static json_t *longest(const json_t *json)
{
	json_t *all = indexes(json);
	json_t *rows = json_array();

	for (size_t i = 0; i < json_array_size(all); i++) {
		const json_t *index = json_array_get(all, i);
		json_t *lists = json_deep_copy(json_object_get(index, "longest"));

		for (size_t k = 0; k < json_array_size(lists); k++) {
			json_t *list = json_array_get(lists, k);

			(void)json_object_set(list, "database",
			                      json_object_get(index, "database"));
			(void)json_object_set(list, "file",
			                      json_object_get(index, "file"));
		}
		(void)json_array_extend(rows, lists);
		json_decref(lists);
	}
	json_decref(all);
	rows = fact_longest(rows);
	while (json_array_size(rows) > NLONGEST) {
		(void)json_array_remove(rows, NLONGEST);
	}
	return rows;
}

/* With "maxsize_bytes" of the configuration. */
static json_t *files(const json_t *json)
{
	const json_t *configs = json_object_get(json, "configuration");
	json_t *rows = json_deep_copy(json_object_get(json, "files"));

	for (size_t i = 0; i < json_array_size(configs); i++) {
		const json_t *config = json_array_get(configs, i);

		for (size_t k = 0; k < json_array_size(rows); k++) {
			json_t *row = json_array_get(rows, k);

			if (json_equal(json_object_get(row, "file"),
			               json_object_get(config, "file")) == 1) {
				(void)json_object_update_missing(row, (json_t *)config);
			}
		}
	}
	return rows;
}

static json_t *searched(const json_t *json)
{
	return json_object_get(json, "filter_log") == NULL
	               ? NULL
	               : json_incref(json_object_get(json, "configuration"));
}

/* ---- tables and sections ---- */

/* The first column names its row; each other one has a label, for narrow screens. */
static void print_cell(const struct filler *row, const struct column *column,
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

static void print_table(struct filler page, const struct table *table, const json_t *rows)
{
	const struct column *column = table->columns;

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

static void print_part(struct filler page, const struct part *part, const json_t *rows)
{
	page.rows = part->array == NULL ? rows : json_object_get(page.json, part->array);
	if (part->each != NULL &&
	    (json_array_size(page.rows) == 0 ||
	     (part->field != NULL && pattern_greatest(page.rows, part->field) <= 0))) {
		return;
	}
	pattern_fill(&page, part->before);
	if (part->each != NULL) {
		pattern_fill_rows(page, page.rows, part->each);
	}
	if (part->after != NULL) {
		pattern_fill(&page, part->after);
	}
}

static void print_section(const struct filler *page, const struct section *section,
                          const json_t *rows)
{
	(void)fprintf(page->out, "<section id=\"%s\"><h2>%s</h2>\n", section->id,
	              section->title);
	if (section->note != NULL) {
		(void)fprintf(page->out, "<p class=\"note\">%s</p>\n", section->note);
	}
	for (size_t i = 0; i < NPARTS && section->parts[i].before != NULL; i++) {
		print_part(*page, &section->parts[i], rows);
	}
	if (section->body != NULL) {
		section->body(page, rows);
	}
	if (section->table != NULL) {
		print_table(*page, section->table, rows);
	}
	(void)fputs("</section>\n", page->out);
}

/* ---- the sections ---- */

/* clang-format off */
#define PART(colour, title, width)                                                         \
 "<i class=\"" colour "\" title=\"" title "\" style=\"width:" width "%\"></i>"
#define BAR_BEGIN(title) "<div class=\"bar\" role=\"img\" aria-label=\"" title "\">"
#define BAR(title, parts) BAR_BEGIN(title) parts "</div>"
#define SIZE(figure)                                                                       \
 BAR("size, next to the largest one", PART("indexes", "size", "{" figure "}"))
#define LISTS                                                                              \
 "<div class=\"columns\" role=\"img\" aria-label=\"lengths of lists, from one ID to "      \
 "many\">{list_lengths:lengths}</div>"
#define KEY(colour, text) "<li><i class=\"swatch " colour "\"></i>" text "</li>\n"
#define RANGES                                                                             \
 "A range key holds the first and the last ID of its entries in place of a list: a search " \
 "reads every entry between them."
/* A figure of all samples, each as wide as it lasts. */
#define SERIES(title, name, how)                                                           \
 {.before = "<figure><div class=\"axis\"><span>" title "</span><span>{" name             \
  ":greatest:" how "} at most</span></div>\n<div class=\"series\" role=\"img\" "      \
  "aria-label=\"" title "\"><i style=\"width:{samples.0.time_s:percent:/wall_s}%\"></i>", \
  .each = "<i class=\"{phase}\" style=\"width:{lasts_s:percent:/wall_s}%;height:{" name  \
  ":bar}%\"></i>",                                                                         \
  .after = "</div>\n<div class=\"axis\"><span>0 s</span><span>{wall_s:part:2}</span>"   \
  "<span>{wall_s:part:1}</span></div></figure>\n", .field = (name)}

static const struct table phases_table = {"rows", " data-phase=\"{name}\"", {
	{"phase", .pattern = "<i class=\"swatch {name}\"></i>{name:phase}"},
	{"time", .pattern = "{wall_s:seconds}"},
	{"share", .pattern = "{wall_s:share:/wall_s}"},
	{"CPU", .pattern = "{cpu_s:seconds}"},
	{"throughput", .pattern = "[{entries_per_s:count} entries/s][{postings_per_s:count} postings/s]"},
}};

static const struct table threads_table = {"rows", " data-thread=\"{name}\"", {
	{"thread", .pattern = "{name}"},
	{"", .class = "chart broad", .pattern = BAR("{name}",
	 PART("busy", "busy", "{busy_s:percent:/wall_s}")
	 PART("ready", "ready", "{ready_s:percent:/wall_s}")
	 PART("waiting", "waiting", "{waiting_s:percent:/wall_s}"))},
	{"busy", .pattern = "{busy_s:seconds}"},
	{"ready", .pattern = "{ready_s:seconds}"},
	{"waiting", .pattern = "{waiting_s:seconds}"},
}};

static const struct table run_indexes_table = {"rows", " data-index=\"{name}\"", {
	{"index", .pattern = "{name}"},
	{"", .pattern = SIZE("bytes:bar:postings"), .class = "chart"},
	{"size", .pattern = "{bytes:bytes}"},
	{"time", .pattern = "{wall_s:seconds}"},
	{"postings", .pattern = "{postings:count}"},
	{"keys", .pattern = "{keys:count}"},
	{"range keys", .pattern = "{range_keys:count}"},
	{"share", .pattern = "{range_keys:share:keys}"},
	{"lengths of lists", .pattern = LISTS, .class = "chart"},
}};

static const struct table lengths_table = {"", " data-from=\"{from}\"", {
	{"entries", .pattern = "{title}"},
	{"", .pattern = BAR("keys", PART("entries", "keys", "{keys:bar}")), .class = "chart broad"},
	{"keys", .pattern = "{keys:count}"},
	{"share", .pattern = "{keys:share:all}"},
}};

static const struct table uses_table = {"", " data-use=\"{name}\"", {
	{"index", .pattern = "{name}"},
	{"eq", .pattern = "{uses.eq:known}"},
	{"sub", .pattern = "{uses.sub:known}"},
	{"pres", .pattern = "{uses.pres:known}"},
	{"approx", .pattern = "{uses.approx:known}"},
}};

static const struct table missing_table = {"", " data-missing=\"{attribute}\"", {
	{"attribute", .pattern = "{attribute}"},
	{"kind", .pattern = "{kind}"},
	{"searches", .pattern = "{searches:count}"},
}};
static const struct table indexes_table = {"rows", " data-index=\"{database}\"", {
	{"index", .pattern = "{database}{file:several}"},
	{"", .pattern = SIZE("bytes:bar"), .class = "chart"},
	{"size", .pattern = "{bytes:bytes}"},
	{"per entry", .pattern = "{bytes:each:entries}"},
	{"fill", .pattern = "{used_bytes:share:bytes}"},
	{"keys", .pattern = "{keys:count}"},
	{"postings", .pattern = "{postings:count}"},
	{"range keys", .pattern = "{ranges:share:keys}"},
	{"longest list", .pattern = "{longest.0.postings:count}"},
	{"lengths of lists", .pattern = LISTS, .class = "chart"},
}};

static const struct table longest_table = {"", "", {
	{"index", .pattern = "{database}{file:several}"},
	{"value", .pattern = "{value:else:key }<code>{value:or:key}</code>", .class = "path"},
	{"entries", .pattern = "{postings:count}"},
}};

static const struct table databases_table = {"rows", " data-database=\"{database}\"", {
	{"database", .pattern = "{database}{file:several}"},
	{"", .pattern = SIZE("bytes:bar"), .class = "chart"},
	{"size", .pattern = "{bytes:bytes}"},
	{"per entry", .pattern = "{bytes:each:entries}"},
	{"fill", .pattern = "{used_bytes:share:bytes}"},
	{"records", .pattern = "{postings:count}"},
}};

static const struct table files_table = {"rows", "", {
	{"file", .pattern = "{file}", .class = "path"},
	{"pages", .pattern = "{pages:count}"},
	{"in trees", .pattern = "{pages_used:count}"},
	{"free", .pattern = "{pages_free:count}"},
	{"bytes of a page", .pattern = "{page_bytes:count}"},
	{"maxsize", .pattern = "{maxsize_bytes:bytes}"},
	{"transaction", .pattern = "{transaction:count}"},
}};
/* clang-format on */

/* For each configuration. */
static void print_searches(const struct filler *page, const json_t *rows)
{
	for (size_t i = 0; i < json_array_size(rows); i++) {
		struct filler config = *page;
		const json_t *missing = NULL;

		config.row = json_array_get(rows, i);
		missing = json_object_get(json_object_get(config.row, "searches"),
		                          "missing");
		pattern_fill(
			&config,
			"<h3 class=\"path\">Below {suffix}</h3>\n"
			"<p>{searches.counted:count} searches; for "
			"{searches.unindexed:count} of them slapd had to look at nearly "
			"every entry in scope.</p>\n<p class=\"note\">How many searches "
			"looked each index up; an empty place: not configured.</p>\n");
		print_table(*page, &uses_table, json_object_get(config.row, "indexes"));
		if (json_array_size(missing) > 0) {
			(void)fputs("<h3>Searched without an index</h3>\n", page->out);
			print_table(*page, &missing_table, missing);
		}
	}
}

/* clang-format off */
static const struct section sections[] = {
	{"refusals", "What was left out, and why", .array = "refusals",
	 .parts = {{.before = "<ul class=\"refusals\">\n",
	 .each = "<li data-kind=\"{kind}\"><strong>{kind}</strong>: {records:count} "
	 "record{records:plural}, the first at line {first_line:count}<br/><span class=\"path\">"
	 "{first_dn}</span><br/><span class=\"note path\">{first_explanation:or:first_reason}"
	 "</span></li>\n", .after = "</ul>\n"}}},
	{"phases", "Where the time went", .array = "phases",
	 .parts = {{.before = BAR_BEGIN("time of the phases, one after the other"),
	 .each = PART("{name}", "{name:phase}", "{wall_s:percent:/wall_s}"), .after = "</div>\n"}},
	 .table = &phases_table},
	{"time", "Over time", .array = "samples",
	 .parts = {{.before = "<ul class=\"key\">\n", .each = KEY("{name}", "{name:phase}"),
	 .after = "</ul>\n", .array = "phases"},
	 SERIES("entries per second", "entries_per_s", "count"),
	 SERIES("postings written per second", "postings_per_s", "count"),
	 SERIES("memory", "anonymous_bytes", "bytes")}},
	{"threads", "Threads", .array = "threads",
	 .parts = {{.before = "<ul class=\"key\">\n" KEY("busy", "busy")
	 KEY("ready", "ready, without a processor")
	 KEY("waiting", "waiting for others or for the disk") "</ul>\n"}},
	 .table = &threads_table},
	{"indexes", "What each index costs",
	 "The index that took the most time comes first. " RANGES,
	 .rows = fact_indexes, .table = &run_indexes_table},
	{"findings", "The file is damaged",
	 "ditcheck(8) says what each kind means, and what to do.", .rows = findings,
	 .parts = {{.before = "<ul class=\"refusals\">\n",
	 .each = "<li data-kind=\"{kind}\"><strong>{kind}</strong>: {findings:count}</li>\n",
	 .after = "</ul>\n"}}},
	{"advice", "Advice", .array = "files",
	 .parts = {{.before = "[<p>{page.no_advice}</p>]"},
	 {.before = "<p class=\"note\">Stop slapd for ditindex, or give it --online.</p>\n"
	 "<ol class=\"advice\">\n",
	 .each = "<li data-kind=\"{kind}\"><h3>{title}</h3><p>{seen}</p><p class=\"note\">{why}"
	 "</p>\n<ul class=\"steps\"><li>{steps:list}</li></ul></li>\n",
	 .after = "</ol>\n", .array = "advice"},
	 {.before = "",
	 .each = "<h3>All of it</h3>\n<p class=\"note path\">In slapd.conf (in cn=config: "
	 "values of olcDbIndex, without the word index; olcDbMaxSize), for {file}:"
	 "</p>\n<pre class=\"steps\">{lines:lines}\n</pre>\n<p class=\"note\">and "
	 "then:</p>\n<pre class=\"steps\">{command}</pre>\n", .array = "advised"}}},
	{"indexes", "What each index costs", "The largest comes first. " RANGES,
	 .rows = indexes, .table = &indexes_table},
	{"lengths", "Lengths of lists", "How many entries a key leads to, over all indexes.",
	 .rows = lengths, .table = &lengths_table},
	{"longest", "Longest lists",
	 "Each entry that comes with such a value makes its list longer. *: the key of presence; "
	 "sm*, *mith*, *ith: values with this piece. A key is shown where none of the first "
	 "entries has such a value.",
	 .rows = longest, .table = &longest_table},
	{"searches", "Searches of the log", .rows = searched, .body = print_searches},
	{"databases", "Entries and their tree", .rows = others, .table = &databases_table},
	{"files", "Pages", .rows = files, .table = &files_table},
	{"run", "The run", .array = "command",
	 .parts = {{.before = "<p class=\"path\"><code>{command:words}</code></p>\n"
	 "<p class=\"note\">{wall_s:part:1} of wall clock, {cpu_user_s:part:1} of CPU and "
	 "{cpu_system_s:part:1} in the kernel, {tool_threads} tool threads on {processors} "
	 "processors, exit status {exit_status}.</p>\n"}}},
};

#define CARD(id, title, how, mark)                                                          \
 "<div data-card=\"" id "\"" mark "><dt>" title "</dt><dd>{page." id ":" how "}</dd></div>\n"
#define CARDS(cards) "<dl class=\"cards\">\n" cards "</dl>\n"

static const char run_cards[] = CARDS(
	CARD("entries", "entries", "count", "")
	CARD("left_out", "left out", "count", "{page.left_out:bad}")
	CARD("rate", "entries/s", "count", "")
	CARD("bytes", "database", "bytes:0", "")
	CARD("memory", "peak memory", "bytes:0", "")
	CARD("spilled", "temporary files", "bytes:0", ""));

static const char check_cards[] = CARDS(
	CARD("entries", "entries", "count", "")
	CARD("bytes", "data file", "bytes:0", "")
	CARD("index_bytes", "indexes", "bytes:0", "")
	CARD("free_bytes", "free pages", "bytes:0", "")
	CARD("findings", "findings", "count", "{page.findings:bad}")
	CARD("advice", "pieces of advice", "count", ""));
/* clang-format on */

/* ---- head and key figures ---- */

static json_t *run_page(const json_t *json)
{
	bool has_failed = strcmp(fact_text(json, "result"), "failed") == 0;
	bool is_load = strcmp(fact_text(json, "program"), "ditadd") == 0;
	double wall_s = fact_seconds(json, "wall_s");
	uint64_t entries = fact_entries(json);
	char title[120];

	(void)snprintf(title, sizeof(title), "%s entries %s in %s",
	               figure_count(entries).text, fact_verb(json),
	               figure_seconds(wall_s).text);
	return json_pack(
		"{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "title",
		!has_failed ? title
		: is_load   ? "The load failed"
			    : "The reindexing failed",
		"unchanged", has_failed && is_load ? SUMMARY_UNCHANGED : "", "entries",
		json_number(entries), "left_out", json_number(fact_left_out(json)),
		"rate",
		json_number(wall_s > 0 ? (uint64_t)((double)entries / wall_s) : 0),
		"bytes",
		json_number(fact_sum(json_object_get(json, "databases"), "bytes")),
		"memory",
		json_number(fact_number(json_object_get(json, "memory"),
	                                "peak_anonymous_bytes")),
		"spilled", json_number(fact_number(json, "spilled_bytes")));
}

/* Entries are counted in id2e; each file has one. */
static uint64_t count_entries(const json_t *json)
{
	const json_t *databases = json_object_get(json, "databases");
	uint64_t n = 0;

	for (size_t i = 0; i < json_array_size(databases); i++) {
		const json_t *database = json_array_get(databases, i);

		if (strcmp(fact_text(database, "database"), "id2e") == 0) {
			n += fact_number(database, "keys");
		}
	}
	return n;
}

static uint64_t sum_pages(const json_t *json, const char *name)
{
	const json_t *files = json_object_get(json, "files");
	uint64_t bytes = 0;

	for (size_t i = 0; i < json_array_size(files); i++) {
		const json_t *file = json_array_get(files, i);

		bytes += fact_number(file, name) * fact_number(file, "page_bytes");
	}
	return bytes;
}

static json_t *check_page(const json_t *json)
{
	bool is_read = json_array_size(json_object_get(json, "configuration")) > 0;
	size_t nadvice = json_array_size(json_object_get(json, "advice"));
	uint64_t n = count_entries(json);
	uint64_t bytes = sum_pages(json, "pages");
	json_t *all = indexes(json);
	json_t *page = NULL;
	char title[120];

	(void)snprintf(title, sizeof(title), "%s entr%s in %s", figure_count(n).text,
	               n == 1 ? "y" : "ies", figure_bytes(bytes).text);
	page = json_pack(
		"{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "title", title, "no_advice",
		nadvice > 0 ? ""
		: is_read   ? "Nothing to change was seen."
			    : "The configuration was not read; with it, there is more "
			      "advice.",
		"entries", json_number(n), "bytes", json_number(bytes), "index_bytes",
		json_number(fact_sum(all, "bytes")), "free_bytes",
		json_number(sum_pages(json, "pages_free")), "findings",
		json_number(fact_sum(json_object_get(json, "files"), "findings")),
		"advice", json_number(nadvice));
	json_decref(all);
	return page;
}

static void print_head(const struct filler *page, const char *next)
{
	(void)fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n"
	            "<meta name=\"viewport\" content=\"width=device-width, "
	            "initial-scale=1\"/>\n",
	            page->out);
	pattern_fill(page, "<title>{program}: {page.title}</title>\n<style>");
	(void)fputs(report_style, page->out);
	pattern_fill(page, "</style></head>\n<body>\n<header><h1>{page.title}</h1>\n");
	pattern_fill_rows(*page, json_object_get(page->json, "databases"),
	                  "[<p class=\"path\">{directory}/data.mdb</p>\n]");
	pattern_fill_rows(*page, json_object_get(page->json, "files"),
	                  "<p class=\"path\">{file}</p>\n");
	pattern_fill(page, "<p class=\"note\">{program}, {version}, "
	                   "{started:or:checked}</p></header>\n"
	                   "[<p>{page.unchanged}</p>]");
	if (next != NULL) {
		(void)fputs("<p class=\"path\" id=\"next\">Next: ", page->out);
		html_text(page->out, next);
		(void)fputs("</p>\n", page->out);
	}
}

void report_write(FILE *out, const json_t *json, const char *next)
{
	bool is_check = strcmp(fact_text(json, "program"), "ditcheck") == 0;
	json_t *whole = json_copy((json_t *)json);
	const struct filler page = {
		.out = out, .json = whole, .row = whole, .is_page = true};

	(void)json_object_set_new(whole, "page",
	                          is_check ? check_page(json) : run_page(json));
	print_head(&page, next);
	pattern_fill(&page, is_check ? check_cards : run_cards);
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		const struct section *section = &sections[i];
		json_t *rows =
			section->array != NULL
				? json_incref(json_object_get(json, section->array))
				: section->rows(json);

		if (json_array_size(rows) > 0) {
			print_section(&page, section, rows);
		}
		json_decref(rows);
	}
	(void)fputs("</body></html>\n", out);
	json_decref(whole);
}
