/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines:
 *
 *   cn, page 12, node 3: key-order: the key is not above the one before it
 *   db/data.mdb: 2 findings
 *
 *   key-order     1
 *   page-lost     1
 *
 * JSON: {"files": [{"file", ...}], "kinds": {"key-order": 1}, "findings": [{...}]}, and
 * with --stats "configuration", "databases", "advice": [{...}]
 */
#include "check_output.h"

#include <stdio.h>
#include <time.h>

#include <jansson.h>

#include "advice.h"
#include "patterns.h"
#include "run_facts.h"
#include "run_record.h"
#include <ditkit/version.h>

/* Four characters for each byte of a name. */
#define NAME_SIZE (4 * 511 + 5)

int output_init(struct output *output, bool is_json)
{
	*output = (struct output){.is_json = is_json};
	output->json = json_pack("{s:[], s:{}, s:[], s:[]}", "files", "kinds", "findings",
	                         "notes");
	return output->json == NULL ? -1 : 0;
}

static void set_text(json_t *item, const char *name, const char *text)
{
	if (text != NULL) {
		(void)json_object_set_new(item, name, json_text(text));
	}
}

/* Owned. */
static json_t *finding_json(const struct dit_check_finding *finding)
{
	json_t *item = json_pack("{s:o, s:s, s:o}", "file", json_text(finding->file),
	                         "kind", finding->kind, "text", json_text(finding->text));

	set_text(item, "database", finding->database);
	if (finding->page != DIT_CHECK_NO_PAGE) {
		(void)json_object_set_new(item, "page", json_number(finding->page));
	}
	if (finding->node >= 0) {
		(void)json_object_set_new(item, "node", json_integer(finding->node));
	}
	if (finding->id != 0) {
		(void)json_object_set_new(item, "id", json_number(finding->id));
	}
	set_text(item, "dn", finding->dn);
	set_text(item, "attribute", finding->attribute);
	return item;
}

/* The place of a finding: the members of its JSON that it has. */
static void print_place(const json_t *item)
{
	static const struct {
		const char *member;
		const char *label;
	} parts[] = {{"database", ""}, {"page", "page "}, {"node", "node "},
	             {"id", "ID "},    {"dn", ""},        {"attribute", ""}};
	const char *comma = "";
	char text[NAME_SIZE];

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		const json_t *value = json_object_get(item, parts[i].member);

		if (value == NULL) {
			continue;
		}
		(void)printf("%s%s", comma, parts[i].label);
		if (json_is_integer(value)) {
			(void)printf("%lld", (long long)json_integer_value(value));
		} else {
			/* A damaged name may hold anything. */
			text_escape(text, sizeof(text), fact_text(item, parts[i].member));
			(void)fputs(text, stdout);
		}
		comma = ", ";
	}
	if (*comma == '\0') {
		(void)fputs(fact_text(item, "file"), stdout);
	}
}

void output_found(void *ctx, const struct dit_check_finding *finding)
{
	struct output *output = ctx;
	json_t *item = finding_json(finding);

	if (output->is_json) {
		(void)json_array_append_new(
			json_object_get(output->json,
		                        finding->is_note ? "notes" : "findings"),
			item);
		return;
	}
	meter_break(&output->meter);
	print_place(item);
	(void)printf(": %s: %s\n", finding->kind, finding->text);
	json_decref(item);
}

/* To an array of the object, which is made if it is not there. */
static void append(struct output *output, const char *name, json_t *item)
{
	json_t *list = json_object_get(output->json, name);

	if (list == NULL) {
		list = json_array();
		(void)json_object_set_new(output->json, name, list);
	}
	(void)json_array_append_new(list, item);
}

void output_sizes(void *ctx, const struct dit_check_database *database)
{
	append(ctx, "databases", sizes_json(database));
}

void output_config(void *ctx, const struct dit_check_config *config)
{
	append(ctx, "configuration", config_json(config));
}

void output_file(void *ctx, const struct dit_check_file *file)
{
	struct output *output = ctx;
	const json_t *databases = json_object_get(output->json, "databases");
	struct filler filler = {.out = stdout};
	json_t *item = json_pack(
		"{s:o, s:b, s:I, s:i, s:I, s:I, s:I, s:I, s:I, s:I}", "file",
		json_text(file->file), "held", file->is_held, "transaction",
		(json_int_t)file->transaction, "page_bytes", (int)file->page_bytes,
		"pages", (json_int_t)file->npages, "pages_used", (json_int_t)file->nused,
		"pages_free", (json_int_t)file->nfree, "databases",
		(json_int_t)file->ndatabases, "findings", (json_int_t)file->nfindings,
		"notes", (json_int_t)file->nnotes);

	append(output, "files", item);
	if (output->is_json) {
		return;
	}
	meter_break(&output->meter);
	sizes_print(databases, output->nsizes, output->is_verbose);
	output->nsizes = json_array_size(databases);
	filler.row = item;
	pattern_fill(&filler, "{file}: {findings} finding{findings:plural}"
	                      "[, {notes} note{notes:plural}]\n");
	if (output->is_verbose) {
		(void)printf("  transaction %llu, %s\n",
		             (unsigned long long)file->transaction,
		             file->is_held ? "held"
		                           : "not held: no process has the file open");
		pattern_fill(&filler, "  {databases} databases, {pages} pages of "
		                      "{page_bytes} bytes: {pages_used} in trees, "
		                      "{pages_free} free\n");
	}
}

void output_describe(struct output *output, const struct filter_log *log)
{
	json_t *json = output->json;

	(void)json_object_set_new(json, "format", json_integer(1));
	(void)json_object_set_new(json, "program", json_string("ditcheck"));
	(void)json_object_set_new(json, "version", json_string(dit_version()));
	(void)json_object_set_new(json, "checked", run_time_json(time(NULL)));
	if (log != NULL) {
		(void)json_object_set_new(json, "filter_log", filter_log_json(log));
	}
}

void output_advise(struct output *output, const char *options)
{
	json_t *made = advice_make(output->json, options);

	(void)json_object_update(output->json, made);
	json_decref(made);
}

int output_finish(struct output *output, const struct dit_check_stats *stats)
{
	json_t *kinds = json_object_get(output->json, "kinds");

	for (size_t i = 0; i < stats->nkinds; i++) {
		uint64_t n = stats->kinds[i].nfindings;

		(void)json_object_set_new(kinds, stats->kinds[i].kind, json_number(n));
		if (!output->is_json) {
			(void)printf("%s%-18s %10llu\n", i == 0 ? "\n" : "",
			             stats->kinds[i].kind, (unsigned long long)n);
		}
	}
	if (output->is_json) {
		(void)json_dumpf(output->json, stdout, JSON_INDENT(1));
		(void)putchar('\n');
	} else {
		advice_print(stdout, output->json);
	}
	return fflush(stdout) == 0 && ferror(stdout) == 0 ? 0 : -1;
}

void output_deinit(struct output *output)
{
	json_decref(output->json);
	output->json = NULL;
}
