/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports and failures of a reindexing. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/tell.h"
#include "job/hint.h"
#include "reindex/reindexer.h"

void dit_reindex_report(const struct reindexer *reindexer, enum dit_report_kind kind,
                        const char *format, ...)
{
	va_list args;

	va_start(args, format);
	dit_tell(reindexer->opts->report, reindexer->opts->report_ctx, kind, format,
	         args);
	va_end(args);
}

int dit_reindex_fail(const struct reindexer *reindexer, int r, const char *what)
{
	/* Whatever else went wrong, such as work that was cut short, is not the cause. */
	if (dit_stop_is_set(&reindexer->stop)) {
		dit_reindex_report(reindexer, DIT_REPORT_ERROR,
		                   "ended: Interrupted; the indexes are what they were "
		                   "before");
		return DIT_E_STOPPED;
	}
	dit_reindex_report(reindexer, DIT_REPORT_ERROR, "%s: %s%s", what, dit_strerror(r),
	                   dit_hint(r));
	return r;
}

int dit_reindex_target_fail(const struct reindex_target *target, int r)
{
	const struct dit_database *db = target->db;
	uint64_t bytes = target->stats->bytes;

	if (r == DIT_E_FULL && bytes == 0) {
		dit_reindex_report(
			target->reindexer, DIT_REPORT_ERROR,
			"the database in %s has no room for the old indexes and "
			"the new ones, maxsize is %llu: configure more",
			db->data.directory, (unsigned long long)db->data.maxsize_bytes);
		return r;
	}
	if (r == DIT_E_FULL) {
		uint64_t enough = (bytes + (16u << 20)) >> 20 << 20;

		dit_reindex_report(
			target->reindexer, DIT_REPORT_ERROR,
			"the database in %s needs %llu bytes, with the old indexes and "
			"the new ones, but maxsize is %llu: configure \"maxsize %llu\"",
			db->data.directory, (unsigned long long)bytes,
			(unsigned long long)db->data.maxsize_bytes,
			(unsigned long long)enough);
		return r;
	}
	return dit_reindex_fail(target->reindexer, r, db->data.directory);
}
