/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * golden_dump [-cqsw] [-j line] -f slapd.conf -l file
 *
 * The records of a load for OpenLDAP 2.7, as text on standard output (memory_output.h);
 * the options and the messages are slapadd's. No file is written.
 *
 * Exit status: that of slapadd; 2: wrong arguments.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "load/load.h"
#include "memory_output.h"

static void print_report(void *ctx, const struct dit_report *report)
{
	bool has_name =
		report->kind == DIT_REPORT_ERROR || report->kind == DIT_REPORT_WARNING;

	(void)ctx;
	(void)fprintf(stderr, "%s%s\n", has_name ? "slapadd: " : "", report->text);
}

static int read_option(struct dit_load_opts *opts, int option)
{
	switch (option) {
	case 'c':
		opts->keep_going = true;
		return 0;
	case 'f':
		opts->conf = optarg;
		return 0;
	case 'j':
		opts->first_line = strtoull(optarg, NULL, 10);
		return 0;
	case 'l':
		opts->input = optarg;
		return 0;
	case 'q':
		opts->is_quick = true;
		return 0;
	case 's':
		opts->no_schema_check = true;
		return 0;
	case 'w':
		opts->write_context_csn = true;
		return 0;
	}
	return -1;
}

static int load(const struct dit_load_opts *opts)
{
	struct dit_load_stats stats;
	int r = dit_load(opts, &stats);

	if (r == 0 && (stats.nfailed > 0 || stats.nmissing > 0)) {
		r = 1;
	}
	dit_load_stats_deinit(&stats);
	return r;
}

int main(int argc, char *argv[])
{
	struct dit_load_opts opts = DIT_LOAD_OPTS_INIT;
	int option = 0;
	int r = 0;

	opts.openldap = DIT_OPENLDAP_2_7;
	opts.byte_keys = true; /* as slapadd; then the order of the keys is its, too */
	opts.threads = 2;
	opts.report = print_report;
	while ((option = getopt(argc, argv, "cf:j:l:qsw")) != -1) {
		if (read_option(&opts, option) < 0) {
			return 2;
		}
	}
	if (opts.conf == NULL || optind < argc) {
		return 2;
	}
	r = load(&opts);
	if (memory_output_print(stdout) < 0) {
		perror("golden_dump");
		r = 1;
	}
	memory_output_free();
	return r == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
