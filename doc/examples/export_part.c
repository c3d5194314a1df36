/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Write a part of a directory as LDIF, packed by zstd. slapd may run.
 *
 *   export_part SLAPD.CONF BASE FILE
 */
#include <stdio.h>

#include <ditkit/export.h>

static void print_report(void *ctx, const struct dit_report *report)
{
	(void)ctx;
	fprintf(stderr, "export_part: %s\n", report->text);
}

int main(int argc, char *argv[])
{
	struct dit_export_opts opts = DIT_EXPORT_OPTS_INIT;
	struct dit_export_stats stats;
	int r;

	if (argc != 4) {
		fputs("usage: export_part SLAPD.CONF BASE FILE\n", stderr);
		return 2;
	}
	opts.conf = argv[1];
	opts.base = argv[2];
	opts.output = argv[3];
	opts.compression = DIT_EXPORT_ZSTD;
	opts.report = print_report;
	r = dit_export(&opts, &stats);
	if (r == 0) {
		printf("%llu entries\n", (unsigned long long)stats.nentries);
	}
	return r < 0;
}
