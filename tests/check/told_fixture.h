/* SPDX-License-Identifier: BSD-2-Clause */
/* For tests of dit_check(): what it tells, written down. */
#ifndef DITKIT_TOLD_FIXTURE_H
#define DITKIT_TOLD_FIXTURE_H

#include "test.h"

#include <fcntl.h>

#include "check/check.h"

struct told {
	char findings[4000]; /* kind, database and page, a line each */
	char reports[2000];
	unsigned nfiles;
	bool is_held;
	uint64_t nfindings;
};

static inline void note_finding(void *ctx, const struct dit_check_finding *finding)
{
	struct told *told = ctx;

	assert_non_null(strstr(finding->file, "data.mdb"));
	assert_true(strlen(finding->text) > 0);
	test_append(told->findings, "%s %s %lld %ld\n", finding->kind,
	            finding->database == NULL ? "-" : finding->database,
	            (long long)finding->page, finding->node);
}

static inline void note_report(void *ctx, const struct dit_report *report)
{
	struct told *told = ctx;

	test_append(told->reports, "%s\n", report->text);
}

static inline void note_file(void *ctx, const struct dit_check_file *file)
{
	struct told *told = ctx;

	told->nfiles++;
	told->is_held = file->is_held;
	told->nfindings += file->nfindings;
	assert_true(file->npages == 0 || file->npages > file->nused);
}

static inline struct dit_check_opts opts_for(struct told *told)
{
	struct dit_check_opts opts = DIT_CHECK_OPTS_INIT;

	memset(told, 0, sizeof(*told));
	opts.threads = 2;
	opts.is_quick = true;
	opts.found = note_finding;
	opts.found_ctx = told;
	opts.report = note_report;
	opts.report_ctx = told;
	opts.file = note_file;
	opts.file_ctx = told;
	return opts;
}

/* Checks, and says how many findings there are. */
static inline uint64_t count(const struct dit_check_opts *opts)
{
	struct dit_check_stats stats;
	uint64_t nfindings = 0;

	assert_int_equal(dit_check(opts, &stats), 0);
	nfindings = stats.nfindings;
	dit_check_stats_deinit(&stats);
	return nfindings;
}

static inline int data_file(const char *dir, int flags)
{
	char *path = test_text("%s/data.mdb", dir);
	int fd = -1;

	fd = open(path, flags);
	assert_true(fd >= 0);
	return fd;
}

#endif
