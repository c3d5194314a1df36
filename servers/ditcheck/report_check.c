/* SPDX-License-Identifier: BSD-2-Clause */
/* Head, key figures, advice, indexes, lists, searches, databases, files. */
#include "report_check.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "html.h"
#include "report_lists.h"
#include "report_parts.h"
#include "run_facts.h"
#include "svg.h"

#define BAR_HEIGHT 14
#define NLONGEST   10

/* ---- facts ---- */

static bool is_index(const json_t *database)
{
	return json_is_true(json_object_get(database, "index"));
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

/* The databases that are indexes, or the others; the largest first. Owned. */
static json_t **choose(const json_t *json, bool wants_indexes, size_t *ret_n)
{
	size_t nall = 0;
	json_t **all = fact_largest(json_object_get(json, "databases"), 0, &nall);
	size_t n = 0;

	for (size_t i = 0; i < nall; i++) {
		if (is_index(all[i]) == wants_indexes) {
			all[n++] = all[i];
		}
	}
	*ret_n = n;
	return all;
}

/* ---- head and key figures ---- */

static void print_title(FILE *out, const json_t *json)
{
	uint64_t n = count_entries(json);

	(void)fprintf(out, "%s entr%s in ", figure_count(n).text, n == 1 ? "y" : "ies");
	html_figure(out, figure_bytes(sum_pages(json, "pages")).text);
}

static void print_head(FILE *out, const json_t *json)
{
	const json_t *files = json_object_get(json, "files");

	report_begin(out);
	(void)fputs("ditcheck: ", out);
	print_title(out, json);
	report_body(out);
	print_title(out, json);
	(void)fputs("</h1>\n", out);
	for (size_t i = 0; i < json_array_size(files); i++) {
		(void)fputs("<p class=\"path\">", out);
		html_text(out, fact_text(json_array_get(files, i), "file"));
		(void)fputs("</p>\n", out);
	}
	(void)fputs("<p class=\"note\">ditcheck, ", out);
	html_text(out, fact_text(json, "version"));
	(void)fputs(", ", out);
	html_text(out, fact_text(json, "checked"));
	(void)fputs("</p></header>\n", out);
}

static void print_cards(FILE *out, const json_t *json, json_t *const *indexes, size_t n)
{
	uint64_t nfindings = fact_sum(json_object_get(json, "files"), "findings");
	uint64_t nadvice = json_array_size(json_object_get(json, "advice"));
	uint64_t entries = count_entries(json);
	uint64_t bytes = sum_pages(json, "pages");
	uint64_t nfree = sum_pages(json, "pages_free");
	uint64_t index_bytes = 0;

	for (size_t i = 0; i < n; i++) {
		index_bytes += fact_number(indexes[i], "bytes");
	}
	(void)fputs("<dl class=\"cards\">\n", out);
	report_card(out, "entries", "entries", entries, figure_count(entries), false);
	report_card(out, "bytes", "data file", bytes, figure_bytes(bytes), false);
	report_card(out, "index_bytes", "indexes", index_bytes, figure_bytes(index_bytes),
	            false);
	report_card(out, "free_bytes", "free pages", nfree, figure_bytes(nfree), false);
	report_card(out, "findings", "findings", nfindings, figure_count(nfindings),
	            nfindings > 0);
	report_card(out, "advice", "pieces of advice", nadvice, figure_count(nadvice),
	            false);
	(void)fputs("</dl>\n", out);
}

/* ---- findings and advice ---- */

static void print_findings(FILE *out, const json_t *json)
{
	const json_t *kinds = json_object_get(json, "kinds");
	const char *kind = NULL;
	json_t *n = NULL;

	if (json_object_size(kinds) == 0) {
		return;
	}
	(void)fputs("<section id=\"findings\"><h2>The file is damaged</h2>\n<p "
	            "class=\"note\">ditcheck(8) says what each kind means, and what to "
	            "do.</p>\n<ul class=\"refusals\">\n",
	            out);
	json_object_foreach((json_t *)kinds, kind, n)
	{
		(void)fprintf(out,
		              "<li data-kind=\"%s\"><strong>%s</strong>: <data "
		              "value=\"%llu\">%s</data></li>\n",
		              kind, kind, (unsigned long long)json_integer_value(n),
		              figure_count((uint64_t)json_integer_value(n)).text);
	}
	(void)fputs("</ul></section>\n", out);
}

static void print_piece(FILE *out, const json_t *piece)
{
	const json_t *steps = json_object_get(piece, "steps");

	(void)fprintf(out, "<li data-kind=\"%s\">", fact_text(piece, "kind"));
	html_element(out, "h3", fact_text(piece, "title"));
	html_element(out, "p", fact_text(piece, "seen"));
	(void)fputs("<p class=\"note\">", out);
	html_text(out, fact_text(piece, "why"));
	(void)fputs("</p>\n<ul class=\"steps\">", out);
	for (size_t i = 0; i < json_array_size(steps); i++) {
		html_element(out, "li", json_string_value(json_array_get(steps, i)));
	}
	(void)fputs("</ul></li>\n", out);
}

static void print_configuration(FILE *out, const json_t *one)
{
	const json_t *lines = json_object_get(one, "lines");

	(void)fputs(
		"<h3>All of it</h3>\n<p class=\"note path\">In slapd.conf (in cn=config: "
		"values of olcDbIndex, without the word index; olcDbMaxSize), for ",
		out);
	html_text(out, fact_text(one, "file"));
	(void)fputs(":</p>\n<pre class=\"steps\">", out);
	for (size_t i = 0; i < json_array_size(lines); i++) {
		html_text(out, json_string_value(json_array_get(lines, i)));
		(void)fputc('\n', out);
	}
	(void)fputs("</pre>\n<p class=\"note\">and then:</p>\n<pre class=\"steps\">",
	            out);
	html_text(out, fact_text(one, "command"));
	(void)fputs("</pre>\n", out);
}

static void print_advice(FILE *out, const json_t *json)
{
	const json_t *advice = json_object_get(json, "advice");
	const json_t *configurations = json_object_get(json, "advised");
	size_t n = json_array_size(advice);

	(void)fputs("<section id=\"advice\"><h2>Advice</h2>\n", out);
	if (n == 0) {
		(void)fprintf(
			out, "<p>%s</p>\n",
			json_array_size(json_object_get(json, "configuration")) > 0
				? "Nothing to change was seen."
				: "The configuration was not read; with it, there is "
				  "more advice.");
	}
	(void)fputs(n == 0 ? ""
	                   : "<p class=\"note\">Stop slapd for ditindex, or give it "
	                     "--online.</p>\n<ol class=\"advice\">\n",
	            out);
	for (size_t i = 0; i < n; i++) {
		print_piece(out, json_array_get(advice, i));
	}
	(void)fputs(n == 0 ? "" : "</ol>\n", out);
	for (size_t i = 0; i < json_array_size(configurations); i++) {
		print_configuration(out, json_array_get(configurations, i));
	}
	(void)fputs("</section>\n", out);
}

/* ---- indexes ---- */

static void print_name(FILE *out, const json_t *json, const json_t *database)
{
	(void)fputs("<td>", out);
	html_text(out, fact_text(database, "database"));
	if (json_array_size(json_object_get(json, "files")) > 1) {
		(void)fputs("<br/><span class=\"note path\">", out);
		html_text(out, fact_text(database, "file"));
		(void)fputs("</span>", out);
	}
	(void)fputs("</td>", out);
}

static void print_bar(FILE *out, const json_t *database, uint64_t max)
{
	double share =
		max == 0 ? 0 : (double)fact_number(database, "bytes") / (double)max;

	(void)fputs("<td class=\"chart\">", out);
	svg_begin(out, BAR_HEIGHT, "size beside the largest one");
	svg_bar(out, (struct svg_box){.right = share, .bottom = BAR_HEIGHT}, "indexes",
	        NULL);
	svg_end(out);
	(void)fputs("</td>", out);
}

static uint64_t per_entry(const json_t *database)
{
	uint64_t entries = fact_number(database, "entries");

	return entries == 0 ? 0 : fact_number(database, "bytes") / entries;
}

static void begin_row(FILE *out, const char *what, const json_t *database)
{
	(void)fprintf(out, "<tr data-%s=\"", what);
	html_text(out, fact_text(database, "database"));
	(void)fputs("\">", out);
}

static void print_index(FILE *out, const json_t *json, const json_t *index, uint64_t max,
                        unsigned nclasses)
{
	const json_t *longest = json_object_get(index, "longest");

	begin_row(out, "index", index);
	print_name(out, json, index);
	print_bar(out, index, max);
	html_bytes(out, "size", fact_number(index, "bytes"));
	html_bytes(out, "per entry", per_entry(index));
	html_share(out, "fill", (double)fact_number(index, "used_bytes"),
	           (double)fact_number(index, "bytes"));
	html_count(out, "keys", fact_number(index, "keys"));
	html_count(out, "postings", fact_number(index, "postings"));
	html_share(out, "range keys", (double)fact_number(index, "ranges"),
	           (double)fact_number(index, "keys"));
	html_count(out, "longest list",
	           fact_number(json_array_get(longest, 0), "postings"));
	(void)fputs("<td class=\"chart\" data-label=\"lengths of lists\">", out);
	report_spark(out, index, nclasses);
	(void)fputs("</td></tr>\n", out);
}

static void print_indexes(FILE *out, const json_t *json, json_t *const *indexes, size_t n)
{
	unsigned nclasses = report_count_classes(indexes, n);

	(void)fputs(
		"<section id=\"indexes\"><h2>What each index costs</h2>\n"
		"<p class=\"note\">The largest comes first. A range key holds the first "
		"and the last ID of its entries in place of a list: a search reads every "
		"entry between them.</p>\n<div class=\"wide\"><table class=\"rows\">"
		"<thead><tr><th>index</th><th></th><th>size</th><th>per entry</th>"
		"<th>fill</th><th>keys</th><th>postings</th><th>range keys</th>"
		"<th>longest list</th><th>lengths of lists</th></tr></thead><tbody>\n",
		out);
	for (size_t i = 0; i < n; i++) {
		print_index(out, json, indexes[i], fact_number(indexes[0], "bytes"),
		            nclasses);
	}
	(void)fputs("</tbody></table></div></section>\n", out);
}

/* ---- the longest lists ---- */

struct list {
	const json_t *index;
	const json_t *list;
};

static int compare_lists(const void *a, const void *b)
{
	uint64_t m = fact_number(((const struct list *)a)->list, "postings");
	uint64_t n = fact_number(((const struct list *)b)->list, "postings");

	return (m < n) - (m > n);
}

static void print_longest(FILE *out, const json_t *json, json_t *const *indexes, size_t n)
{
	struct list *lists = NULL;
	const char *value = NULL;
	size_t nlists = 0;

	for (size_t i = 0; i < n; i++) {
		nlists += json_array_size(json_object_get(indexes[i], "longest"));
	}
	lists = nlists == 0 ? NULL : calloc(nlists, sizeof(*lists));
	if (lists == NULL) {
		return;
	}
	nlists = 0;
	for (size_t i = 0; i < n; i++) {
		const json_t *longest = json_object_get(indexes[i], "longest");

		for (size_t k = 0; k < json_array_size(longest); k++) {
			lists[nlists++] =
				(struct list){indexes[i], json_array_get(longest, k)};
		}
	}
	qsort(lists, nlists, sizeof(*lists), compare_lists);
	(void)fputs(
		"<section id=\"longest\"><h2>Longest lists</h2>\n<p class=\"note\">"
		"Each entry that comes with such a value makes its list longer. *: the "
		"key of presence; sm*, *mith*, *ith: values with this piece. A key is "
		"shown where none of the first entries has such a value.</p>\n"
		"<div class=\"wide\"><table><thead><tr><th>index</th><th>value</th>"
		"<th>entries</th></tr></thead><tbody>\n",
		out);
	for (size_t i = 0; i < nlists && i < NLONGEST; i++) {
		(void)fputs("<tr>", out);
		print_name(out, json, lists[i].index);
		value = fact_text(lists[i].list, "value");
		(void)fputs(value[0] == '\0' ? "<td class=\"path\">key <code>"
		                             : "<td class=\"path\"><code>",
		            out);
		html_text(out,
		          value[0] == '\0' ? fact_text(lists[i].list, "key") : value);
		(void)fputs("</code></td>", out);
		html_count(out, "entries", fact_number(lists[i].list, "postings"));
		(void)fputs("</tr>\n", out);
	}
	(void)fputs("</tbody></table></div></section>\n", out);
	free(lists);
}

/* ---- searches ---- */

static void print_uses(FILE *out, const json_t *index)
{
	static const char *const kinds[] = {"eq", "sub", "pres", "approx"};
	const json_t *uses = json_object_get(index, "uses");

	(void)fputs("<tr data-use=\"", out);
	html_text(out, fact_text(index, "name"));
	(void)fputs("\">", out);
	html_element(out, "td", fact_text(index, "name"));
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (json_object_get(uses, kinds[i]) == NULL) {
			(void)fputs("<td></td>", out);
		} else {
			html_count(out, kinds[i], fact_number(uses, kinds[i]));
		}
	}
	(void)fputs("</tr>\n", out);
}

static void print_missing(FILE *out, const json_t *missing)
{
	if (json_array_size(missing) == 0) {
		return;
	}
	(void)fputs("<h3>Searched without an index</h3>\n<div class=\"wide\"><table>"
	            "<thead><tr><th>attribute</th><th>kind</th><th>searches</th></tr>"
	            "</thead><tbody>\n",
	            out);
	for (size_t i = 0; i < json_array_size(missing); i++) {
		const json_t *one = json_array_get(missing, i);

		(void)fputs("<tr data-missing=\"", out);
		html_text(out, fact_text(one, "attribute"));
		(void)fputs("\">", out);
		html_element(out, "td", fact_text(one, "attribute"));
		html_element(out, "td", fact_text(one, "kind"));
		html_count(out, "searches", fact_number(one, "searches"));
		(void)fputs("</tr>\n", out);
	}
	(void)fputs("</tbody></table></div>\n", out);
}

static void print_searches(FILE *out, const json_t *config)
{
	const json_t *searches = json_object_get(config, "searches");
	const json_t *indexes = json_object_get(config, "indexes");
	uint64_t n = fact_number(searches, "counted");
	uint64_t without = fact_number(searches, "unindexed");

	(void)fputs("<section><h2>Searches of the log below ", out);
	html_text(out, fact_text(config, "suffix"));
	(void)fprintf(
		out,
		"</h2>\n<p><data value=\"%llu\">%s</data> searches; for <data "
		"value=\"%llu\">%s</data> of them slapd had to look at nearly every "
		"entry in scope.</p>\n",
		(unsigned long long)n, figure_count(n).text, (unsigned long long)without,
		figure_count(without).text);
	(void)fputs("<p class=\"note\">How many searches looked each index up; an empty "
	            "place: not configured.</p>\n<div class=\"wide\"><table><thead><tr>"
	            "<th>index</th><th>eq</th><th>sub</th><th>pres</th><th>approx</th>"
	            "</tr></thead><tbody>\n",
	            out);
	for (size_t i = 0; i < json_array_size(indexes); i++) {
		print_uses(out, json_array_get(indexes, i));
	}
	(void)fputs("</tbody></table></div>\n", out);
	print_missing(out, json_object_get(searches, "missing"));
	(void)fputs("</section>\n", out);
}

/* ---- databases and files ---- */

static void print_databases(FILE *out, const json_t *json, json_t *const *databases,
                            size_t n)
{
	if (n == 0) {
		return;
	}
	(void)fputs("<section id=\"databases\"><h2>Entries and their tree</h2>\n<div "
	            "class=\"wide\"><table class=\"rows\"><thead><tr><th>database</th>"
	            "<th></th><th>size</th><th>per entry</th><th>fill</th>"
	            "<th>records</th></tr></thead><tbody>\n",
	            out);
	for (size_t i = 0; i < n; i++) {
		begin_row(out, "database", databases[i]);
		print_name(out, json, databases[i]);
		print_bar(out, databases[i], fact_number(databases[0], "bytes"));
		html_bytes(out, "size", fact_number(databases[i], "bytes"));
		html_bytes(out, "per entry", per_entry(databases[i]));
		html_share(out, "fill", (double)fact_number(databases[i], "used_bytes"),
		           (double)fact_number(databases[i], "bytes"));
		html_count(out, "records", fact_number(databases[i], "postings"));
		(void)fputs("</tr>\n", out);
	}
	(void)fputs("</tbody></table></div></section>\n", out);
}

static uint64_t maxsize_of(const json_t *json, const char *path)
{
	const json_t *configs = json_object_get(json, "configuration");

	for (size_t i = 0; i < json_array_size(configs); i++) {
		const json_t *config = json_array_get(configs, i);

		if (strcmp(fact_text(config, "file"), path) == 0) {
			return fact_number(config, "maxsize_bytes");
		}
	}
	return 0;
}

static void print_files(FILE *out, const json_t *json)
{
	const json_t *files = json_object_get(json, "files");

	(void)fputs("<section id=\"files\"><h2>Pages</h2>\n<div class=\"wide\"><table "
	            "class=\"rows\"><thead><tr><th>file</th><th>pages</th><th>in "
	            "trees</th><th>free</th><th>bytes of a page</th><th>maxsize</th>"
	            "<th>transaction</th></tr></thead><tbody>\n",
	            out);
	for (size_t i = 0; i < json_array_size(files); i++) {
		const json_t *file = json_array_get(files, i);

		(void)fputs("<tr><td class=\"path\">", out);
		html_text(out, fact_text(file, "file"));
		(void)fputs("</td>", out);
		html_count(out, "pages", fact_number(file, "pages"));
		html_count(out, "in trees", fact_number(file, "pages_used"));
		html_count(out, "free", fact_number(file, "pages_free"));
		html_count(out, "bytes of a page", fact_number(file, "page_bytes"));
		html_bytes(out, "maxsize", maxsize_of(json, fact_text(file, "file")));
		html_count(out, "transaction", fact_number(file, "transaction"));
		(void)fputs("</tr>\n", out);
	}
	(void)fputs("</tbody></table></div></section>\n", out);
}

void report_check_write(FILE *out, const json_t *json)
{
	const json_t *configs = json_object_get(json, "configuration");
	size_t nindexes = 0;
	size_t nothers = 0;
	json_t **indexes = choose(json, true, &nindexes);
	json_t **others = choose(json, false, &nothers);

	print_head(out, json);
	print_cards(out, json, indexes, nindexes);
	print_findings(out, json);
	print_advice(out, json);
	if (nindexes > 0) {
		print_indexes(out, json, indexes, nindexes);
		report_lengths(out, indexes, nindexes);
		print_longest(out, json, indexes, nindexes);
	}
	for (size_t i = 0;
	     i < json_array_size(configs) && json_object_get(json, "filter_log") != NULL;
	     i++) {
		print_searches(out, json_array_get(configs, i));
	}
	print_databases(out, json, others, nothers);
	print_files(out, json);
	report_end(out);
	free(indexes);
	free(others);
}
