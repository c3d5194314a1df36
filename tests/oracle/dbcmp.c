/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dbcmp [--generated] [--ignore-integerkey] [--lines=N] DIR1 DIR2
 *
 * Compare the contents of two back-mdb databases (store/compare.h). Differences go to
 * standard output, one line each.
 *
 *   --generated          values that every load makes anew do not count
 *   --ignore-integerkey  an index may have integer keys on one side only
 *   --lines=N            N lines for each named database at most (20)
 *
 * Exit status: 0 the same content, 1 differences, 2 error.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "store/compare.h"

enum {
	SAME = 0,
	DIFFERENT = 1,
	TROUBLE = 2
};

static void print(void *ctx, const struct dit_report *report)
{
	(void)ctx;
	(void)puts(report->text);
}

static int usage(void)
{
	(void)fprintf(stderr,
	              "usage: dbcmp [--generated] [--ignore-integerkey] [--lines=N] "
	              "DIR1 DIR2\n");
	return TROUBLE;
}

static int parse(int argc, char **argv, struct dit_compare_opts *ret)
{
	static const struct option options[] = {
		{"generated", no_argument, NULL, 'g'},
		{"ignore-integerkey", no_argument, NULL, 'i'},
		{"lines", required_argument, NULL, 'l'},
		{NULL, 0, NULL, 0},
	};
	int c = 0;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 'g':
			ret->ignore_generated = true;
			break;
		case 'i':
			ret->ignore_integerkey = true;
			break;
		case 'l':
			ret->nreports_max = (unsigned)strtoul(optarg, NULL, 10);
			break;
		default:
			return usage();
		}
	}
	if (argc - optind != 2) {
		return usage();
	}
	ret->first = argv[optind];
	ret->second = argv[optind + 1];
	return 0;
}

int main(int argc, char **argv)
{
	struct dit_compare_opts opts = {.first = NULL};
	uint64_t ndifferences = 0;
	int r = parse(argc, argv, &opts);

	if (r != 0) {
		return r;
	}
	r = dit_compare(&opts, print, NULL, &ndifferences);
	if (r < 0) {
		(void)fprintf(stderr, "dbcmp: %s, %s: %s\n", opts.first, opts.second,
		              dit_strerror(r));
		return TROUBLE;
	}
	if (fflush(stdout) != 0) {
		perror("dbcmp");
		return TROUBLE;
	}
	return ndifferences == 0 ? SAME : DIFFERENT;
}
