/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Split an LDIF into the shards of a map. Several processes may take a
 * part each.
 *
 *   split_part SLAPD.CONF MAP FILE DIRECTORY PART NPARTS
 */
#include <stdio.h>
#include <stdlib.h>

#include <ditkit/split.h>

static void print_report(void *ctx, const struct dit_report *report)
{
	(void)ctx;
	fprintf(stderr, "split_part: %s\n", report->text);
}

int main(int argc, char *argv[])
{
	struct dit_split_opts opts = DIT_SPLIT_OPTS_INIT;
	struct dit_split_stats stats;
	size_t i;
	int r;

	if (argc != 7) {
		fputs("usage: split_part SLAPD.CONF MAP FILE DIRECTORY PART "
		      "NPARTS\n",
		      stderr);
		return 2;
	}
	opts.conf = argv[1];
	opts.map = argv[2];
	opts.inputs = (const char *const *)&argv[3];
	opts.ninputs = 1;
	opts.output = argv[4];
	opts.part = (unsigned)atoi(argv[5]);
	opts.nparts = (unsigned)atoi(argv[6]);
	opts.report = print_report;
	r = dit_split(&opts, &stats);
	for (i = 0; r == 0 && i < stats.nshards; i++) {
		printf("%s: %llu records\n", stats.shards[i].name,
		       (unsigned long long)stats.shards[i].nrecords);
	}
	dit_split_stats_deinit(&stats);
	return r < 0;
}
