/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by tests of reindexing: options whose reports are kept, a run, and an index
 * database that is emptied or removed.
 *
 * Threads: a struct told belongs to the thread that reindexes.
 */
#ifndef REINDEX_FIXTURE_H
#define REINDEX_FIXTURE_H

#include "test.h"

#include "load/load_fixture.h"
#include "reindex/reindex.h"

/* The reports of a reindexing. */
struct told {
	char text[4000];
	unsigned nadded;
	unsigned nprogress;
	unsigned phase; /* the latest of progress */
	uint64_t done[DIT_REINDEX_NPHASES];
	uint64_t total[DIT_REINDEX_NPHASES];
	unsigned nreports;
};

static void note_report(void *ctx, const struct dit_report *report)
{
	struct told *told = ctx;

	told->nreports++;
	if (report->kind == DIT_REPORT_ADDED) {
		told->nadded++;
		return;
	}
	test_append(told->text, "%s\n", report->text);
}

static struct dit_reindex_opts reindex_opts(const struct load_fixture *f,
                                            struct told *told)
{
	struct dit_reindex_opts opts = DIT_REINDEX_OPTS_INIT;

	*told = (struct told){.nadded = 0};
	opts.conf = f->conf;
	opts.openldap = f->openldap;
	opts.tmpdir = f->tmpdir;
	opts.report = note_report;
	opts.report_ctx = told;
	return opts;
}

static int reindex(const struct dit_reindex_opts *opts)
{
	struct dit_reindex_stats stats;
	int r = dit_reindex(opts, &stats);

	dit_reindex_stats_deinit(&stats);
	return r;
}

static void drop(const char *directory, const char *name, int is_removed)
{
	MDB_txn *txn = test_begin(directory, MDB_NOSYNC);
	MDB_dbi dbi = test_dbi(txn, name, 0);

	assert_int_equal(mdb_drop(txn, dbi, is_removed), 0);
	test_commit(txn);
}

#endif
