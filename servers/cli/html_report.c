/* SPDX-License-Identifier: BSD-2-Clause */

#include <stdbool.h>
#include <string.h>

#include <jansson.h>

#include "arguments.h"
#include "patterns.h"
#include "run_facts.h"
#include "summary.h"

#define NLONGEST 10

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

/* How many entries the keys of indexes lead to. */
static json_t *lengths(const json_t *indexes)
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
	return rows;
}

/* Each with its database. */
static json_t *longest(const json_t *indexes)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < json_array_size(indexes); i++) {
		const json_t *index = json_array_get(indexes, i);
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

/* ---- titles and cards ---- */

static json_t *run_page(const json_t *json)
{
	bool has_failed = strcmp(fact_text(json, "result"), "failed") == 0;
	bool is_load = strcmp(fact_text(json, "program"), "ditadd") == 0;
	const json_t *memory = json_object_get(json, "memory");
	double wall_s = fact_seconds(json, "wall_s");
	uint64_t entries = fact_entries(json);
	char title[120];

	(void)snprintf(title, sizeof(title), "%s entries %s in %s",
	               figure_count(entries).text, fact_verb(json),
	               figure_seconds(wall_s).text);
	return json_pack(
		"{s:s, s:s, s:[{s:o, s:o, s:o, s:o, s:o, s:o}]}", "title",
		!has_failed ? title
		: is_load   ? "The load failed"
			    : "The reindexing failed",
		"unchanged", has_failed && is_load ? SUMMARY_UNCHANGED : "", "run",
		"entries", json_number(entries), "left_out",
		json_number(fact_left_out(json)), "rate",
		json_number(wall_s > 0 ? (uint64_t)((double)entries / wall_s) : 0),
		"bytes",
		json_number(fact_sum(json_object_get(json, "databases"), "bytes")),
		"memory", json_number(fact_number(memory, "peak_anonymous_bytes")),
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

/* @param indexes  of all files */
static json_t *check_page(const json_t *json, const json_t *indexes)
{
	bool is_read = json_array_size(json_object_get(json, "configuration")) > 0;
	size_t nadvice = json_array_size(json_object_get(json, "advice"));
	uint64_t n = count_entries(json);
	uint64_t bytes = sum_pages(json, "pages");
	char title[120];

	(void)snprintf(title, sizeof(title), "%s entr%s in %s", figure_count(n).text,
	               n == 1 ? "y" : "ies", figure_bytes(bytes).text);
	return json_pack(
		"{s:s, s:s, s:[{s:o, s:o, s:o, s:o, s:o, s:o}]}", "title", title,
		"no_advice",
		nadvice > 0 ? ""
		: is_read   ? "Nothing to change was seen."
			    : "The configuration was not read; with it, there is more "
			      "advice.",
		"check", "entries", json_number(n), "bytes", json_number(bytes),
		"index_bytes", json_number(fact_sum(indexes, "bytes")), "free_bytes",
		json_number(sum_pages(json, "pages_free")), "findings",
		json_number(fact_sum(json_object_get(json, "files"), "findings")),
		"advice", json_number(nadvice));
}

/* ---- the page ---- */

/* The facts that the page shows and the JSON does not have as they are. Owned. */
static json_t *page_json(const json_t *json, const char *next)
{
	bool is_check = strcmp(fact_text(json, "program"), "ditcheck") == 0;
	json_t *of_run = fact_indexes(json);
	json_t *indexes = choose(json, true);
	json_t *page = is_check ? check_page(json, indexes) : run_page(json);

	(void)json_object_set_new(page, "lengths",
	                          lengths(of_run != NULL ? of_run : indexes));
	(void)json_object_set_new(page, "longest", longest(indexes));
	(void)json_object_set_new(page, "run_indexes", of_run);
	(void)json_object_set_new(page, "indexes", indexes);
	(void)json_object_set_new(page, "others", choose(json, false));
	(void)json_object_set_new(page, "files", files(json));
	(void)json_object_set_new(
		page, "several",
		json_boolean(json_array_size(json_object_get(json, "files")) > 1));
	(void)json_object_set_new(page, "style", json_string(report_page_css));
	if (next != NULL) {
		(void)json_object_set_new(page, "next", json_text(next));
	}
	return page;
}

void report_write(FILE *out, const json_t *json, const char *next)
{
	json_t *whole = json_copy((json_t *)json);
	const struct filler page = {
		.out = out, .json = whole, .row = whole, .is_page = true};

	(void)json_object_set_new(whole, "page", page_json(json, next));
	pattern_fill(&page, report_page_html);
	json_decref(whole);
}
