/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Comparison of two environments: both are walked; entries are found by DN, indexes by
 * name. An exact comparison merges the records of each database by key instead
 * (compare_records.c), and so do databases that lack one of slapd's four. Between LMDB
 * 0.9 and 1.0 IDs and numbers differ in any case, so entries are found by DN.
 */
#include "compare/compare_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/version.h"
#include "files/fault.h"
#include "files/files.h"
#include "reader/stored_order.h"
#include "walk/walk.h"

#define REPORTS_DEFAULT   20
#define ARENA_BLOCK_BYTES (256u << 10)

/* ---- the two sides ---- */

static int fail_side(const struct dit_compare *c, int r, const char *directory,
                     const char *why)
{
	if (r == DIT_E_STOPPED) {
		return r;
	}
	if (r == DIT_E_CORRUPT && why[0] == '\0') {
		why = "the file is damaged and was not compared; ditcheck --quick --database "
		      "says how";
	} else if (r == -ENOENT && access(directory, F_OK) == 0) {
		why = "there is no " DIT_DATA_NAME
		      " in it; a directory of slapd's is wanted";
	}
	return dit_job_say(&c->job, r, "%s: %s", directory,
	                   why[0] == '\0' ? dit_strerror(r) : why);
}

static int open_side(struct dit_compare *c, unsigned number)
{
	struct dit_compare_side *side = &c->sides[number];
	const char *directory = c->directories[number];
	struct dit_fault fault = {""};
	struct dit_snapshot_opts opts;
	struct dit_entry_reader_opts reader = {.names = &side->names};
	int r = dit_job_open_seal_of(&c->job, directory, &side->seal);

	if (r < 0) {
		return r; /* reported */
	}
	opts = dit_job_snapshot_opts(&c->job, 1, side->seal, &fault);
	r = dit_snapshot_open_readers(&side->snapshot, directory, &opts);
	if (r == 0) {
		side->bytes = side->snapshot->map.npages * side->snapshot->map.page_bytes;
		r = dit_ad_names_read(&side->names, side->snapshot, 0, NULL);
		reader.snapshot = side->snapshot;
		r = r < 0 ? r : dit_entry_reader_new(&side->reader, &reader);
		/* A database is missing: the comparison of databases tells it. */
		r = r == DIT_E_UNKNOWN ? 0 : r;
	}
	return r < 0 ? fail_side(c, r, directory, fault.text) : 0;
}

static void close_side(struct dit_compare_side *side)
{
	free(side->entries);
	dit_entry_reader_free(side->reader);
	dit_ad_names_deinit(&side->names);
	dit_snapshot_close(side->snapshot);
	dit_data_seal_close(side->seal);
}

static void tell_pages(void *ctx, uint64_t done, uint64_t total, unsigned page_bytes)
{
	struct dit_compare *c = ctx;

	c->ndone = done;
	c->nrecords = total;
	c->sides[c->job.phase].bytes_read = done * page_bytes;
	dit_job_tell(&c->job, c->job.phase);
}

/* Records that are read in order can be the same where a look-up misses some of them. */
static int walk_side(struct dit_compare *c, unsigned number)
{
	const struct dit_compare_side *side = &c->sides[number];
	const struct dit_walk_opts opts = {.fd = side->snapshot->map.fd,
	                                   .shared = dit_job_shared(&c->job, side->seal),
	                                   .state = &side->snapshot->map.meta,
	                                   .order = dit_stored_order,
	                                   .tell = c->opts.progress == NULL ? NULL
	                                                                    : tell_pages,
	                                   .ctx = c};
	struct dit_walk_stats stats = {0};
	int r = 0;

	dit_job_tell(&c->job, number);
	r = dit_walk(&opts, &stats);
	if (r == 0 && stats.nfindings > 0) {
		r = DIT_E_CORRUPT;
	}
	return r < 0 ? fail_side(c, r, c->directories[number], "") : 0;
}

/* ---- progress ---- */

static void fill_progress(void *ctx, struct dit_progress *ret)
{
	const struct dit_compare *c = ctx;
	uint64_t done = c->nbefore + c->ndone;

	ret->unit = ret->phase == DIT_COMPARE_RECORDS ? DIT_PROGRESS_RECORDS
	                                              : DIT_PROGRESS_PAGES;
	ret->done = done < c->nrecords ? done : c->nrecords;
	ret->total = c->nrecords;
	ret->bytes_read = c->sides[0].bytes_read + c->sides[1].bytes_read;
	ret->bytes_total = c->sides[0].bytes + c->sides[1].bytes;
	ret->threads = c->job.nthreads;
}

int dit_compare_step(struct dit_compare *c, uint64_t nrecords)
{
	c->ndone += nrecords;
	if (c->opts.progress != NULL) {
		dit_tick_often(&c->job.ticker);
	}
	return c->error < 0                    ? c->error
	       : dit_stop_is_set(&c->job.stop) ? DIT_E_STOPPED
	                                       : 0;
}

/* ---- databases ---- */

static int compare_db(struct dit_compare *c, const struct dit_stored_db *a,
                      const struct dit_stored_db *b)
{
	const struct dit_stored_db *const dbs[2] = {a, b};
	bool are_indexes = dit_compare_are_indexes(dbs);
	bool is_free = c->are_paired || c->opts.ignore_integerkey;
	unsigned ignored =
		is_free && (a->flags & DIT_DB_DUPFIXED) != 0 ? DIT_DB_INTEGERKEY : 0;

	if (!c->is_across && ((a->flags ^ b->flags) & ~ignored) != 0) {
		dit_compare_say(c, "flags %#x | %#x", a->flags, b->flags);
	}
	if (are_indexes && c->opts.ignore_generated &&
	    dit_compare_is_generated(dit_span_of(a->name))) {
		return 0;
	}
	return are_indexes && c->are_paired ? dit_compare_index(c, dbs)
	                                    : dit_compare_pair(c, dbs);
}

/* Attributes differ in case between releases. */
static const struct dit_stored_db *find(const struct dit_compare_side *side,
                                        const char *name)
{
	const struct dit_snapshot *snapshot = side->snapshot;

	for (size_t i = 0; i < snapshot->ndbs; i++) {
		if (dit_ascii_strcasecmp(snapshot->dbs[i].name, name) == 0) {
			return &snapshot->dbs[i];
		}
	}
	return NULL;
}

/* slapd 2.7 adds an index of objectClass that is not configured; ixck is of 2.6. */
static void say_alone(struct dit_compare *c, const char *name, int side)
{
	if (strcmp(name, "ixck") != 0 &&
	    !(c->is_across && dit_ascii_strcasecmp(name, "objectClass") == 0 &&
	      dit_snapshot_is_lmdb_10(c->sides[side].snapshot))) {
		dit_compare_say(c, "this database is only in the %s",
		                side == 0 ? "first" : "second");
	}
}

static int compare_dbs(struct dit_compare *c, int side)
{
	const struct dit_snapshot *snapshot = c->sides[side].snapshot;
	int r = 0;

	for (size_t i = 0; i < snapshot->ndbs && r == 0; i++) {
		const struct dit_stored_db *db = &snapshot->dbs[i];
		const struct dit_stored_db *other = find(&c->sides[1 - side], db->name);

		c->db = db->name;
		if (other == NULL) {
			say_alone(c, db->name, side);
		} else if (side == 0 && (!c->are_paired || dit_stored_find(dit_span_of(
								   db->name)) == NULL)) {
			r = compare_db(c, db, other);
		}
		r = dit_compare_db_end(c, r);
		c->nbefore += side == 0 ? db->nrecords : 0;
		c->ndone = 0;
	}
	return r;
}

static int compare_records(struct dit_compare *c)
{
	bool can_pair = c->sides[0].reader != NULL && c->sides[1].reader != NULL;
	int r = 0;

	c->ndone = 0;
	c->nrecords = 0;
	for (size_t i = 0; i < c->sides[0].snapshot->ndbs; i++) {
		c->nrecords += c->sides[0].snapshot->dbs[i].nrecords;
	}
	c->is_across = dit_snapshot_is_lmdb_10(c->sides[0].snapshot) !=
	               dit_snapshot_is_lmdb_10(c->sides[1].snapshot);
	dit_job_tell(&c->job, DIT_COMPARE_RECORDS);
	if (can_pair && (c->is_across || !c->opts.is_exact)) {
		r = dit_compare_entries(c);
	}
	for (int side = 0; side < 2 && r == 0; side++) {
		r = compare_dbs(c, side);
	}
	return r;
}

/* ---- the whole ---- */

static int read_conf(struct dit_compare *c)
{
	int r = 0;

	if (!dit_job_names_conf(&c->job.opts)) {
		c->job.nthreads = dit_thread_count(c->opts.threads, NULL);
		return 0;
	}
	r = dit_job_read(&c->job);
	return r < 0 ? r : dit_job_choose(&c->job);
}

static int begin(struct dit_compare *c)
{
	const struct dit_compare_opts *opts = &c->opts;
	int r = dit_job_check(&c->job, NULL, 0);

	if (r == 0 && (opts->first == NULL || opts->second == NULL)) {
		r = dit_job_say(&c->job, -EINVAL,
		                "the directory of the %s database is missing",
		                opts->first == NULL ? "first" : "second");
	}
	r = r < 0 ? r : read_conf(c);
	if (r == 0 && opts->before_open != NULL) {
		r = dit_job_answer(
			opts->before_open(opts->before_open_ctx, c->directories, 2));
	}
	return r < 0 || !dit_directory_is_one(opts->first, opts->second)
	               ? r
	               : dit_job_say(&c->job, -EINVAL, "%s, %s: this is one database",
	                             opts->first, opts->second);
}

static int run(struct dit_compare *c)
{
	int r = begin(c);

	for (unsigned i = 0; i < 2 && r == 0; i++) {
		r = open_side(c, i);
	}
	for (unsigned i = 0; i < 2 && r == 0; i++) {
		r = walk_side(c, i);
	}
	if (r < 0) {
		return r;
	}
	r = compare_records(c);
	return r < 0 && r != DIT_E_STOPPED ? dit_job_fail(&c->job, r, c->opts.first) : r;
}

int dit_compare(const struct dit_compare_opts *opts, dit_report_fn differs, void *ctx,
                uint64_t *ret_ndifferences)
{
	struct dit_compare c = {.differs = differs, .differs_ctx = ctx};
	struct dit_job_opts job;
	int r = dit_opts_take(&c.opts, sizeof(c.opts), opts);

	if (r < 0) {
		return r;
	}
	job = (struct dit_job_opts){DIT_JOB_CONF(&c.opts),
	                            .progress = c.opts.progress,
	                            .progress_ctx = c.opts.progress_ctx,
	                            .tool = "slapcat",
	                            .fill = fill_progress,
	                            .ctx = &c};
	c.directories[0] = c.opts.first;
	c.directories[1] = c.opts.second;
	c.opts.nreports_max = c.opts.nreports_max ?: REPORTS_DEFAULT;
	dit_job_init(&c.job, &job);
	dit_arena_init(&c.arena, ARENA_BLOCK_BYTES);
	r = run(&c);
	free(c.hashes);
	free(c.is_told);
	close_side(&c.sides[0]);
	close_side(&c.sides[1]);
	dit_arena_deinit(&c.arena);
	dit_job_deinit(&c.job);
	if (r == 0) {
		*ret_ndifferences = c.ntotal;
	}
	return r;
}
