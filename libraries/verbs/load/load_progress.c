/* SPDX-License-Identifier: BSD-2-Clause */
#include "load/loader.h"

/* The phase of one database; those of all databases are added. */
static void add_target(const struct loader *loader, const struct load_target *target,
                       struct dit_progress *ret)
{
	uint64_t bytes = 0;

	ret->npostings += dit_load_count_postings(target);
	ret->stored_bytes += target->stored_bytes;
	if (target->builders != NULL) {
		ret->run_bytes += dit_builders_run_bytes(target->builders);
	}
	if (target->output != NULL &&
	    dit_output_used_bytes(&target->output->base, &bytes)) {
		ret->bytes_written += bytes;
	}
	if (loader->job.phase == DIT_LOAD_NAMES && target->tree != NULL) {
		/* Each node has its own record and one under its parent. */
		ret->done += target->tree->nwritten;
		ret->total += 2 * (uint64_t)target->tree->names->nnodes;
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

void dit_load_end_phase(struct loader *loader, enum dit_load_phase phase)
{
	dit_job_end_phase(&loader->job, &loader->stats->phase_us[phase],
	                  &loader->stats->phase_cpu_us[phase]);
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
		if (loader->published != NULL) {
			add_published(loader, i, ret);
		}
	}
	if (phase == DIT_LOAD_ENTRIES) {
		ret->done = ret->bytes_read;
		ret->total = ret->bytes_total;
	} else if (phase == DIT_LOAD_INDEXES) {
		ret->total = ret->npostings;
	}
}
