/* SPDX-License-Identifier: BSD-2-Clause */
/* The statistics of a load as JSON. */
#include "load_json.h"

#include <jansson.h>

#include "run_facts.h"

const char *const load_phase_names[] = {
	[DIT_LOAD_ENTRIES] = "entries", [DIT_LOAD_NAMES] = "tree",
	[DIT_LOAD_INDEXES] = "indexes", [DIT_LOAD_PUBLISH] = "publish",
	[DIT_LOAD_NPHASES] = NULL,
};

static const char *result_name(const struct options *options,
                               const struct dit_load_stats *stats, int r)
{
	if (r < 0) {
		return "failed";
	}
	if (stats->is_unneeded) {
		return "unneeded";
	}
	return options->load.is_dry_run ? "checked" : "stored";
}

static json_t *input_json(const struct options *options,
                          const struct dit_load_stats *stats)
{
	json_t *files = json_array();

	for (size_t i = 0; i < options->load.ninputs; i++) {
		const char *path = options->inputs.paths[i];

		(void)json_array_append_new(files, json_text(path == NULL ? "-" : path));
	}
	if (options->load.ninputs == 0) {
		(void)json_array_append_new(files, json_string("-"));
	}
	return json_pack("{s:o, s:o}", "files", files, "bytes",
	                 json_number(stats->bytes_read));
}

static json_t *rejects_json(const struct options *options)
{
	return options->rejects == NULL ? json_null() : json_text(options->rejects);
}

static json_t *records_json(const struct dit_load_stats *stats)
{
	return json_pack(
		"{s:o, s:o, s:o, s:o, s:o}", "read", json_number(stats->nrecords),
		"stored", json_number(stats->nentries), "refused",
		json_number(stats->nrefused), "not_stored", json_number(stats->nfailed),
		"missing_parents", json_number(stats->nmissing));
}

static json_t *refusals_json(const struct dit_load_stats *stats)
{
	json_t *refusals = json_array();

	for (size_t i = 0; i < stats->nrefusals; i++) {
		const struct dit_load_refusal *refusal = &stats->refusals[i];

		(void)json_array_append_new(
			refusals,
			json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "kind", refusal->kind,
		                  "records", json_number(refusal->nrecords), "first_line",
		                  json_number(refusal->first_line), "first_dn",
		                  json_text(refusal->first_dn), "first_reason",
		                  json_text(refusal->first_reason), "first_explanation",
		                  refusal->first_explanation == NULL
		                          ? json_null()
		                          : json_text(refusal->first_explanation)));
	}
	return refusals;
}

static const char *writer_name(const struct dit_load_database_stats *stats)
{
	switch (stats->writer) {
	case DIT_LOAD_WRITER_PAGES:
		return "pages";
	case DIT_LOAD_WRITER_APPEND:
		return "append";
	case DIT_LOAD_WRITER_DEFAULT:
		break;
	}
	return "existing";
}

static json_t *database_json(const struct dit_load_stats *stats,
                             const struct dit_load_database_stats *database)
{
	json_t *indexes = run_indexes_json(database->indexes, database->nindexes,
	                                   stats->threads > 1);

	return json_pack("{s:o, s:o, s:o, s:s, s:b, s:o}", "directory",
	                 json_text(database->directory), "bytes",
	                 run_known_json(database->bytes), "entries",
	                 json_number(database->nentries), "written_by",
	                 writer_name(database), "format_known",
	                 (int)!database->is_unknown_format, "indexes", indexes);
}

struct json_t *load_json(const struct run_record *record, const struct options *options,
                         const struct dit_load_stats *stats, int r, int status)
{
	json_t *databases = json_array();

	for (size_t i = 0; i < stats->ndatabases; i++) {
		(void)json_array_append_new(databases,
		                            database_json(stats, &stats->databases[i]));
	}
	return run_record_json(
		record,
		json_pack("{s:s, s:i, s:s?, s:b, s:i, s:o, s:o, s:o, s:o, s:o, s:o}",
	                  "result", result_name(options, stats, r), "exit_status", status,
	                  "openldap", dit_openldap_name(stats->openldap),
	                  "openldap_found", (int)stats->is_openldap_found, "tool_threads",
	                  (int)stats->threads, "input", input_json(options, stats),
	                  "records", records_json(stats), "refusals",
	                  refusals_json(stats), "rejects", rejects_json(options),
	                  "spilled_bytes", json_number(stats->run_bytes), "databases",
	                  databases),
		stats->phase_us, stats->phase_cpu_us);
}
