/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compare two database directories, as diff(1) compares files: the exit
 * status is 1 if they differ, and 2 if they could not be compared.
 *
 *   compare_two DIRECTORY DIRECTORY
 */
#include <stdio.h>

#include <ditkit/compare.h>

static void print_difference(void *ctx, const struct dit_report *report)
{
	(void)ctx;
	printf("%s\n", report->text);
}

static void print_report(void *ctx, const struct dit_report *report)
{
	(void)ctx;
	fprintf(stderr, "compare_two: %s\n", report->text);
}

int main(int argc, char *argv[])
{
	struct dit_compare_opts opts = DIT_COMPARE_OPTS_INIT;
	uint64_t ndifferences = 0;
	int r;

	if (argc != 3) {
		fputs("usage: compare_two DIRECTORY DIRECTORY\n", stderr);
		return 2;
	}
	opts.first = argv[1];
	opts.second = argv[2];
	opts.ignore_generated = true;
	opts.report = print_report;
	r = dit_compare(&opts, print_difference, NULL, &ndifferences);
	if (r < 0) {
		return 2;
	}
	printf("%llu differences\n", (unsigned long long)ndifferences);
	return ndifferences > 0;
}
