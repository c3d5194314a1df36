/* SPDX-License-Identifier: BSD-2-Clause */
/* The summary of --stats. */
#include "stats.h"

#include <stdio.h>

#include "summary.h"

static const char *writer_text(const struct dit_load_database_stats *stats)
{
	if (stats->writer != DIT_LOAD_WRITER_APPEND) {
		return "";
	}
	return stats->is_unknown_format
	               ? "; all pages by liblmdb, whose format is not known"
	               : "; all pages by liblmdb";
}

void stats_print(const struct dit_load_stats *stats, bool is_dry_run)
{
	uint64_t left_out = stats->nrefused + stats->nfailed;

	(void)printf("%llu records read, %llu entries %s, %llu left out\n",
	             (unsigned long long)stats->nrecords,
	             (unsigned long long)stats->nentries,
	             is_dry_run ? "checked" : "stored", (unsigned long long)left_out);
	(void)printf("as OpenLDAP %s%s\n", dit_openldap_name(stats->openldap),
	             stats->is_openldap_found ? ", the slapd here" : "");
	if (is_dry_run) {
		return;
	}
	for (size_t i = 0; i < stats->ndatabases; i++) {
		(void)printf("%s/data.mdb: %.1f MiB, %u thread%s, %.1f MiB of temporary "
		             "files%s\n\n",
		             stats->databases[i].directory,
		             (double)stats->databases[i].bytes / (1 << 20),
		             stats->threads, stats->threads == 1 ? "" : "s",
		             (double)stats->run_bytes / (1 << 20),
		             writer_text(&stats->databases[i]));
	}
	summary_print_phase("entries", stats->phase_us[DIT_LOAD_ENTRIES]);
	summary_print_phase("tree", stats->phase_us[DIT_LOAD_NAMES]);
	summary_print_phase("indexes", stats->phase_us[DIT_LOAD_INDEXES]);
	summary_print_phase("sync and put in place", stats->phase_us[DIT_LOAD_PUBLISH]);
	for (size_t i = 0; i < stats->ndatabases; i++) {
		summary_print_indexes(stats->databases[i].indexes,
		                      stats->databases[i].nindexes);
	}
}
