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

static void add_finding(struct output *output, const struct dit_check_finding *finding)
{
	json_t *findings =
		json_object_get(output->json, finding->is_note ? "notes" : "findings");
	json_t *item = json_pack("{s:o, s:s, s:o}", "file", json_text(finding->file),
	                         "kind", finding->kind, "text", json_text(finding->text));

	if (finding->database != NULL) {
		(void)json_object_set_new(item, "database", json_text(finding->database));
	}
	if (finding->page != DIT_CHECK_NO_PAGE) {
		(void)json_object_set_new(item, "page",
		                          json_integer((json_int_t)finding->page));
	}
	if (finding->node >= 0) {
		(void)json_object_set_new(item, "node", json_integer(finding->node));
	}
	if (finding->id != 0) {
		(void)json_object_set_new(item, "id",
		                          json_integer((json_int_t)finding->id));
	}
	if (finding->dn != NULL) {
		(void)json_object_set_new(item, "dn", json_text(finding->dn));
	}
	if (finding->attribute != NULL) {
		(void)json_object_set_new(item, "attribute",
		                          json_text(finding->attribute));
	}
	(void)json_array_append_new(findings, item);
}

static const char *print_part(const char *comma, const char *part)
{
	char text[NAME_SIZE];

	if (part == NULL) {
		return comma;
	}
	/* A damaged name may hold anything. */
	text_escape(text, sizeof(text), part);
	(void)printf("%s%s", comma, text);
	return ", ";
}

static const char *print_number(const char *comma, const char *what,
                                unsigned long long number)
{
	(void)printf("%s%s %llu", comma, what, number);
	return ", ";
}

void output_found(void *ctx, const struct dit_check_finding *finding)
{
	struct output *output = ctx;
	const char *comma = "";

	if (output->is_json) {
		add_finding(output, finding);
		return;
	}
	meter_break(&output->meter);
	comma = print_part(comma, finding->database);
	if (finding->page != DIT_CHECK_NO_PAGE) {
		comma = print_number(comma, "page", finding->page);
	}
	if (finding->node >= 0) {
		comma = print_number(comma, "node", (unsigned long long)finding->node);
	}
	if (finding->id != 0) {
		comma = print_number(comma, "ID", finding->id);
	}
	comma = print_part(comma, finding->dn);
	comma = print_part(comma, finding->attribute);
	if (*comma == '\0') {
		(void)printf("%s", finding->file);
	}
	(void)printf(": %s: %s\n", finding->kind, finding->text);
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

static void add_file(struct output *output, const struct dit_check_file *file)
{
	json_t *item = json_pack(
		"{s:o, s:b, s:I, s:i, s:I, s:I, s:I, s:I, s:I, s:I}", "file",
		json_text(file->file), "held", file->is_held, "transaction",
		(json_int_t)file->transaction, "page_bytes", (int)file->page_bytes,
		"pages", (json_int_t)file->npages, "pages_used", (json_int_t)file->nused,
		"pages_free", (json_int_t)file->nfree, "databases",
		(json_int_t)file->ndatabases, "findings", (json_int_t)file->nfindings,
		"notes", (json_int_t)file->nnotes);

	(void)json_array_append_new(json_object_get(output->json, "files"), item);
}

void output_file(void *ctx, const struct dit_check_file *file)
{
	struct output *output = ctx;
	const json_t *databases = json_object_get(output->json, "databases");

	add_file(output, file);
	if (output->is_json) {
		return;
	}
	meter_break(&output->meter);
	sizes_print(databases, output->nsizes, output->is_verbose);
	output->nsizes = json_array_size(databases);
	(void)printf("%s: %llu finding%s", file->file,
	             (unsigned long long)file->nfindings,
	             file->nfindings == 1 ? "" : "s");
	if (file->nnotes > 0) {
		(void)printf(", %llu note%s", (unsigned long long)file->nnotes,
		             file->nnotes == 1 ? "" : "s");
	}
	(void)putchar('\n');
	if (output->is_verbose) {
		(void)printf(
			"  transaction %llu, %s\n"
			"  %zu databases, %llu pages of %u bytes: %llu in trees, %llu "
			"free\n",
			(unsigned long long)file->transaction,
			file->is_held ? "held" : "not held: no process has the file open",
			file->ndatabases, (unsigned long long)file->npages,
			file->page_bytes, (unsigned long long)file->nused,
			(unsigned long long)file->nfree);
	}
}

static void print_kinds(const struct dit_check_stats *stats)
{
	if (stats->nkinds > 0) {
		(void)putchar('\n');
	}
	for (size_t i = 0; i < stats->nkinds; i++) {
		(void)printf("%-18s %10llu\n", stats->kinds[i].kind,
		             (unsigned long long)stats->kinds[i].nfindings);
	}
}

static void print_json(struct output *output, const struct dit_check_stats *stats)
{
	json_t *kinds = json_object_get(output->json, "kinds");

	for (size_t i = 0; i < stats->nkinds; i++) {
		(void)json_object_set_new(
			kinds, stats->kinds[i].kind,
			json_integer((json_int_t)stats->kinds[i].nfindings));
	}
	(void)json_dumpf(output->json, stdout, JSON_INDENT(1));
	(void)putchar('\n');
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
	if (output->is_json) {
		print_json(output, stats);
	} else {
		print_kinds(stats);
		advice_print(stdout, output->json);
	}
	return fflush(stdout) == 0 && ferror(stdout) == 0 ? 0 : -1;
}

void output_deinit(struct output *output)
{
	json_decref(output->json);
	output->json = NULL;
}
