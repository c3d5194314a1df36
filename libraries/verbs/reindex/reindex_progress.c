/* SPDX-License-Identifier: BSD-2-Clause */
/* How far a reindexing is, for the callback of the options. */
#include "build/index_writer.h"
#include "reindex/reindexer.h"

static void add_target(const struct reindex_target *target, enum dit_reindex_phase phase,
                       struct dit_progress *ret)
{
	uint64_t bytes = 0;

	ret->nentries += target->stats->nentries;
	ret->npostings += target->npostings;
	if (target->builders != NULL) {
		ret->run_bytes += dit_builders_spilled_bytes(target->builders);
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

void dit_reindex_progress_fill(void *ctx, struct dit_progress *ret)
{
	const struct reindexer *reindexer = ctx;
	static const enum dit_progress_unit units[DIT_REINDEX_NPHASES] = {
		[DIT_REINDEX_ENTRIES] = DIT_PROGRESS_RECORDS,
		[DIT_REINDEX_INDEXES] = DIT_PROGRESS_POSTINGS,
		[DIT_REINDEX_PUBLISH] = DIT_PROGRESS_BYTES,
	};
	enum dit_reindex_phase phase = (enum dit_reindex_phase)ret->phase;

	ret->unit = units[phase];
	ret->threads = reindexer->job.nthreads;
	for (unsigned i = 0; i < reindexer->ntargets; i++) {
		add_target(&reindexer->targets[i], phase, ret);
	}
}
