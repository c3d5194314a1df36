/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reports, failures and progress of a load.
 */
#include "load/loader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "system/tmp_files.h"

#define MIB ((uint64_t)1 << 20)

int dit_load_each(struct loader *loader, int (*step)(struct load_target *target))
{
	int r = 0;

	for (unsigned i = 0; i < loader->ntargets && r == 0; i++) {
		r = loader->targets[i].is_foreign ? 0 : step(&loader->targets[i]);
	}
	return r;
}

static bool is_of_disk(int r)
{
	return r == -ENOSPC || r == -EDQUOT || r == -EFBIG || r == -EIO || r == -EROFS;
}

static int fail_at(struct loader *loader, int r, const char *what, const char *directory,
                   const char *advice)
{
	char *text = NULL;
	bool has_place = is_of_disk(r) && strcmp(what, directory) != 0 &&
	                 asprintf(&text, "%s in %s", what, directory) >= 0;

	if (has_place && !dit_load_is_stopped(loader)) {
		dit_job_report(&loader->job, DIT_REPORT_ERROR, "%s: %s%s", text,
		               dit_strerror(r), advice);
	} else {
		r = dit_job_fail(&loader->job, r, what);
	}
	free(has_place ? text : NULL);
	return r;
}

int dit_load_sort_fail(struct loader *loader, int r)
{
	return fail_at(loader, r, "could not sort index keys",
	               dit_tmp_dir(loader->opts->tmpdir),
	               ": --tmpdir names another directory");
}

void dit_load_tell_size(const struct load_target *target, enum dit_report_kind kind,
                        const char *needs, double bytes)
{
	uint64_t wanted = ((uint64_t)(bytes * 1.5) + MIB - 1) / MIB * MIB;

	dit_job_report(&target->loader->job, kind,
	               "the database %s %.0f bytes, but maxsize is %lu: configure "
	               "\"maxsize %lu\" or give --grow",
	               needs, bytes, target->db->data.maxsize_bytes, wanted);
}

int dit_load_target_fail(struct load_target *target, int r, const char *what)
{
	const struct dit_database *db = target->db;

	if (r == DIT_E_FULL && target->stats->bytes > 0) {
		dit_load_tell_size(target, DIT_REPORT_ERROR, "needs",
		                   (double)target->stats->bytes);
		return r;
	}
	if (r == DIT_E_FULL) {
		return dit_job_say(
			&target->loader->job, r,
			"the database in %s is full, maxsize is %lu: configure more, or "
			"give --grow",
			db->data.directory, db->data.maxsize_bytes);
	}
	return fail_at(target->loader, r, what, db->data.directory, "");
}

/* ---- progress ---- */

/* The phase of one database; those of all databases are added. */
static void add_target(const struct loader *loader, const struct load_target *target,
                       struct dit_progress *ret)
{
	uint64_t bytes = 0;

	ret->stored_bytes += target->stored_bytes;
	if (target->builders != NULL) {
		ret->npostings += dit_builders_npostings(target->builders);
		ret->run_bytes += dit_builders_run_bytes(target->builders);
	}
	if (target->output != NULL &&
	    dit_output_used_bytes(&target->output->base, &bytes)) {
		ret->bytes_written += bytes;
	}
	if (loader->job.phase == DIT_LOAD_NAMES && target->tree != NULL) {
		/* Each node has its own record and one under its parent. */
		ret->done += target->tree->nwritten;
		ret->total += 2 * (uint64_t)target->tree->nnodes;
	}
	if (loader->job.phase == DIT_LOAD_INDEXES && target->index_writer != NULL) {
		ret->done += dit_index_writer_nread(target->index_writer);
	}
}

static void add_published(const struct loader *loader, unsigned number,
                          struct dit_progress *ret)
{
	const struct dit_published *item = &loader->published[number];
	uint64_t bytes = item->bytes;

	if (item->output != NULL) {
		ret->done += item->output->synced_bytes + item->output->digested_bytes;
		bytes = item->output->bytes;
	}
	ret->total += loader->opts->is_prepared ? 2 * bytes : bytes; /* read again */
	ret->bytes_written += bytes;
}

void dit_load_progress_fill(void *ctx, struct dit_progress *ret)
{
	struct loader *loader = ctx;
	static const enum dit_progress_unit units[DIT_LOAD_NPHASES] = {
		[DIT_LOAD_ENTRIES] = DIT_PROGRESS_BYTES,
		[DIT_LOAD_NAMES] = DIT_PROGRESS_RECORDS,
		[DIT_LOAD_INDEXES] = DIT_PROGRESS_POSTINGS,
		[DIT_LOAD_PUBLISH] = DIT_PROGRESS_BYTES,
	};
	enum dit_load_phase phase = loader->job.phase;

	ret->unit = units[phase];
	ret->nentries = loader->stats->nentries;
	ret->bytes_read = loader->stats->bytes_read;
	ret->threads = loader->job.nthreads;
	if (loader->input.reader != NULL) {
		ret->bytes_total = dit_ldif_reader_size(loader->input.reader);
	}
	for (unsigned i = 0; i < loader->ntargets; i++) {
		add_target(loader, &loader->targets[i], ret);
		add_published(loader, i, ret);
	}
	if (phase == DIT_LOAD_ENTRIES) {
		ret->done = ret->bytes_read;
		ret->total = ret->bytes_total;
	} else if (phase == DIT_LOAD_INDEXES) {
		ret->total = ret->npostings;
	}
}
