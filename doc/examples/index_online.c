/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Build the indexes of some attributes, next to a running slapd.
 *
 *   index_online SLAPD.CONF ATTRIBUTE...
 */
#include <stdio.h>

#include <ditkit/reindex.h>

static void print_report(void *ctx, const struct dit_report *report)
{
	(void)ctx;
	fprintf(stderr, "index_online: %s\n", report->text);
}

int main(int argc, char *argv[])
{
	struct dit_reindex_opts opts = DIT_REINDEX_OPTS_INIT;
	struct dit_reindex_stats stats;
	int r;

	if (argc < 3) {
		fputs("usage: index_online SLAPD.CONF ATTRIBUTE...\n", stderr);
		return 2;
	}
	opts.conf = argv[1];
	opts.attrs = (const char *const *)&argv[2];
	opts.nattrs = (size_t)argc - 2;
	opts.online = true;
	opts.report = print_report;
	r = dit_reindex(&opts, &stats);
	for (size_t i = 0; i < stats.ndatabases && r == 0; i++) {
		const struct dit_reindex_database_stats *db =
			&stats.databases[i];

		for (size_t k = 0; k < db->nindexes; k++) {
			printf("%s: %llu keys\n", db->indexes[k].name,
			       (unsigned long long)db->indexes[k].nkeys);
		}
	}
	dit_reindex_stats_deinit(&stats);
	return r < 0;
}
