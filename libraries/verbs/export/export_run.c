/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exports: a scan whose ranges leave texts, which main writes in order.
 *
 *   members   entry ─▶ matches? ─▶ LDIF or JSON in the text of the range
 *   main      text ─▶ write()
 *
 * A text goes from a member to main with its range. So there are never more texts than
 * ranges on their way.
 */
#include "export/export.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/notes.h"
#include "base/version.h"
#include "export/export_text.h"
#include "files/fault.h"
#include "job/job.h"
#include "page/lmdb_format.h"
#include "result/export_file.h"
#include "result/export_pack.h"
#include "scan/scan_snapshot.h"

/* A range of plain text has so many pages: with fewer a pipe costs more calls. */
#define TEXT_RANGE_PAGES 8

/* The result of a range, in its memory. */
struct export_text {
	struct dit_ldif_text ldif;
	struct dit_notes notes; /* in the range's memory */
	uint64_t nentries;
	uint64_t nunreadable;
	bool is_end;      /* an entry cannot be read, and nothing comes after it */
	uint64_t nlost;   /* attributes whose values slapd has lost */
	uint64_t lost_id; /* of the first entry with one */
	struct dit_span lost_name; /* of that attribute; points into the snapshot */
};

/* One of the databases. [const] while members run */
struct export_database {
	const struct dit_database *db;
	struct dit_data_seal *seal; /* NULL: its pages are not sealed */
	struct dit_snapshot *snapshot;
	struct dit_entry_scan *scan;
	struct dit_export_names names;
	uint64_t nread; /* [own: main] entries and holes so far */
};

struct export
{
	/* [const] while members run */
	const struct dit_export_opts *opts;
	struct dit_job job;
	struct dit_entry_match match;
	struct export_database *databases;
	size_t ndatabases;
	struct export_database *current;

	struct dit_packer **packers; /* [own: the member] one each; NULL: plain text */

	/* [own: main] */
	struct dit_export_stats *stats;
	struct dit_export_file file;
	bool is_told; /* why the export ends */
};

/* ---- reports ---- */

static const char *why_of(const struct export *export, int r)
{
	return export->file.why[0] == '\0' ? dit_strerror(r) : export->file.why;
}

static int fail_on_file(struct export *export, int r)
{
	const char *path = export->opts->output;

	export->is_told = true;
	if (r == DIT_E_STOPPED) {
		return r; /* told at the end */
	}
	return dit_job_say(&export->job, r, "%s: %s",
	                   path == NULL ? "standard output" : path, why_of(export, r));
}

/* ---- members ---- */

static int begin_range(void *ctx, struct dit_scan_range *range)
{
	const struct export *export = ctx;
	struct export_text *text = dit_scan_range_alloc(range, sizeof(*text));

	if (text == NULL) {
		return -ENOMEM;
	}
	dit_ldif_text_init(&text->ldif, export->opts->wrap);
	dit_notes_init(&text->notes, dit_scan_range_arena(range));
	range->result = text;
	return 0;
}

/* Only the first reason of a range is told: unreadable entries are rare. */
static int put_unreadable(const struct export *export, struct export_text *text,
                          const struct dit_entry_view *entry)
{
	if (text->nunreadable++ == 0) {
		dit_notes_add(&text->notes, DIT_REPORT_ERROR,
		              "%s: entry id=%08lx cannot be read: %s",
		              export->current->db->data.directory, entry->id,
		              entry->name_error < 0 ? "its DN cannot be put together"
		                                    : entry->reason);
	}
	text->is_end = !export->opts->keep_going;
	if (export->opts->format == DIT_EXPORT_JSONL) {
		return 0; /* it has no comments */
	}
	return dit_export_put_nothing(&text->ldif, entry->id);
}

/* slapcat says nothing of them. */
static void note_lost(struct export_text *text, const struct dit_entry_view *entry)
{
	for (uint32_t i = 0; i < entry->nattrs; i++) {
		const struct dit_attr_view *attr = &entry->attrs[i];

		if (attr->nvalues == 0 && attr->is_split && text->nlost++ == 0) {
			text->lost_id = entry->id;
			text->lost_name = attr->name;
		}
	}
}

static int put_entry(void *ctx, struct dit_scan_range *range,
                     const struct dit_entry_view *entry)
{
	const struct export *export = ctx;
	struct export_text *text = range->result;

	if (text->is_end) {
		return 0;
	}
	if (entry->name_error < 0 || entry->record_error < 0) {
		return put_unreadable(export, text, entry);
	}
	text->nentries++;
	note_lost(text, entry);
	if (export->opts->format == DIT_EXPORT_JSONL) {
		return dit_export_put_json(&text->ldif, &export->current->names, entry,
		                           export->opts->is_verbose);
	}
	return dit_export_put_entry(&text->ldif, &export->current->names, entry,
	                            export->opts->is_verbose);
}

static int end_range(void *ctx, struct dit_scan_range *range)
{
	const struct export *export = ctx;
	const char *directory = export->current->db->data.directory;
	struct export_text *text = range->result;

	if (text->nunreadable > 1) {
		dit_notes_add(&text->notes, DIT_REPORT_ERROR,
		              "%s: %lu entr%s near it cannot be read either", directory,
		              text->nunreadable - 1,
		              text->nunreadable == 2 ? "y" : "ies");
	}
	if (text->nlost > 0) {
		dit_notes_add(
			&text->notes, DIT_REPORT_WARNING,
			"%s: entry id=%08lx is written without \"%.*s\", whose values slapd has lost; "
			"see what \"ditcheck\" says of %lu such attribute%s",
			directory, text->lost_id, DIT_SPAN_ARGS(text->lost_name),
			text->nlost, text->nlost == 1 ? "" : "s");
	}
	return export->packers == NULL || text->ldif.len == 0
	               ? 0
	               : dit_packer_pack(export->packers[range->member], &text->ldif);
}

/* ---- main ---- */

static int write_text(struct export *export, const struct dit_ldif_text *text)
{
	int r = dit_export_file_write(&export->file, text->data, text->len);

	export->stats->nbytes = export->file.nbytes;
	return r < 0 ? fail_on_file(export, r) : 0;
}

static void fill_progress(void *ctx, struct dit_progress *ret)
{
	const struct export *export = ctx;

	ret->unit = DIT_PROGRESS_RECORDS;
	ret->nentries = export->stats->nentries;
	ret->bytes_written = export->file.nbytes;
	ret->threads = export->stats->threads;
	for (size_t i = 0; i < export->ndatabases && ret->phase == DIT_EXPORT_ENTRIES;
	     i++) {
		const struct export_database *database = &export->databases[i];

		uint64_t ncandidates = dit_entry_scan_ncandidates(database->scan);

		ret->done += database->nread;
		ret->total += ncandidates > 0 ? ncandidates
		                              : dit_entry_scan_nrecords(database->scan);
	}
}

static void drop_range(void *ctx, struct dit_scan_range *range)
{
	struct export_text *text = range->result;

	(void)ctx;
	if (text != NULL) {
		dit_ldif_text_deinit(&text->ldif);
	}
	range->result = NULL;
}

static int write_range(void *ctx, struct dit_scan_range *range)
{
	struct export *export = ctx;
	struct export_text *text = range->result;
	int ended = text->is_end ? DIT_E_CORRUPT : 0;
	int r = 0;

	dit_notes_tell(&text->notes, export->opts->report, export->opts->report_ctx);
	export->is_told = export->is_told || text->is_end;
	export->stats->nunreadable += text->nunreadable;
	export->current->nread += range->nread;
	export->stats->nentries += text->nentries;
	r = write_text(export, &text->ldif);
	drop_range(export, range);
	dit_job_tell(&export->job, DIT_EXPORT_ENTRIES);
	return r < 0 ? r : ended;
}

static int write_database(struct export *export, struct export_database *database)
{
	static const struct dit_entry_scan_ops ops = {.begin = begin_range,
	                                              .entry = put_entry,
	                                              .end = end_range,
	                                              .in_order = write_range,
	                                              .drop = drop_range};
	int r = 0;

	export->current = database;
	r = dit_entry_scan_run(database->scan, &ops, export);
	/* dit_export() has words for the other two. */
	if (r < 0 && r != -ENOMEM && r != DIT_E_STOPPED && !export->is_told) {
		r = dit_job_fail(&export->job, r, database->db->data.directory);
	}
	return r;
}

/* ---- databases ---- */

static int fail_on_database(const struct export *export,
                            const struct export_database *database, int r,
                            const char *fault)
{
	struct dit_span suffix = database->db->suffix;
	int code = r > -4096 ? -r : r; /* as LMDB has it */

	if (r == DIT_E_STOPPED) {
		return r;
	}
	if (fault[0] != '\0' || r == DIT_E_FORMAT ||
	    (r < DIT_LMDB_KEYEXIST && r != DIT_E_UNKNOWN)) {
		return dit_job_say(&export->job, r, "%s: %s",
		                   database->db->data.directory,
		                   fault[0] == '\0' ? dit_strerror(r) : fault);
	}
	if (r == DIT_E_UNKNOWN) {
		code = DIT_LMDB_NOTFOUND;
	}
	dit_job_report(
		&export->job, DIT_REPORT_DIAGNOSTIC,
		"mdb_db_open: database \"%.*s\" cannot be opened: %s (%d). Restore from "
		"backup!",
		DIT_SPAN_ARGS(suffix), dit_strerror(code), code);
	dit_job_say_not_opened(&export->job, database->db, code,
	                       database == export->databases);
	return r;
}

static void tell_unknown(const struct export *export,
                         const struct dit_export_names *names)
{
	for (uint32_t i = 0; i < names->n; i++) {
		if (names->list[i].is_unknown) {
			dit_job_report(&export->job, DIT_REPORT_DIAGNOSTIC,
			               "UNKNOWN attributeDescription \"%.*s\" inserted.",
			               DIT_SPAN_ARGS(names->list[i].text));
		}
	}
}

static int open_database(struct export *export, struct export_database *database)
{
	struct dit_fault fault = {.text = ""};
	struct dit_snapshot_opts snapshot_opts;
	struct dit_scan_snapshot_opts opts = {
		.schema = export->job.chosen.settings->schema,
		.sorts = export->job.chosen.settings,
		.range_pages =
			export->packers == NULL ? TEXT_RANGE_PAGES : DIT_PACK_RANGE_PAGES,
		.stop = &export->job.stop};
	int r = 0;

	assert(database->db != NULL);
	r = dit_job_open_seal(&export->job, database->db, &database->seal);
	if (r < 0) {
		return r;
	}
	snapshot_opts = dit_job_snapshot_opts(&export->job, export->stats->threads,
	                                      database->seal, &fault);
	r = dit_snapshot_open_readers(&database->snapshot, database->db->data.directory,
	                              &snapshot_opts);
	opts.snapshot = database->snapshot;
	r = r ?: dit_entry_scan_new(&database->scan, &opts);
	if (r == 0) {
		r = dit_export_names_make(&database->names,
		                          dit_entry_scan_names(database->scan));
	}
	if (r < 0) {
		return fail_on_database(export, database, r, fault.text);
	}
	tell_unknown(export, &database->names);
	r = dit_entry_scan_match(database->scan, &export->match,
	                         export->job.chosen.settings,
	                         export->opts->no_index ? NULL : database->db);
	export->stats->ncandidates += dit_entry_scan_ncandidates(database->scan);
	return r < 0 ? fail_on_database(export, database, r, "") : 0;
}

static int make_packers(struct export *export)
{
	int r = 0;

	if (export->opts->compression == DIT_EXPORT_PLAIN) {
		return 0;
	}
	export->packers = calloc(export->stats->threads, sizeof(*export->packers));
	if (export->packers == NULL) {
		return -ENOMEM;
	}
	for (unsigned i = 0; i < export->stats->threads && r == 0; i++) {
		r = dit_packer_new(&export->packers[i], export->opts->compression);
	}
	return r;
}

/* The process may be another user's afterwards. */
static int tell_directories(struct export *export)
{
	const struct dit_glue *glue = &export->job.glue;
	int r = export->opts->before_open == NULL ? 0
	                                          : dit_export_file_keep(&export->file);

	return r < 0 ? fail_on_file(export, r)
	             : dit_job_before_open(&export->job, glue->databases,
	                                   glue->ndatabases);
}

static int open_databases(struct export *export)
{
	int r = dit_job_glue(&export->job);

	r = r ?: tell_directories(export);
	if (r < 0) {
		export->is_told = true;
		return r;
	}
	export->databases =
		calloc(export->job.glue.ndatabases, sizeof(*export->databases));
	if (export->databases == NULL) {
		return -ENOMEM;
	}
	export->stats->threads = export->job.nthreads;
	for (size_t i = 0; i < export->job.glue.ndatabases; i++) {
		const struct dit_database *db = export->job.glue.databases[i];

		/* One of another type gives tools no entries. */
		if (strcmp(db->type, "mdb") == 0) {
			export->databases[export->ndatabases++].db = db;
		}
	}
	r = make_packers(export);
	/* The superior one last, as slapcat: so its failure is the last to be told. */
	for (size_t i = export->ndatabases; i > 0 && r == 0; i--) {
		r = open_database(export, &export->databases[i - 1]);
	}
	return r;
}

/* ---- the whole of it ---- */

/* In slapcat's order: configuration, filter, base, database. */
static int choose(struct export *export)
{
	const struct dit_export_opts *opts = export->opts;
	const struct dit_entry_match_opts wanted = {.base = opts->base,
	                                            .scope = opts->scope,
	                                            .filter = opts->filter,
	                                            .is_slapcat = true};
	struct dit_job *job = &export->job;
	int r = dit_job_read(job);

	if (r < 0) {
		return r;
	}
	r = dit_entry_match_make(&export->match, job, job->chosen.settings->schema,
	                         &wanted);
	if (r < 0) {
		return r;
	}
	if (opts->base != NULL && opts->suffix == NULL && opts->database < 0) {
		job->opts.suffix = opts->base;
	}
	r = dit_job_choose(job);
	if (r == 0 && opts->base == NULL) {
		dit_entry_match_below(&export->match, export->job.chosen.db->suffix_norm);
	}
	return r;
}

/* No entry is written. An empty file is not a valid gzip or zstd file. */
static int write_nothing(struct export *export)
{
	struct dit_ldif_text text;
	int r = 0;

	dit_ldif_text_init(&text, export->opts->wrap);
	r = dit_packer_pack(export->packers[0], &text);
	r = r < 0 ? r : write_text(export, &text);
	dit_ldif_text_deinit(&text);
	return r;
}

static int check_opts(const struct export *export)
{
	const struct dit_export_opts *opts = export->opts;
	const struct dit_job_range own[] = {
		{"scope", opts->scope, DIT_SCOPE_SUBTREE, DIT_SCOPE_CHILDREN},
		{"compression", opts->compression, DIT_EXPORT_PLAIN, DIT_EXPORT_ZSTD},
		{"format", opts->format, DIT_EXPORT_LDIF, DIT_EXPORT_JSONL}};

	return dit_job_check(&export->job, own, sizeof(own) / sizeof(own[0]));
}

static int run(struct export *export)
{
	int r = check_opts(export);

	if (r < 0) {
		return r;
	}
	r = dit_export_file_open(&export->file, export->opts->output, O_TRUNC,
	                         &export->job.stop);
	if (r < 0) {
		/* slapcat's perror() */
		dit_job_report(
			&export->job, DIT_REPORT_PLAIN, "%s%s%s", export->opts->output,
			export->opts->output[0] == '\0' ? "" : ": ", why_of(export, r));
		return r;
	}
	r = choose(export);
	r = r ?: open_databases(export);
	for (size_t i = 0; i < export->ndatabases && r == 0; i++) {
		r = write_database(export, &export->databases[i]);
	}
	if (r == 0 && export->packers != NULL && export->file.nbytes == 0) {
		r = write_nothing(export);
	}
	if (r < 0) {
		(void)dit_export_file_flush(&export->file); /* what came before it */
		return r;
	}
	dit_job_tell(&export->job, DIT_EXPORT_PUBLISH);
	r = dit_export_file_finish(&export->file);
	return r < 0 ? fail_on_file(export, r) : 0;
}

static void release(struct export *export)
{
	for (size_t i = 0; i < export->ndatabases; i++) {
		struct export_database *database = &export->databases[i];

		dit_export_names_deinit(&database->names);
		dit_entry_scan_close(database->scan);
		dit_snapshot_close(database->snapshot);
		dit_data_seal_close(database->seal);
	}
	free(export->databases);
	for (unsigned i = 0; export->packers != NULL && i < export->stats->threads; i++) {
		dit_packer_free(export->packers[i]);
	}
	free(export->packers);
	dit_arena_deinit(&export->match.arena);
	dit_job_deinit(&export->job);
	dit_export_file_close(&export->file);
}

int dit_export(const struct dit_export_opts *opts, struct dit_export_stats *ret)
{
	struct dit_export_opts own;
	struct export export = {.opts = &own, .file = {.fd = -1}, .stats = ret};
	struct dit_job_opts job;
	int r = dit_opts_take(&own, sizeof(own), opts);

	memset(ret, 0, sizeof(*ret));
	if (r < 0) {
		return r;
	}
	job = (struct dit_job_opts){DIT_JOB_OPTS(&own), .directory = own.directory,
	                            .tool = "slapcat", .fill = fill_progress,
	                            .ctx = &export};
	dit_job_init(&export.job, &job);
	r = run(&export);
	release(&export);
	if (r == DIT_E_STOPPED) {
		dit_job_report(&export.job, DIT_REPORT_ERROR, "interrupted");
	} else if (r == -ENOMEM && !export.is_told) {
		dit_job_report(&export.job, DIT_REPORT_ERROR, "%s", dit_strerror(r));
	}
	return r;
}
