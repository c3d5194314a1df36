/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Make the changes of a file, all of them or none.
 *
 *   make_changes SLAPD.CONF CHANGES.LDIF
 */
#include <stdio.h>

#include <ditkit/modify.h>

static void print_report(void *ctx, const struct dit_report *report)
{
	(void)ctx;
	fprintf(stderr, "make_changes: %s\n", report->text);
}

int main(int argc, char *argv[])
{
	struct dit_modify_opts opts = DIT_MODIFY_OPTS_INIT;
	struct dit_modify_stats stats;
	int r = 0;

	if (argc != 3) {
		fputs("usage: make_changes SLAPD.CONF CHANGES.LDIF\n", stderr);
		return 2;
	}
	opts.conf = argv[1];
	opts.input = argv[2];
	opts.report = print_report;
	r = dit_modify(&opts, &stats);
	if (r == 0) {
		printf("%llu entries changed\n",
		       (unsigned long long)stats.nentries);
	}
	dit_modify_stats_deinit(&stats);
	return r == 0 ? 0 : 1;
}
