/* SPDX-License-Identifier: BSD-2-Clause */
#include "bulk/load_progress.h"

static uint64_t count_postings(const struct loader *loader)
{
	uint64_t n = 0;

	for (unsigned i = 0; loader->members != NULL && i < loader->nthreads; i++) {
		for (unsigned t = 0; t < loader->ntargets; t++) {
			const struct load_keys *keys = &loader->members[i].keys[t];

			n += atomic_load_explicit(&keys->nposted, memory_order_relaxed);
		}
	}
	return n;
}

/* The phase of one database; those of all databases are added. */
static void add_target(const struct loader *loader, const struct load_target *target,
                       struct dit_progress *ret)
{
	uint64_t bytes = 0;

	if (target->builders != NULL) {
		ret->run_bytes += dit_builders_spilled(target->builders);
	}
	if (target->output != NULL && dit_output_used_bytes(target->output, &bytes)) {
		ret->bytes_written += bytes;
	}
	if (loader->progress.phase == DIT_LOAD_NAMES && target->tree != NULL) {
		ret->done += dit_tree_nwritten(target->tree);
		ret->total += dit_tree_nrecords(target->tree);
	}
	if (loader->progress.phase == DIT_LOAD_INDEXES && target->index_writer != NULL) {
		ret->done += dit_index_writer_nread(target->index_writer);
	}
}

static void add_published(const struct loader *loader, unsigned number,
                          struct dit_progress *ret)
{
	const struct dit_published *item = &loader->progress.published[number];
	uint64_t bytes = item->bytes;

	if (item->output != NULL) {
		ret->done += item->output->synced_bytes;
		bytes = item->output->bytes;
	}
	ret->total += bytes;
	ret->bytes_written += bytes;
}

static void fill(const struct loader *loader, struct dit_progress *ret)
{
	static const enum dit_progress_unit units[DIT_LOAD_NPHASES] = {
		[DIT_LOAD_ENTRIES] = DIT_PROGRESS_BYTES,
		[DIT_LOAD_NAMES] = DIT_PROGRESS_RECORDS,
		[DIT_LOAD_INDEXES] = DIT_PROGRESS_POSTINGS,
		[DIT_LOAD_PUBLISH] = DIT_PROGRESS_BYTES,
	};
	enum dit_load_phase phase = loader->progress.phase;

	*ret = (struct dit_progress){.phase = phase,
	                             .unit = units[phase],
	                             .nentries = loader->stats->nentries,
	                             .bytes_read = loader->stats->bytes_read,
	                             .npostings = count_postings(loader),
	                             .memory_bytes = loader->progress.memory_bytes,
	                             .threads = loader->nthreads};
	if (loader->input.reader != NULL) {
		ret->bytes_total = dit_ldif_reader_size(loader->input.reader);
	}
	for (unsigned i = 0; i < loader->ntargets; i++) {
		add_target(loader, &loader->targets[i], ret);
		if (loader->progress.published != NULL) {
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

static void find_memory(void *ctx)
{
	struct loader *loader = ctx;

	loader->progress.memory_bytes = dit_memory_in_use();
}

static void tell_again(void *ctx)
{
	struct loader *loader = ctx;

	dit_load_tell_progress(loader, loader->progress.phase);
}

void dit_load_progress_init(struct loader *loader)
{
	if (loader->opts->progress != NULL) {
		loader->progress.ticker = (struct dit_ticker){tell_again, loader, 0, 0};
		loader->progress.memory_clock =
			(struct dit_ticker){find_memory, loader, 0, 0};
	}
}

struct dit_ticker *dit_load_ticker(struct loader *loader)
{
	return loader->opts->progress == NULL ? NULL : &loader->progress.ticker;
}

void dit_load_tell_progress(struct loader *loader, enum dit_load_phase phase)
{
	struct dit_progress progress;

	loader->progress.phase = phase;
	if (loader->opts->progress == NULL) {
		return;
	}
	dit_tick(&loader->progress.memory_clock);
	fill(loader, &progress);
	loader->opts->progress(loader->opts->progress_ctx, &progress);
}
