/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The first entries of each database are remembered by name. The suffix entry is the
 * first one of almost every database, so an LDIF of the whole directory meets it.
 */
#include "load/loader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "entry/why.h"
#include "files/fault.h"
#include "reader/entry_reader.h"
#include "reader/snapshot.h"

/* ---- reading ---- */

static char *text_of(struct dit_span text)
{
	return strndup(text.len == 0 ? "" : text.data, text.len);
}

/* @return 0 or -ENOMEM; a name that cannot be read is passed over */
static int remember(struct load_look *look, const struct dit_entry_view *entry)
{
	struct look_name *name = &look->names[look->nnames];

	look->has_entries = true;
	if (entry->name_error != 0) {
		return 0;
	}
	*name = (struct look_name){.pretty = text_of(entry->dn),
	                           .norm = text_of(entry->norm_dn)};
	look->nnames++;
	return name->pretty == NULL || name->norm == NULL ? -ENOMEM : 0;
}

static int read_snapshot(struct load_look *look, struct dit_snapshot *snapshot,
                         const struct loader *loader)
{
	const struct dit_ad_names no_names = {.n = 0};
	const struct dit_entry_reader_opts opts = {.snapshot = snapshot,
	                                           .names = &no_names};
	struct dit_entry_reader *reader = NULL;
	struct dit_entry_view entry = {.is_hole = false};
	int r = dit_entry_reader_new(&reader, &opts);

	if (r == 0) {
		look->nentries = dit_snapshot_db(snapshot, "id2e")->nrecords;
		r = dit_entry_reader_seek(reader, 0, &entry);
	}
	while (r > 0 && look->nnames < LOOK_NAMES && !dit_load_is_stopped(loader)) {
		r = entry.is_hole ? 0 : remember(look, &entry);
		r = r < 0 ? r : dit_entry_reader_next(reader, &entry);
	}
	dit_entry_reader_free(reader);
	/* A database that no slapd has opened has no tables. */
	return r < 0 && r != DIT_E_UNKNOWN ? r : 0;
}

/* @return -ENOMEM: the text stays what it was */
static int write_text(struct load_look *look, const char *directory)
{
	char *text = NULL;
	size_t size = 0;
	/* One is enough of those that are too many to be told. */
	unsigned nnames =
		look->nnames < look->nentries && look->nnames > 1 ? 1 : look->nnames;
	FILE *out = open_memstream(&text, &size);

	if (out == NULL) {
		return -ENOMEM;
	}
	(void)fprintf(out, "%s/data.mdb has %lu entr%s%s", directory, look->nentries,
	              look->nentries == 1 ? "y" : "ies",
	              nnames == 0                     ? ""
	              : look->nnames < look->nentries ? ", such as"
	                                              : ":");
	for (unsigned i = 0; i < nnames; i++) {
		(void)fprintf(out, "%s \"%s\"", i == 0 ? "" : ",", look->names[i].pretty);
	}
	if (fclose(out) != 0 || text == NULL) {
		free(text);
		return -ENOMEM;
	}
	look->text = text;
	return 0;
}

int dit_load_look(struct load_target *target)
{
	struct loader *loader = target->loader;
	const char *directory = target->db->data.directory;
	struct dit_fault fault = {""};
	const struct dit_snapshot_opts opts = {.nreaders = 1,
	                                       .lmdb.no_lock_file = true,
	                                       .sealed =
	                                               dit_data_seal_format(target->seal),
	                                       .lmdb.stop = &loader->job.stop,
	                                       .lmdb.fault = &fault};
	struct dit_snapshot *snapshot = NULL;
	int r = dit_snapshot_open_readers(&snapshot, directory, &opts);

	if (r == 0) {
		r = read_snapshot(&target->look, snapshot, loader);
		dit_snapshot_close(snapshot);
	}
	if (r == 0 && target->look.has_entries) {
		r = write_text(&target->look, directory);
	}
	if (r == -ENOMEM) {
		return dit_job_fail(&loader->job, r, directory);
	}
	if (r == DIT_E_UNSUPPORTED && loader->is_estimate) {
		return dit_job_say(&loader->job, r, "%s: %s", directory, fault.text);
	}
	if (r < 0 && r != -ENOENT && loader->opts->is_dry_run) {
		dit_job_report(&loader->job, DIT_REPORT_REMARK,
		               "%s was not looked at for entries of the input: %s",
		               directory,
		               fault.text[0] != '\0' ? fault.text : dit_strerror(r));
	}
	return 0;
}

/* ---- telling ---- */

const char *dit_load_look_text(const struct load_target *target)
{
	return target->look.text != NULL ? target->look.text : target->db->data.directory;
}

bool dit_load_look_is_unneeded(struct loader *loader)
{
	for (unsigned i = 0; i < loader->ntargets; i++) {
		const struct load_target *target = &loader->targets[i];

		if (loader->opts->only_if_empty && target->look.has_entries) {
			dit_job_report(
				&loader->job, DIT_REPORT_REMARK,
				"the database has entries already (%s): nothing to do",
				dit_load_look_text(target));
			loader->stats->is_unneeded = true;
			return true;
		}
	}
	return false;
}

void dit_load_look_note(struct load_target *target, const struct dit_dn *dn)
{
	struct load_look *look = &target->look;

	for (unsigned i = 0; i < look->nnames; i++) {
		look->is_met |= dit_span_eq(dit_span_of(look->names[i].norm), dn->norm);
	}
}

unsigned dit_load_look_tell(struct loader *loader, enum dit_report_kind kind)
{
	unsigned n = 0;

	for (unsigned i = 0; i < loader->ntargets && !loader->opts->keep_going; i++) {
		const struct load_target *target = &loader->targets[i];

		if (target->look.is_met) {
			dit_job_report(&loader->job, kind,
			               "the database has entries of the input already "
			               "(%s); %s",
			               dit_load_look_text(target),
			               dit_refusals[DIT_WHY_STORED].advice);
			n++;
		}
	}
	return n;
}

void dit_load_look_deinit(struct load_look *look)
{
	for (unsigned i = 0; i < look->nnames; i++) {
		free(look->names[i].pretty);
		free(look->names[i].norm);
	}
	free(look->text);
}
