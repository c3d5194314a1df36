/* SPDX-License-Identifier: BSD-2-Clause */
/* The summary of --stats. */
#include "index_stats.h"

#include <stdio.h>

#include "summary.h"

#define MIB (1024.0 * 1024.0)

static void print_rounds(const struct dit_reindex_database_stats *stats)
{
	for (size_t i = 0; i < stats->nrounds; i++) {
		const struct dit_reindex_round *round = &stats->rounds[i];

		(void)printf(
			"  round %zu: %llu entries were changed, caught up in %.3f s%s\n",
			i + 1, (unsigned long long)round->nentries,
			(double)round->us / 1e6,
			i + 1 == stats->nrounds ? " with the write lock" : "");
	}
}

static void print_database(const struct dit_reindex_database_stats *stats)
{
	(void)printf("%s/data.mdb: %llu entries read, %llu left out; %.1f MiB, before "
	             "%.1f MiB\n",
	             stats->directory, (unsigned long long)stats->nentries,
	             (unsigned long long)stats->nbroken, (double)stats->bytes / MIB,
	             (double)stats->bytes_before / MIB);
	print_rounds(stats);
	if (stats->nindexes == 0) {
		return;
	}
	summary_print_indexes(stats->indexes, stats->nindexes);
	(void)putchar('\n');
}

void index_stats_print(const struct dit_reindex_stats *stats)
{
	for (size_t i = 0; i < stats->ndatabases; i++) {
		print_database(&stats->databases[i]);
	}
	(void)printf("%u thread%s, %.1f MiB of temporary files\n", stats->threads,
	             stats->threads == 1 ? "" : "s", (double)stats->run_bytes / MIB);
	summary_print_phase("entries", stats->phase_us[DIT_REINDEX_ENTRIES]);
	summary_print_phase("indexes", stats->phase_us[DIT_REINDEX_INDEXES]);
	summary_print_phase("sync and put in place",
	                    stats->phase_us[DIT_REINDEX_PUBLISH]);
}
