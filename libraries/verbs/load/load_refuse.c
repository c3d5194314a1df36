/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records that are left out: what is said about them, and whether the load goes on.
 *
 * slapadd finds out about duplicate DNs and sizes only while storing, so those messages
 * come with its storage diagnostics.
 */
#include "load/loader.h"

#include <argz.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "entry/why.h"

#define TXN_ABORTED "=> mdb_tool_entry_put: txn_aborted! "
#define KEYEXIST    "MDB_KEYEXIST: Key/data pair already exists"
#define BAD_VALSIZE                                                                      \
 "MDB_BAD_VALSIZE: Unsupported size of key/DB name/data, or wrong DUPFIXED size"

/** A record that is left out. */
struct refused {
	const struct dit_ldif_record *record;
	const struct load_item *item;
	const char *reason;        /* in slapadd's words */
	const struct dit_why *why; /* NULL: not known */
	struct dit_arena *arena;   /* while it is told */
};

/* The DN of a record that could not be read as an entry: as typed. */
static struct dit_span typed_dn(const struct dit_ldif_record *record,
                                struct dit_arena *arena)
{
	/* No file is read a second time: a pipe would have nothing more to say. */
	static const struct dit_file_rules no_files = {.refuse_all = true};
	struct dit_ldif_lines lines = {0};
	struct dit_notes notes;

	dit_notes_init(&notes, arena);
	if (dit_ldif_parse(NULL, record->text, &no_files, &notes, &lines) < 0) {
		return DIT_SPAN("");
	}
	for (size_t i = 0; i < lines.nlines; i++) {
		if (dit_span_eq_nocase(lines.lines[i].name, DIT_SPAN("dn")) &&
		    lines.lines[i].value.data != NULL) {
			return lines.lines[i].value;
		}
	}
	return DIT_SPAN("");
}

/* In the arena; NULL: no memory. */
static const char *dn_of(const struct refused *refused)
{
	struct dit_span dn = refused->item->entry.dn.pretty;

	if (refused->item->state == LOAD_UNREADABLE) {
		dn = typed_dn(refused->record, refused->arena);
	}
	return dit_arena_copy(refused->arena, dn).data;
}

static struct dit_load_refusal *find_refusal(const struct dit_load_stats *stats,
                                             const char *kind)
{
	for (size_t i = 0; i < stats->nrefusals; i++) {
		if (strcmp(stats->refusals[i].kind, kind) == 0) {
			return &stats->refusals[i];
		}
	}
	return NULL;
}

/* One line of ours after slapadd's, with the very line of the file. Owned; NULL: there
 * is none, or no memory, and slapadd's lines must do. */
static char *explain(const struct loader *loader, const struct refused *refused)
{
	const struct dit_ldif_record *record = refused->record;
	struct dit_explanation explanation = {0};
	char *text = NULL;

	if (refused->why != NULL &&
	    dit_explain(&loader->reading.context, refused->why, record->text,
	                refused->arena, &explanation) == 0 &&
	    asprintf(&text, "%s:%lu: %s", record->file,
	             record->file_line + explanation.line, explanation.text) < 0) {
		text = NULL;
	}
	return text;
}

/* The first of its kind is remembered. @param explanation  taken; NULL: none */
static int remember_refusal(struct loader *loader, const struct refused *refused,
                            const char *kind, char *explanation)
{
	struct dit_load_stats *stats = loader->stats;
	struct dit_load_refusal *refusal =
		reallocarray(stats->refusals, stats->nrefusals + 1, sizeof(*refusal));
	struct dit_load_refusal first = {.kind = kind,
	                                 .nrecords = 1,
	                                 .first_line = refused->record->line,
	                                 .first_explanation = explanation};
	const char *dn = dn_of(refused);

	first.first_dn = dn == NULL ? NULL : strdup(dn);
	first.first_reason = strdup(refused->reason);
	if (refusal != NULL) {
		stats->refusals = refusal;
	}
	if (first.first_dn == NULL || first.first_reason == NULL || refusal == NULL) {
		free(first.first_dn);
		free(first.first_reason);
		free(explanation);
		return dit_job_fail(&loader->job, -ENOMEM,
		                    "could not count a refused record");
	}
	stats->refusals[stats->nrefusals++] = first;
	return 0;
}

/* Explain the refusal, and count it. */
static int count_refusal(struct loader *loader, const struct refused *refused)
{
	const struct dit_why *why = refused->why;
	const char *kind = why == NULL || why->kind == DIT_WHY_NONE
	                           ? "other"
	                           : dit_refusals[why->kind].name;
	struct dit_load_refusal *refusal = find_refusal(loader->stats, kind);
	char *explanation = refusal == NULL || loader->opts->explain
	                            ? explain(loader, refused)
	                            : NULL;

	if (explanation != NULL && loader->opts->explain) {
		dit_job_report(&loader->job, DIT_REPORT_EXPLANATION, "%s", explanation);
	}
	if (refusal == NULL) {
		return remember_refusal(loader, refused, kind, explanation);
	}
	free(explanation);
	refusal->nrecords++;
	return 0;
}

/* The record is left out: hand it to the reject file; stop unless there may be more. */
static int leave_out(struct loader *loader, struct refused *refused)
{
	const struct dit_load_opts *opts = loader->opts;
	const struct dit_job_rejects rejects = {opts->reject, opts->reject_ctx,
	                                        opts->keep_going, opts->max_rejects};
	struct dit_reject reject = {.record = refused->record->text.data,
	                            .record_len = refused->record->text.len,
	                            .line = refused->record->line,
	                            .reason = refused->reason};
	struct dit_arena arena;
	int r = 0;

	dit_arena_init(&arena, 4096);
	refused->arena = &arena;
	r = count_refusal(loader, refused);
	reject.dn = dn_of(refused);
	r = r < 0 ? r
	          : dit_job_leave_out(&loader->job, &rejects, &reject,
	                              loader->stats->nrefused + loader->stats->nfailed);
	dit_arena_deinit(&arena);
	return r;
}

/* True if this text, which is told once in a load, was told before. */
static bool was_told(struct loader *loader, const char *text)
{
	const char *told = NULL;

	while ((told = argz_next(loader->told, loader->told_len, told)) != NULL) {
		if (strcmp(told, text) == 0) {
			return true;
		}
	}
	/* Without memory it is told again, which does no harm. */
	(void)argz_add(&loader->told, &loader->told_len, text);
	return false;
}

void dit_load_tell_notes(struct loader *loader, const struct load_item *item)
{
	for (const struct dit_note *n = item->notes.first; n != NULL; n = n->next) {
		if (!n->is_once || !was_told(loader, n->text)) {
			dit_job_report(&loader->job, n->kind, "%s", n->text);
		}
	}
}

int dit_load_refuse(struct loader *loader, const struct dit_ldif_record *record,
                    struct load_item *item)
{
	const struct dit_note *note =
		item->state == LOAD_UNREADABLE ? item->notes.first : item->notes.last;
	struct refused refused = {.record = record,
	                          .item = item,
	                          .reason = note == NULL ? "could not parse entry"
	                                                 : note->text,
	                          .why = item->notes.why};

	loader->stats->nrefused++;
	dit_load_tell_notes(loader, item);
	if (item->state == LOAD_UNREADABLE) {
		dit_job_report(&loader->job, DIT_REPORT_ERROR,
		               "could not parse entry (line=%lu)", record->line);
	}
	return leave_out(loader, &refused);
}

/* slapadd's lines about an error of storing, for each reason. */
static const struct store_error {
	enum dit_why_kind kind;
	const char *put; /* with the DN after it; NULL: no such line */
	const char *add; /* likewise */
	const char *why; /* NULL: slapadd has no words for it */
} store_errors[] = {
	{DIT_WHY_EXISTS, "mdb_id2entry_put: mdb_put failed: " KEYEXIST "(-30799)",
         "=> mdb_tool_entry_put: id2entry_add failed: err=-30799", KEYEXIST " (-30799)"},
	{DIT_WHY_STORED, "mdb_id2entry_put: mdb_put failed: " KEYEXIST "(-30799)",
         "=> mdb_tool_entry_put: id2entry_add failed: err=-30799", KEYEXIST " (-30799)"},
	{DIT_WHY_RDN_SIZE, NULL,
         "=> mdb_tool_next_id: dn2id_add failed: " BAD_VALSIZE " (-30781)",
         BAD_VALSIZE " (-30781)"},
	{DIT_WHY_ENTRY_SIZE, NULL, "=> mdb_tool_entry_put: id2entry_add failed: err=11",
         "Resource temporarily unavailable (11)"},
	{DIT_WHY_SPLIT_SIZE,
         "mdb_id2entry_put: mdb_mval_put failed: " BAD_VALSIZE "(-30781)",
         "=> mdb_tool_entry_put: id2entry_add failed: err=80", "Internal error (80)"},
	{DIT_WHY_NOT_STORABLE, NULL, "=> mdb_tool_entry_put: id2entry_add failed: err=17",
         "File exists (17)"},
	{DIT_WHY_FOREIGN, NULL, NULL, NULL},
};

static const struct store_error *find_store_error(enum dit_why_kind kind)
{
	const struct store_error *error = store_errors;

	while (error->kind != kind) {
		error++;
	}
	return error;
}

int dit_load_fail(struct loader *loader, const struct dit_ldif_record *record,
                  const struct load_item *item, enum dit_why_kind kind)
{
	const struct load_target *target = &loader->targets[item->target];
	const struct dit_database *db = target->db;
	const struct store_error *error = find_store_error(kind);
	char limit[32];
	char foreign[128];
	struct dit_why about = {
		.kind = kind, .place = DIT_WHY_AT_DN, .value = item->entry.dn.pretty};
	struct refused refused = {.record = record,
	                          .item = item,
	                          .reason = error->why ?: foreign,
	                          .why = kind == DIT_WHY_NOT_STORABLE ? item->notes.why
	                                                              : &about};

	(void)snprintf(limit, sizeof(limit), "%lu", db->maxentrysize_bytes);
	(void)snprintf(foreign, sizeof(foreign), "database #%d is of type %s", db->number,
	               db->type);
	about.detail = dit_span_of(kind == DIT_WHY_STORED    ? dit_load_look_text(target)
	                           : kind == DIT_WHY_FOREIGN ? db->type
	                                                     : limit);
	if (error->put != NULL) {
		dit_job_report(&loader->job, DIT_REPORT_DIAGNOSTIC, "%s \"%.*s\"",
		               error->put, DIT_SPAN_ARGS(item->entry.dn.norm));
	}
	if (error->add != NULL) {
		dit_job_report(&loader->job, DIT_REPORT_DIAGNOSTIC, "%s", error->add);
		dit_job_report(&loader->job, DIT_REPORT_DIAGNOSTIC, TXN_ABORTED "%s",
		               error->why);
	}
	loader->stats->nfailed++;
	dit_job_report(&loader->job, DIT_REPORT_ERROR,
	               "could not add entry dn=\"%.*s\" (line=%lu): %s%s",
	               DIT_SPAN_ARGS(item->entry.dn.pretty), record->line,
	               error->add == NULL ? "" : "txn_aborted! ", refused.reason);
	return leave_out(loader, &refused);
}
