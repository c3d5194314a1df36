/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of a report: the page is well-formed, whatever names, DNs and paths hold; it
 * needs no script and nothing from elsewhere; its figures are those of the statistics;
 * what has no figures has no section. The same of the report of a check.
 */
#include "test.h"

#include <jansson.h>

#include "summary.h"

#define DEPTH_MAX 64

/* Takes the statistics; the page goes with the test. */
static const char *print(json_t *json)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	report_write(out, json, "type <this>");
	assert_int_equal(fclose(out), 0);
	json_decref(json);
	test_at_end(free, text);
	return text;
}

/* A tag from '<' on. @return after its '>' */
static const char *pass_tag(const char *at, char stack[][20], int *depth)
{
	const char *end = at + 1;
	char quote = 0;
	size_t len = strcspn(at + 1, " />\n");
	bool is_end = at[1] == '/';

	for (; *end != '\0' && (quote != 0 || *end != '>'); end++) {
		if (*end == '"') {
			quote = quote == 0 ? '"' : 0;
		} else if (*end == '<') {
			fail_msg("'<' in a tag: %.60s", at);
		}
	}
	assert_int_equal(*end, '>');
	if (is_end) {
		len = strcspn(at + 2, ">");
		(*depth)--;
		assert_true(*depth >= 0);
		if (strlen(stack[*depth]) != len ||
		    strncmp(stack[*depth], at + 2, len) != 0) {
			fail_msg("</%s> expected: %.60s", stack[*depth], at);
		}
	} else if (end[-1] != '/' && at[1] != '!') {
		assert_true(*depth < DEPTH_MAX && len < 20);
		(void)snprintf(stack[(*depth)++], 20, "%.*s", (int)len, at + 1);
	}
	return end + 1;
}

/* Each element ends, in order; '&' begins an entity; no byte is a control character. */
static void check_markup(const char *text)
{
	static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;",
	                                       "&#39;"};
	char stack[DEPTH_MAX][20];
	int depth = 0;

	while (*text != '\0') {
		bool is_known = *text != '&';

		if (*text == '<') {
			text = pass_tag(text, stack, &depth);
			continue;
		}
		for (size_t i = 0; i < sizeof(entities) / sizeof(entities[0]); i++) {
			is_known |= strncmp(text, entities[i], strlen(entities[i])) == 0;
		}
		assert_true(is_known);
		assert_true((unsigned char)*text >= 0x20 || *text == '\n');
		text++;
	}
	assert_int_equal(depth, 0);
}

static json_t *statistics(const char *hostile)
{
	json_t *json =
		json_pack("{s:s, s:s, s:f, s:[s], s:{s:i, s:i}, s:{s:i}, s:i}", "program",
	                  "ditadd", "result", "stored", "wall_s", 2.0, "command", hostile,
	                  "records", "stored", 1234, "refused", 7, "memory",
	                  "peak_anonymous_bytes", 1048576, "spilled_bytes", 2048);

	assert_non_null(json);
	(void)json_object_set_new(
		json, "databases",
		json_pack("[{s:s, s:i, s:[{s:s, s:i, s:i, s:i, s:i, s:f, "
	                  "s:[{s:i, s:i, s:i}]}]}]",
	                  "directory", hostile, "bytes", 8192, "indexes", "name", hostile,
	                  "postings", 54321, "keys", 77, "range_keys", 11, "bytes", 4096,
	                  "wall_s", 0.5, "list_lengths", "from", 4, "to", 7, "keys", 66));
	(void)json_object_set_new(json, "refusals",
	                          json_pack("[{s:s, s:i, s:i, s:s, s:s, s:s}]", "kind",
	                                    hostile, "records", 7, "first_line", 99,
	                                    "first_dn", hostile, "first_reason",
	                                    "of slapadd", "first_explanation", hostile));
	(void)json_object_set_new(json, "threads",
	                          json_pack("[{s:s, s:f, s:f, s:f}]", "name", hostile,
	                                    "busy_s", 1.0, "ready_s", 0.25, "waiting_s",
	                                    0.5));
	(void)json_object_set_new(json, "phases",
	                          json_pack("[{s:s, s:f, s:f, s:i}]", "name", "entries",
	                                    "wall_s", 1.5, "cpu_s", 1.0, "entries_per_s",
	                                    823));
	(void)json_object_set_new(
		json, "samples",
		json_pack("[{s:f, s:f, s:s, s:i}, {s:f, s:f, s:s, s:i}, {s:f, s:f, s:s}]",
	                  "time_s", 0.0, "lasts_s", 0.5, "phase", "entries",
	                  "entries_per_s", 1000, "time_s", 0.5, "lasts_s", 1.0, "phase",
	                  "entries", "entries_per_s", 734, "time_s", 1.5, "lasts_s", 0.0,
	                  "phase", "entries"));
	return json;
}

/* @param parts  ends with NULL */
static void check_parts(const char *page, const char *const *parts)
{
	for (; *parts != NULL; parts++) {
		if (strstr(page, *parts) == NULL) {
			fail_msg("missing: %s", *parts);
		}
	}
}

TEST(figures_are_those_of_the_statistics)
{
	static const char *const parts[] = {
		"<h1>1,234 entries stored in 2.00 s</h1>",
		"<div data-card=\"entries\"><dt>entries</dt><dd><data value=\"1234\">1,234</data>",
		"<div data-card=\"left_out\" class=\"bad\"><dt>left out</dt><dd><data value=\"7\">7</data>",
		"<div data-card=\"bytes\"><dt>database</dt><dd><data value=\"8192\">8.0 KiB</data>",
		"<div data-card=\"memory\"><dt>peak memory</dt><dd><data value=\"1048576\">1.0 MiB</data>",
		"<div data-card=\"spilled\"><dt>temporary files</dt><dd><data value=\"2048\">2.0 KiB</data>",
		"<td data-label=\"postings\"><data value=\"54321\">54,321</data></td>",
		"<data value=\"0.500000\">0.50 s</data>",
		"<td data-label=\"share\">14 %</td>", /* 11 of 77 keys are ranges */
		"<tr data-from=\"4\"><td>4 to 7</td>",
		"first at line <data value=\"99\">99</data>",
		"<span class=\"note path\">cn</span>",
		"<div data-card=\"rate\"><dt>entries/s</dt><dd><data value=\"617\">617</data>", /* 1234 in 2 s */
		"<data value=\"823\">823</data> entries/s",
		"1,000 at most",
		"width:25.000%;height:100.000%",
		NULL};
	check_parts(print(statistics("cn")), parts);
}

/* It is shown as "<0.1 %". */
TEST(a_share_that_is_nearly_nothing_is_markup)
{
	const char *page =
		print(json_pack("{s:[{s:[{s:s, s:i, s:i}]}]}", "databases", "indexes",
	                        "name", "cn", "keys", 100000, "range_keys", 1));

	check_markup(page);
	assert_non_null(strstr(page, ">&lt;0.1 %</td>"));
}

TEST(nothing_comes_from_elsewhere)
{
	static const char *const forbidden[] = {"http:", "https:",  "<script",
	                                        "<link", "@import", "url(",
	                                        "<img",  "<iframe"};
	const char *page = print(statistics("cn"));

	for (size_t i = 0; i < sizeof(forbidden) / sizeof(forbidden[0]); i++) {
		assert_null(strstr(page, forbidden[i]));
	}
	assert_non_null(strstr(page, "name=\"viewport\""));
	assert_non_null(strstr(page, "prefers-color-scheme:dark"));
	assert_non_null(strstr(page, "@media print"));
}

TEST(a_load_that_failed_left_all_as_it_was)
{
	static const struct {
		const char *program;
		const char *result;
		bool is_told;
	} cases[] = {{"ditadd", "failed", true},
	             {"ditadd", "stored", false},
	             {"ditindex", "failed", false}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *page =
			print(json_pack("{s:s, s:s}", "program", cases[i].program,
		                        "result", cases[i].result));

		assert_non_null(strstr(page, ">Next: type &lt;this&gt;</p>"));
		if ((strstr(page, "<p>" SUMMARY_UNCHANGED "</p>") != NULL) !=
		    cases[i].is_told) {
			fail_msg("%s %s", cases[i].program, cases[i].result);
		}
	}
}

TEST(what_is_not_there_has_no_section)
{
	const char *page =
		print(json_pack("{s:s, s:s}", "program", "ditindex", "result", "failed"));

	check_markup(page);
	assert_non_null(strstr(page, "The reindexing failed"));
	assert_null(strstr(page, "id=\"indexes\""));
	assert_null(strstr(page, "id=\"lengths\""));
	assert_null(strstr(page, "id=\"threads\""));
	assert_null(strstr(page, "id=\"time\""));
	assert_null(strstr(page, "id=\"refusals\""));
}

/* ---- of a check ---- */

static json_t *checked(const char *hostile)
{
	json_t *json = json_pack(
		"{s:s, s:s, s:s, s:[{s:s, s:i, s:i, s:i, s:i, s:i, s:i}], s:{s:i}}",
		"program", "ditcheck", "version", hostile, "checked", hostile, "files",
		"file", hostile, "page_bytes", 4096, "pages", 10, "pages_used", 7,
		"pages_free", 2, "findings", 3, "transaction", 77, "kinds", "page-lost",
		3);

	assert_non_null(json);
	(void)json_object_set_new(
		json, "databases",
		json_pack("[{s:s, s:s, s:b, s:i, s:i, s:i, s:i, s:i}, {s:s, s:s, s:b, "
	                  "s:i, s:i, s:i, s:i, s:i, s:i, s:[{s:i, s:i, s:i}], s:[{s:s, "
	                  "s:i}]}]",
	                  "file", hostile, "database", "id2e", "index", 0, "keys", 1234,
	                  "postings", 1234, "bytes", 12288, "used_bytes", 6144, "entries",
	                  1234, "file", hostile, "database", hostile, "index", 1, "keys",
	                  77, "postings", 54321, "bytes", 8192, "used_bytes", 4096,
	                  "entries", 1234, "ranges", 11, "list_lengths", "from", 4, "to",
	                  7, "keys", 66, "longest", "key", hostile, "postings", 7));
	(void)json_object_set_new(
		json, "configuration",
		json_pack("[{s:s, s:s, s:i, s:[{s:s, s:{s:i}}], s:{s:i, s:i, s:[{s:s, "
	                  "s:s, s:i}]}}]",
	                  "file", hostile, "suffix", hostile, "maxsize_bytes", 1048576,
	                  "indexes", "name", hostile, "uses", "eq", 21, "searches",
	                  "counted", 500, "unindexed", 41, "missing", "attribute",
	                  hostile, "kind", "sub", "searches", 42));
	(void)json_object_set_new(json, "filter_log", json_object());
	(void)json_object_set_new(json, "advice",
	                          json_pack("[{s:s, s:[s, s], s:s, s:s, s:s, s:[s]}]",
	                                    "kind", "index-empty", "indexes", hostile,
	                                    hostile, "title", hostile, "seen", hostile,
	                                    "why", hostile, "steps", hostile));
	return json;
}

TEST(any_text_is_only_text)
{
	static const char *const texts[] = {
		"plain",     "<script>alert(1)</script>", "\" onload=\"x", "a & b",
		"'\x01\x1f", "</title></style>",          "caf\xc3\xa9"};
	static json_t *(*const makers[])(const char *hostile) = {statistics, checked};

	for (size_t i = 0; i < 2 * sizeof(texts) / sizeof(texts[0]); i++) {
		const char *page = print(makers[i % 2](texts[i / 2]));

		check_markup(page);
		assert_null(strstr(page, "<script"));
		assert_null(strstr(page, "onload=\"x"));
	}
}

TEST(figures_are_those_of_the_check)
{
	static const char *const parts[] = {
		"<h1>1,234 entries in 40.0 KiB</h1>",
		"<div data-card=\"entries\"><dt>entries</dt><dd><data value=\"1234\">1,234</data>",
		"<div data-card=\"bytes\"><dt>data file</dt><dd><data value=\"40960\">40.0 KiB</data>",
		"<div data-card=\"index_bytes\"><dt>indexes</dt><dd><data value=\"8192\">8.0 KiB</data>",
		"<div data-card=\"free_bytes\"><dt>free pages</dt><dd><data value=\"8192\">8.0 KiB</data>",
		"<div data-card=\"findings\" class=\"bad\"><dt>findings</dt><dd><data "
		"value=\"3\">3</data>",
		"<strong>page-lost</strong>: <data value=\"3\">3</data>",
		"<div data-card=\"advice\"><dt>pieces of advice</dt><dd><data value=\"1\">1</data>",
		"<li data-kind=\"index-empty\">",
		"<td data-label=\"fill\">50 %</td>",
		"<td data-label=\"per entry\"><data value=\"6\">6 B</data></td>",
		"<td data-label=\"range keys\">14 %</td>",
		"<td data-label=\"longest list\"><data value=\"7\">7</data></td>",
		"<tr data-from=\"4\"><td>4 to 7</td>",
		"<td data-label=\"eq\"><data value=\"21\">21</data></td>",
		"<data value=\"500\">500</data> searches; for <data value=\"41\">41</data>",
		"<td data-label=\"searches\"><data value=\"42\">42</data></td>",
		"<td data-label=\"maxsize\"><data value=\"1048576\">1.0 MiB</data></td>",
		"<td data-label=\"transaction\"><data value=\"77\">77</data></td>",
		NULL};
	check_parts(print(checked("cn")), parts);
}

TEST(a_check_without_figures_has_a_page)
{
	const char *page = print(json_pack("{s:s}", "program", "ditcheck"));

	check_markup(page);
	assert_non_null(strstr(page, "0 entries in 0 B"));
	assert_null(strstr(page, "id=\"indexes\""));
	assert_null(strstr(page, "id=\"longest\""));
	assert_null(strstr(page, "id=\"findings\"><h2"));
}
