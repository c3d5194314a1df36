/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports and failures of a reindexing. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "reindex/reindexer.h"

int dit_reindex_target_fail(const struct reindex_target *target, int r)
{
	const struct dit_database *db = target->db;
	uint64_t bytes = target->stats->bytes;

	if (r == DIT_E_FULL && bytes == 0) {
		dit_job_report(&target->reindexer->job, DIT_REPORT_ERROR,
		               "the database in %s has no room for the old indexes and "
		               "the new ones, maxsize is %llu: configure more",
		               db->data.directory,
		               (unsigned long long)db->data.maxsize_bytes);
		return r;
	}
	if (r == DIT_E_FULL) {
		uint64_t enough = (bytes + (16u << 20)) >> 20 << 20;

		dit_job_report(
			&target->reindexer->job, DIT_REPORT_ERROR,
			"the database in %s needs %llu bytes, with the old indexes and "
			"the new ones, but maxsize is %llu: configure \"maxsize %llu\"",
			db->data.directory, (unsigned long long)bytes,
			(unsigned long long)db->data.maxsize_bytes,
			(unsigned long long)enough);
		return r;
	}
	return dit_job_fail(&target->reindexer->job, r, db->data.directory);
}
