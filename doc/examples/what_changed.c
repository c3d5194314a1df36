/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Write the changes that lead from one database to another, as ldapmodify
 * takes them.
 *
 *   what_changed SLAPD.CONF DIRECTORY DIRECTORY
 */
#include <stdio.h>

#include <ditkit/diff.h>

static int write_changes(void *ctx, const char *data, size_t len)
{
	(void)ctx;
	return fwrite(data, 1, len, stdout) == len ? 0 : -1;
}

static void print_report(void *ctx, const struct dit_report *report)
{
	(void)ctx;
	fprintf(stderr, "what_changed: %s\n", report->text);
}

int main(int argc, char *argv[])
{
	struct dit_diff_opts opts = DIT_DIFF_OPTS_INIT;
	struct dit_diff_stats stats;

	if (argc != 4) {
		fputs("usage: what_changed SLAPD.CONF FROM TO\n", stderr);
		return 2;
	}
	opts.conf = argv[1];
	opts.first = argv[2];
	opts.second = argv[3];
	opts.report = print_report;
	if (dit_diff(&opts, write_changes, NULL, &stats) < 0) {
		return 2;
	}
	fprintf(stderr, "%llu changes\n",
	        (unsigned long long)dit_diff_nchanges(&stats));
	dit_diff_stats_deinit(&stats);
	return 0;
}
