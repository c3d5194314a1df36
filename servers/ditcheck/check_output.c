/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines: a finding as it comes, each file with the table of --stats (check_file.txt), and
 * at the end the kinds of findings and the advice (check_end.txt):
 *
 *   cn, page 12, node 3: key-order: the key is not above the one before it
 *   db/data.mdb: 2 findings
 *
 *   key-order                   1
 *   page-lost                   1
 *
 * JSON: {"format": 1, "program", "version", "files": [{"file", ...}],
 * "kinds": {"key-order": 1}, "findings": [{...}]}, and with --stats "configuration",
 * "databases", "advice": [{...}]
 */
#include "check_output.h"

#include <assert.h>
#include <errno.h>
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
#define KEY_HEX   (2 * 511 + 1)

int output_init(struct output *output, bool is_json)
{
	*output = (struct output){.is_json = is_json};
	output->json = json_pack("{s:i, s:s, s:s, s:[], s:{}, s:[], s:[]}", "format", 1,
	                         "program", "ditcheck", "version", dit_version(), "files",
	                         "kinds", "findings", "notes");
	return output->json == NULL ? -1 : 0;
}

static int set_text(json_t *item, const char *name, const char *text)
{
	return text == NULL ? 0 : json_object_set_new(item, name, json_text(text));
}

/* Owned; NULL: no memory */
static json_t *finding_json(const struct dit_check_finding *finding)
{
	json_t *item = json_pack("{s:o, s:s, s:o}", "file", json_text(finding->file),
	                         "kind", finding->kind, "text", json_text(finding->text));

	int r = item == NULL ? -1 : set_text(item, "database", finding->database);

	if (finding->page != DIT_CHECK_NO_PAGE) {
		r = r ?: json_object_set_new(item, "page", json_number(finding->page));
	}
	if (finding->node >= 0) {
		r = r ?: json_object_set_new(item, "node", json_integer(finding->node));
	}
	if (finding->id != 0) {
		r = r ?: json_object_set_new(item, "id", json_number(finding->id));
	}
	r = r ?: set_text(item, "dn", finding->dn);
	r = r ?: set_text(item, "attribute", finding->attribute);
	if (r < 0) {
		json_decref(item);
	}
	return r < 0 ? NULL : item;
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

/* To an array of the object, which is made if it is not there. */
static void append(struct output *output, json_t *object, const char *name, json_t *item)
{
	json_t *list = json_object_get(object, name);

	if (list == NULL) {
		list = json_array();
		(void)json_object_set_new(object, name, list);
	}
	output->is_lost |= json_array_append_new(list, item) < 0;
}

void output_found(void *ctx, const struct dit_check_finding *finding)
{
	struct output *output = ctx;
	json_t *item = finding_json(finding);

	output->is_lost |= item == NULL;
	if (output->is_json) {
		append(output, output->json, finding->is_note ? "notes" : "findings",
		       item);
		return;
	}
	meter_break(&output->meter);
	print_place(item);
	(void)printf(": %s: %s\n", finding->kind, finding->text);
	json_decref(item);
}

/* ---- sizes ---- */

static void print_hex(char *text, struct dit_span key)
{
	for (size_t i = 0; i < key.len && 2 * i + 3 <= KEY_HEX; i++) {
		(void)snprintf(text + 2 * i, 3, "%02x", (unsigned char)key.data[i]);
	}
	text[2 * key.len] = '\0';
}

static json_t *longest_json(const void *database, size_t i)
{
	const struct dit_check_list *list =
		&((const struct dit_check_database *)database)->longest[i];
	char hex[KEY_HEX];

	print_hex(hex, list->key);
	return json_pack("{s:s, s:o, s:I}", "key", hex, "value", json_text(list->value),
	                 "postings", (json_int_t)list->nids);
}

static json_t *presence_json(const struct dit_check_database *database)
{
	return !database->has_presence
	               ? json_null()
	               : json_pack("{s:b, s:I}", "range",
	                           (int)database->is_presence_range, "postings",
	                           (json_int_t)database->npresent);
}

static json_t *sizes_json(const struct dit_check_database *database)
{
	json_t *json = json_pack(
		"{s:o, s:o, s:b, s:i, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "file",
		json_text(database->file), "database", json_text(database->name), "index",
		(int)database->is_index, "depth", (int)database->depth, "keys",
		(json_int_t)database->nkeys, "postings", (json_int_t)database->nrecords,
		"branch_pages", (json_int_t)database->nbranches, "leaf_pages",
		(json_int_t)database->nleaves, "overflow_pages",
		(json_int_t)database->noverflows, "bytes", (json_int_t)database->bytes,
		"used_bytes", (json_int_t)database->used_bytes, "entries",
		(json_int_t)database->nentries);

	if (json != NULL && database->is_index) {
		(void)json_object_set_new(json, "ranges",
		                          json_integer((json_int_t)database->nranges));
		(void)json_object_set_new(json, "list_lengths",
		                          run_lengths_json(database->nlists));
		(void)json_object_set_new(
			json, "longest",
			json_list(database->nlongest, longest_json, database));
		(void)json_object_set_new(json, "presence", presence_json(database));
	}
	return json;
}

/* ---- the configuration, and what searches make of it ---- */

static_assert(DIT_CHECK_INDEX_KINDS == ADVICE_NKINDS, "kinds have one order");

static const char *kind_name(unsigned kind)
{
	return advice_kind_names[__builtin_ctz(kind) % ADVICE_NKINDS];
}

static json_t *use_json(const void *config, size_t number)
{
	const struct dit_check_index_use *index =
		&((const struct dit_check_config *)config)->indexes[number];
	json_t *kinds = json_array();
	json_t *uses = json_object();

	for (unsigned i = 0; i < DIT_CHECK_INDEX_KINDS; i++) {
		if ((index->kinds & 1u << i) != 0) {
			(void)json_array_append_new(kinds,
			                            json_string(advice_kind_names[i]));
			(void)json_object_set_new(
				uses, advice_kind_names[i],
				json_integer((json_int_t)index->nuses[i]));
		}
	}
	return json_pack("{s:o, s:o, s:b, s:I, s:I, s:o}", "name", json_text(index->name),
	                 "kinds", kinds, "numeric", (int)index->is_numeric,
	                 "sampled_values", (json_int_t)index->nvalues, "digit_values",
	                 (json_int_t)index->ndigits, "uses", uses);
}

static json_t *missing_json(const void *config, size_t i)
{
	const struct dit_check_missing *one =
		&((const struct dit_check_config *)config)->missing[i];

	return json_pack("{s:o, s:s, s:I}", "attribute", json_text(one->attribute),
	                 "kind", kind_name(one->kind), "searches",
	                 (json_int_t)one->nsearches);
}

static json_t *searches_json(const struct dit_check_config *config)
{
	return json_pack(
		"{s:I, s:I, s:I, s:I, s:I, s:o}", "counted",
		(json_int_t)config->nsearches, "base", (json_int_t)config->nbases,
		"elsewhere", (json_int_t)config->nelsewhere, "unread",
		(json_int_t)config->nunread, "unindexed", (json_int_t)config->nunindexed,
		"missing", json_list(config->nmissing, missing_json, config));
}

static json_t *config_json(const struct dit_check_config *config)
{
	/* A suffix that is no UTF-8 is not told. */
	json_t *suffix = config->suffix.len == 0
	                         ? json_string("")
	                         : json_stringn(config->suffix.data, config->suffix.len);

	if (suffix == NULL) {
		suffix = json_null();
	}
	return json_pack("{s:o, s:o, s:I, s:i, s:I, s:o, s:o}", "file",
	                 json_text(config->file), "suffix", suffix, "maxsize_bytes",
	                 (json_int_t)config->maxsize_bytes, "idlexp", (int)config->idlexp,
	                 "sampled_entries", (json_int_t)config->nsampled, "indexes",
	                 json_list(config->nindexes, use_json, config), "searches",
	                 searches_json(config));
}

/* ---- files ---- */

void output_sizes(void *ctx, const struct dit_check_database *database)
{
	struct output *output = ctx;

	append(output, output->json, "databases", sizes_json(database));
}

void output_config(void *ctx, const struct dit_check_config *config)
{
	struct output *output = ctx;

	append(output, output->json, "configuration", config_json(config));
}

/* With the sizes of its databases, the largest first. */
static void print_file(struct output *output, json_t *file)
{
	const json_t *databases = json_object_get(output->json, "databases");
	json_t *sizes = fact_largest(databases, output->nsizes);
	json_t *shown = json_pack("{s:o, s:o, s:b, s:o*}", "bytes",
	                          json_number(fact_sum(sizes, "bytes")), "used_bytes",
	                          json_number(fact_sum(sizes, "used_bytes")), "verbose",
	                          (int)output->is_verbose, "sizes", sizes);
	const struct filler filler = {.out = stdout, .json = shown, .row = shown};

	output->is_lost |= json_object_update(shown, file) < 0;
	pattern_fill(&filler, check_file_txt);
	json_decref(shown);
}

void output_file(void *ctx, const struct dit_check_file *file)
{
	struct output *output = ctx;
	json_t *item = json_pack(
		"{s:o, s:b, s:I, s:i, s:I, s:I, s:I, s:I, s:I, s:I}", "file",
		json_text(file->file), "held", file->is_held, "transaction",
		(json_int_t)file->transaction, "page_bytes", (int)file->page_bytes,
		"pages", (json_int_t)file->npages, "pages_used", (json_int_t)file->nused,
		"pages_free", (json_int_t)file->nfree, "databases",
		(json_int_t)file->ndatabases, "findings", (json_int_t)file->nfindings,
		"notes", (json_int_t)file->nnotes);

	for (size_t i = 0; i < file->ndynlists; i++) {
		const struct dit_check_dynlist *one = &file->dynlists[i];

		append(output, item, "dynlists",
		       json_pack("{s:s, s:s, s:I, s:I, s:I}", "group", one->group,
		                 "attribute", one->attribute, "entries",
		                 (json_int_t)one->nentries, "urls",
		                 (json_int_t)one->nurls, "ignored",
		                 (json_int_t)one->nignored));
	}
	append(output, output->json, "files", item);
	if (!output->is_json && !output->is_lost) {
		meter_break(&output->meter);
		print_file(output, item);
		output->nsizes =
			json_array_size(json_object_get(output->json, "databases"));
	}
}

void output_advise(struct output *output, const struct filter_log *log,
                   const char *options)
{
	json_t *json = output->json;
	json_t *made = advice_make(json, options);

	(void)json_object_set_new(json, "checked", run_time_json(time(NULL)));
	if (log->nfiles > 0) {
		(void)json_object_set_new(json, "filter_log", filter_log_json(log));
	}
	(void)json_object_update(json, made);
	json_decref(made);
}

int output_finish(struct output *output, const struct dit_check_stats *stats)
{
	const struct filler advised = {.out = stdout, .row = output->json};
	json_t *kinds = json_object_get(output->json, "kinds");

	for (size_t i = 0; i < stats->nkinds; i++) {
		output->is_lost |=
			json_object_set_new(kinds, stats->kinds[i].kind,
		                            json_number(stats->kinds[i].nfindings)) < 0;
	}
	if (output->is_json) {
		output->is_lost |=
			json_print(stdout, json_incref(output->json), JSON_INDENT(1)) < 0;
	} else {
		pattern_fill(&advised, check_end_txt);
	}
	if (fflush(stdout) != 0 || ferror(stdout) != 0) {
		return -1;
	}
	errno = ENOMEM;
	return output->is_lost ? -1 : 0;
}

void output_deinit(struct output *output)
{
	json_decref(output->json);
	output->json = NULL;
}
