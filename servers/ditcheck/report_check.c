/* SPDX-License-Identifier: BSD-2-Clause */
/* The page of a check: its head, key figures, and the table of its sections. */
#include "report_check.h"

#include <stdbool.h>
#include <string.h>

#include <jansson.h>

#include "figures.h"
#include "report_page.h"
#include "run_facts.h"

#define NLONGEST 10

/* ---- facts ---- */

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

/* The databases that are indexes, or the others; the largest first. Owned. */
static json_t *choose(const json_t *json, bool is_index)
{
	json_t *rows = fact_largest(json_object_get(json, "databases"), 0);

	for (size_t i = json_array_size(rows); i > 0; i--) {
		const json_t *row = json_array_get(rows, i - 1);

		if (json_is_true(json_object_get(row, "index")) != is_index) {
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

/* ---- head and key figures ---- */

static struct filler print_head(FILE *out, const json_t *json)
{
	uint64_t n = count_entries(json);
	char title[120];

	(void)snprintf(title, sizeof(title), "%s entr%s in %s", figure_count(n).text,
	               n == 1 ? "y" : "ies",
	               html_figure(figure_bytes(sum_pages(json, "pages"))).text);
	return report_page_begin(out, json, title, "files",
	                         "<p class=\"path\">{file}</p>\n");
}

static void print_cards(FILE *out, const json_t *json)
{
	json_t *all = indexes(json);
	uint64_t nfindings = fact_sum(json_object_get(json, "files"), "findings");
	const struct report_card cards[] = {
		{"entries", "entries", count_entries(json), false, false},
		{"bytes", "data file", sum_pages(json, "pages"), true, false},
		{"index_bytes", "indexes", fact_sum(all, "bytes"), true, false},
		{"free_bytes", "free pages", sum_pages(json, "pages_free"), true, false},
		{"findings", "findings", nfindings, false, nfindings > 0},
		{"advice", "pieces of advice",
	         json_array_size(json_object_get(json, "advice")), false, false},
	};

	report_page_cards(out, cards, sizeof(cards) / sizeof(cards[0]));
	json_decref(all);
}

/* ---- findings and advice ---- */

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

static void print_advice(const struct filler *page, const json_t *rows)
{
	const json_t *advice = json_object_get(page->json, "advice");

	(void)rows;
	if (json_array_size(advice) == 0) {
		bool is_read =
			json_array_size(json_object_get(page->json, "configuration")) > 0;

		(void)fputs(is_read ? "<p>Nothing to change was seen.</p>"
		                    : "<p>The configuration was not read; with it, "
		                      "there is more advice.</p>",
		            page->out);
		return;
	}
	(void)fputs(
		"<p class=\"note\">Stop slapd for ditindex, or give it --online.</p>\n"
		"<ol class=\"advice\">\n",
		page->out);
	pattern_fill_rows(*page, advice,
	                  "<li data-kind=\"{kind}\"><h3>{title}</h3><p>{seen}</p>"
	                  "<p class=\"note\">{why}</p>\n"
	                  "<ul class=\"steps\"><li>{steps:list}</li></ul></li>\n");
	(void)fputs("</ol>\n", page->out);
	pattern_fill_rows(
		*page, json_object_get(page->json, "advised"),
		"<h3>All of it</h3>\n<p class=\"note path\">In slapd.conf (in cn=config: "
		"values of olcDbIndex, without the word index; olcDbMaxSize), for {file}:"
		"</p>\n<pre class=\"steps\">{lines:lines}\n</pre>\n<p class=\"note\">and "
		"then:</p>\n<pre class=\"steps\">{command}</pre>\n");
}

/* ---- indexes and their lists ---- */

static json_t *lengths(const json_t *json)
{
	return report_page_lengths(indexes(json));
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

/* ---- searches ---- */

/* clang-format off */
static const struct report_table uses_table = {"", " data-use=\"{name}\"", {
	{"index", .pattern = "{name}"},
	{"eq", .pattern = "{uses.eq:known}"},
	{"sub", .pattern = "{uses.sub:known}"},
	{"pres", .pattern = "{uses.pres:known}"},
	{"approx", .pattern = "{uses.approx:known}"},
}};

static const struct report_table missing_table = {"", " data-missing=\"{attribute}\"", {
	{"attribute", .pattern = "{attribute}"},
	{"kind", .pattern = "{kind}"},
	{"searches", .pattern = "{searches:count}"},
}};
/* clang-format on */

static json_t *searched(const json_t *json)
{
	return json_object_get(json, "filter_log") == NULL
	               ? NULL
	               : json_incref(json_object_get(json, "configuration"));
}

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
		report_page_table(*page, &uses_table,
		                  json_object_get(config.row, "indexes"));
		if (json_array_size(missing) > 0) {
			(void)fputs("<h3>Searched without an index</h3>\n", page->out);
			report_page_table(*page, &missing_table, missing);
		}
	}
}

/* ---- files ---- */

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

/* clang-format off */
static const struct report_table indexes_table = {"rows", " data-index=\"{database}\"", {
	{"index", .pattern = "{database}{file:several}"},
	{"", .pattern = REPORT_SIZE("bytes:bar"), .class = "chart"},
	{"size", .pattern = "{bytes:bytes}"},
	{"per entry", .pattern = "{bytes:each:entries}"},
	{"fill", .pattern = "{used_bytes:share:bytes}"},
	{"keys", .pattern = "{keys:count}"},
	{"postings", .pattern = "{postings:count}"},
	{"range keys", .pattern = "{ranges:share:keys}"},
	{"longest list", .pattern = "{longest.0.postings:count}"},
	{"lengths of lists", .pattern = REPORT_LISTS, .class = "chart"},
}};

static const struct report_table longest_table = {"", "", {
	{"index", .pattern = "{database}{file:several}"},
	{"value", .pattern = "{value:else:key }<code>{value:or:key}</code>", .class = "path"},
	{"entries", .pattern = "{postings:count}"},
}};

static const struct report_table databases_table = {"rows", " data-database=\"{database}\"", {
	{"database", .pattern = "{database}{file:several}"},
	{"", .pattern = REPORT_SIZE("bytes:bar"), .class = "chart"},
	{"size", .pattern = "{bytes:bytes}"},
	{"per entry", .pattern = "{bytes:each:entries}"},
	{"fill", .pattern = "{used_bytes:share:bytes}"},
	{"records", .pattern = "{postings:count}"},
}};

static const struct report_table files_table = {"rows", "", {
	{"file", .pattern = "{file}", .class = "path"},
	{"pages", .pattern = "{pages:count}"},
	{"in trees", .pattern = "{pages_used:count}"},
	{"free", .pattern = "{pages_free:count}"},
	{"bytes of a page", .pattern = "{page_bytes:count}"},
	{"maxsize", .pattern = "{maxsize_bytes:bytes}"},
	{"transaction", .pattern = "{transaction:count}"},
}};

static const struct report_section sections[] = {
	{"findings", "The file is damaged",
	 "ditcheck(8) says what each kind means, and what to do.", .rows = findings,
	 .list = "<li data-kind=\"{kind}\"><strong>{kind}</strong>: {findings:count}</li>\n"},
	{"advice", "Advice", .rows = report_page_always, .body = print_advice},
	{"indexes", "What each index costs",
	 "The largest comes first. A range key holds the first and the last ID of its entries in "
	 "place of a list: a search reads every entry between them.",
	 .rows = indexes, .table = &indexes_table},
	{"lengths", "Lengths of lists", REPORT_LENGTHS_NOTE, .rows = lengths,
	 .table = &report_lengths_table},
	{"longest", "Longest lists",
	 "Each entry that comes with such a value makes its list longer. *: the key of presence; "
	 "sm*, *mith*, *ith: values with this piece. A key is shown where none of the first "
	 "entries has such a value.",
	 .rows = longest, .table = &longest_table},
	{"searches", "Searches of the log", .rows = searched, .body = print_searches},
	{"databases", "Entries and their tree", .rows = others, .table = &databases_table},
	{"files", "Pages", .rows = files, .table = &files_table},
};
/* clang-format on */

void report_check_write(FILE *out, const json_t *json)
{
	struct filler page = print_head(out, json);

	print_cards(out, json);
	report_page_sections(&page, sections, sizeof(sections) / sizeof(sections[0]));
	report_page_end(out);
}
