/* SPDX-License-Identifier: BSD-2-Clause */
/* How far a reindexing is, for the callback of the options. */
#include "bulk/index_writer.h"
#include "bulk/reindexer.h"

static void add_target(const struct reindex_target *target, enum dit_reindex_phase phase,
                       struct dit_progress *ret)
{
	uint64_t bytes = 0;

	ret->nentries += target->stats->nentries;
	ret->npostings += target->npostings;
	if (target->builders != NULL) {
		ret->run_bytes += dit_builders_spilled(target->builders);
	}
	if (target->output != NULL && dit_output_used_bytes(target->output, &bytes)) {
		ret->bytes_written += bytes;
	}
	if (phase == DIT_REINDEX_ENTRIES) {
		ret->done += target->nread;
		ret->total += target->nrecords;
	} else if (phase == DIT_REINDEX_INDEXES) {
		ret->done += target->writer == NULL
		                     ? target->npostings
		                     : dit_index_writer_nread(target->writer);
		ret->total += target->npostings;
	}
}

static void fill(const struct reindexer *reindexer, struct dit_progress *ret)
{
	static const enum dit_progress_unit units[DIT_REINDEX_NPHASES] = {
		[DIT_REINDEX_ENTRIES] = DIT_PROGRESS_RECORDS,
		[DIT_REINDEX_INDEXES] = DIT_PROGRESS_POSTINGS,
		[DIT_REINDEX_PUBLISH] = DIT_PROGRESS_BYTES,
	};
	enum dit_reindex_phase phase = reindexer->progress.phase;

	*ret = (struct dit_progress){.phase = phase,
	                             .unit = units[phase],
	                             .memory_bytes = reindexer->progress.memory_bytes,
	                             .threads = reindexer->nthreads};
	for (unsigned i = 0; i < reindexer->ntargets; i++) {
		add_target(&reindexer->targets[i], phase, ret);
	}
}

static void find_memory(void *ctx)
{
	struct reindexer *reindexer = ctx;

	reindexer->progress.memory_bytes = dit_memory_in_use();
}

static void tell_again(void *ctx)
{
	struct reindexer *reindexer = ctx;

	dit_reindex_tell_progress(reindexer, reindexer->progress.phase);
}

void dit_reindex_progress_init(struct reindexer *reindexer)
{
	if (reindexer->opts->progress != NULL) {
		reindexer->progress.ticker =
			(struct dit_ticker){tell_again, reindexer, 0, 0};
		reindexer->progress.memory_clock =
			(struct dit_ticker){find_memory, reindexer, 0, 0};
	}
}

struct dit_ticker *dit_reindex_ticker(struct reindexer *reindexer)
{
	return reindexer->opts->progress == NULL ? NULL : &reindexer->progress.ticker;
}

void dit_reindex_tell_progress(struct reindexer *reindexer, enum dit_reindex_phase phase)
{
	struct dit_progress progress;

	reindexer->progress.phase = phase;
	if (reindexer->opts->progress == NULL) {
		return;
	}
	dit_tick(&reindexer->progress.memory_clock);
	fill(reindexer, &progress);
	reindexer->opts->progress(reindexer->opts->progress_ctx, &progress);
}
