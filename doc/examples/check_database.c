/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Check a database. slapd may run. The exit status is 1 if something is
 * wrong, and 2 if something could not be checked.
 *
 *   check_database SLAPD.CONF
 */
#include <stdio.h>

#include <ditkit/check.h>

static void print_report(void *ctx, const struct dit_report *report)
{
	(void)ctx;
	fprintf(stderr, "check_database: %s\n", report->text);
}

static void print_found(void *ctx, const struct dit_check_finding *found)
{
	(void)ctx;
	printf("%s: %s: %s", found->file, found->kind, found->text);
	printf(" (%s)\n", found->dn == NULL ? "" : found->dn);
}

int main(int argc, char *argv[])
{
	struct dit_check_opts opts = DIT_CHECK_OPTS_INIT;
	struct dit_check_stats stats;
	int status;

	if (argc != 2) {
		fputs("usage: check_database SLAPD.CONF\n", stderr);
		return 2;
	}
	opts.conf = argv[1];
	opts.report = print_report;
	opts.found = print_found;
	status = dit_check(&opts, &stats) < 0 ? 2 : stats.nfindings > 0;
	if (status != 2) {
		printf("%llu findings\n", (unsigned long long)stats.nfindings);
	}
	dit_check_stats_deinit(&stats);
	return status;
}
