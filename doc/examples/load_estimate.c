/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Does the result of a load fit the disk and maxsize? Nothing is written.
 *
 *   load_estimate SLAPD.CONF LDIF
 */
#include <stdio.h>

#include <ditkit/estimate.h>

static void print_report(void *ctx, const struct dit_report *report)
{
	(void)ctx;
	fprintf(stderr, "load_estimate: %s\n", report->text);
}

int main(int argc, char *argv[])
{
	struct dit_load_opts opts = DIT_LOAD_OPTS_INIT;
	struct dit_estimate estimate;
	int r;

	if (argc != 3) {
		fputs("usage: load_estimate SLAPD.CONF LDIF\n", stderr);
		return 2;
	}
	opts.conf = argv[1];
	opts.input = argv[2];
	opts.report = print_report;
	r = dit_estimate_load(&opts, 0, &estimate);
	for (size_t i = 0; i < estimate.ndatabases && r == 0; i++) {
		const struct dit_estimate_database *db =
			&estimate.databases[i];

		printf("%s: %llu entries, %s maxsize\n", db->directory,
		       (unsigned long long)db->nentries,
		       db->bytes > db->maxsize_bytes ? "over" : "within");
	}
	dit_estimate_deinit(&estimate);
	return r < 0;
}
