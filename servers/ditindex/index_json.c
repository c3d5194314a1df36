/* SPDX-License-Identifier: BSD-2-Clause */
/* The statistics of a reindexing as JSON. */
#include "index_json.h"

#include <jansson.h>

#include "run_facts.h"

const char *const index_phase_names[] = {
	[DIT_REINDEX_ENTRIES] = "entries",
	[DIT_REINDEX_INDEXES] = "indexes",
	[DIT_REINDEX_PUBLISH] = "publish",
	[DIT_REINDEX_NPHASES] = NULL,
};

static json_t *rounds_json(const struct dit_reindex_database_stats *database)
{
	json_t *rounds = json_array();

	for (size_t i = 0; i < database->nrounds; i++) {
		const struct dit_reindex_round *round = &database->rounds[i];

		(void)json_array_append_new(rounds,
		                            json_pack("{s:o, s:f}", "entries",
		                                      json_number(round->nentries),
		                                      "wall_s", (double)round->us / 1e6));
	}
	return rounds;
}

static json_t *database_json(const struct dit_reindex_stats *stats,
                             const struct dit_reindex_database_stats *database)
{
	json_t *indexes = run_indexes_json(database->indexes, database->nindexes,
	                                   stats->threads > 1);

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:f, s:f, s:o, s:o}",
	                 "directory", json_text(database->directory), "bytes",
	                 run_known_json(database->bytes), "bytes_before",
	                 run_known_json(database->bytes_before), "entries",
	                 json_number(database->nentries), "entries_left_out",
	                 json_number(database->nbroken), "entries_changed_meanwhile",
	                 json_number(database->nchanged), "writers_waited_s",
	                 (double)database->locked_us / 1e6, "writers_waited_longest_s",
	                 (double)database->longest_us / 1e6, "catch_up_rounds",
	                 rounds_json(database), "indexes", indexes);
}

struct json_t *index_json(const struct run_record *record,
                          const struct dit_reindex_stats *stats, int r, int status)
{
	json_t *databases = json_array();

	for (size_t i = 0; i < stats->ndatabases; i++) {
		(void)json_array_append_new(databases,
		                            database_json(stats, &stats->databases[i]));
	}
	return run_record_json(
		record,
		json_pack("{s:s, s:i, s:i, s:{s:o, s:o}, s:[], s:o, s:o}", "result",
	                  r < 0 ? "failed" : "stored", "exit_status", status,
	                  "tool_threads", (int)stats->threads, "records", "read",
	                  json_number(fact_sum(databases, "entries")), "refused",
	                  json_number(fact_sum(databases, "entries_left_out")),
	                  "refusals", "spilled_bytes", json_number(stats->run_bytes),
	                  "databases", databases),
		stats->phase_us, stats->phase_cpu_us);
}
