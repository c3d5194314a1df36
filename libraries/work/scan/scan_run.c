/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scans: a pipeline whose batches are ranges of IDs.
 *
 * The branch pages of id2e say where each leaf page begins, so the ranges are known
 * before a leaf is read. A batch is so many ranges that members and main meet rarely, but
 * not more than some MiB of records, since the results of a batch wait for main together.
 * Members draw one range after the other (a share of one).
 */
#include "scan/scan.h"

#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/stop.h"
#include "base/version.h"
#include "job/job.h"
#include "pipeline/pipeline.h"
#include "place/fault.h"
#include "reader/entry_reader.h"
#include "scan/scan_snapshot.h"

#define RANGE_PAGES      4u
#define LONG_RANGE_BYTES (1u << 20) /* on average: then a range is one page */
#define BATCH_BYTES      (4u << 20) /* for each member, on average */
#define BATCH_RANGES     64u        /* for each member, at most */
#define BATCH_RANGES_MIN 2u         /* likewise, at least */
#define THREADS_MAX      1024u

/* The result of a range of a batch. */
struct range_work {
	struct dit_scan_range range;
	/* [handoff: member > main, as the slot] */
	struct dit_arena *arena; /* the member's for this batch */
	bool has_begun;          /* and main has not had it */
	int error;
};

/* The content of a slot of the pipeline. */
struct scan_slot {
	size_t first; /* number of its first range */
	size_t nranges;
	struct range_work *works; /* of batch_ranges */
};

struct dit_entry_scan {
	/* [const] while members run */
	struct dit_snapshot *snapshot;
	bool owns_snapshot;
	struct dit_data_seal
		*seal; /* of its file; owned; NULL: not sealed, or not ours */
	struct dit_settings *settings; /* owned; NULL: none were read, or not ours */
	struct dit_stop own_stop;
	struct dit_ad_names names;
	const struct dit_stop *stop; /* NULL: none */
	unsigned nmembers;
	uint64_t *firsts; /* of nfirsts ranges */
	size_t nfirsts;
	size_t nranges; /* of these, at equal distances, are read */
	size_t batch_ranges;
	uint64_t nrecords;
	const uint64_t *only; /* NULL: all entries */
	size_t nonly;
	const struct dit_entry_scan_ops *ops; /* of this run */
	void *ctx;
	struct scan_slot *slots;
	unsigned nslots;

	struct dit_entry_reader **readers; /* [own: the member] one each */

	/* [atomic: the lowest number of a range that failed; relaxed, it only saves work:
	 * those after it need not begin] */
	_Atomic uint64_t failed_at;

	/* [own: main] */
	size_t next_range; /* to put into a slot */
};

static struct range_work *work_of(struct dit_scan_range *range)
{
	return (struct range_work *)(void *)((char *)range -
	                                     offsetof(struct range_work, range));
}

struct dit_arena *dit_scan_range_arena(struct dit_scan_range *range)
{
	return work_of(range)->arena;
}

void *dit_scan_range_alloc(struct dit_scan_range *range, size_t size)
{
	return dit_arena_calloc(work_of(range)->arena, 1, size);
}

/* ---- stages ---- */

static int fill(void *ctx, unsigned slot_number)
{
	struct dit_entry_scan *scan = ctx;
	struct scan_slot *slot = &scan->slots[slot_number];
	size_t left = scan->nranges - scan->next_range;

	slot->first = scan->next_range;
	slot->nranges = left < scan->batch_ranges ? left : scan->batch_ranges;
	scan->next_range += slot->nranges;
	for (size_t i = 0; i < slot->nranges; i++) {
		size_t number = slot->first + i;
		size_t at = number * scan->nfirsts / scan->nranges;

		slot->works[i] = (struct range_work){
			.range = {.number = number,
		                  .first_id = scan->firsts[at],
		                  .end_id = at + 1 < scan->nfirsts ? scan->firsts[at + 1]
		                                                   : 0}};
	}
	return slot->nranges > 0;
}

static int begin(void *ctx, unsigned slot, size_t *ret_nitems)
{
	struct dit_entry_scan *scan = ctx;

	*ret_nitems = scan->slots[slot].nranges;
	return 0;
}

static int scan_entries(struct dit_entry_scan *scan, struct dit_scan_range *range)
{
	struct dit_entry_reader *reader = scan->readers[range->member];
	struct dit_entry_view view;
	int r = dit_entry_reader_seek(reader, range->first_id, &view);

	while (r > 0 && (range->end_id == 0 || view.id < range->end_id)) {
		r = dit_stop_is_set(scan->stop)
		            ? DIT_E_STOPPED
		            : scan->ops->entry(scan->ctx, range, &view);
		if (r >= 0) {
			r = dit_entry_reader_next(reader, &view);
		}
	}
	return r < 0 ? r : 0;
}

/* The first of the wanted IDs that is @p least or above. */
static size_t first_only(const struct dit_entry_scan *scan, uint64_t least)
{
	size_t first = 0;
	size_t end = scan->nonly;

	while (first < end) {
		size_t middle = first + (end - first) / 2;

		if (scan->only[middle] < least) {
			first = middle + 1;
		} else {
			end = middle;
		}
	}
	return first;
}

static int scan_only(struct dit_entry_scan *scan, struct dit_scan_range *range)
{
	struct dit_entry_reader *reader = scan->readers[range->member];
	int r = 0;

	for (size_t i = first_only(scan, range->first_id); i < scan->nonly && r >= 0;
	     i++) {
		uint64_t id = scan->only[i];
		struct dit_entry_view view;

		if (range->end_id != 0 && id >= range->end_id) {
			break;
		}
		if (dit_stop_is_set(scan->stop)) {
			return DIT_E_STOPPED;
		}
		r = dit_entry_reader_seek(reader, id, &view);
		if (r > 0 && view.id == id) {
			r = scan->ops->entry(scan->ctx, range, &view);
		}
	}
	return r < 0 ? r : 0;
}

static int scan_range(struct dit_entry_scan *scan, struct range_work *work)
{
	struct dit_scan_range *range = &work->range;
	int r = 0;

	work->has_begun = true;
	if (scan->ops->begin != NULL) {
		r = scan->ops->begin(scan->ctx, range);
	}
	if (r >= 0) {
		/* One member reads the same as many, which have other ranges before. */
		dit_entry_reader_restart(scan->readers[range->member]);
		r = scan->only == NULL ? scan_entries(scan, range)
		                       : scan_only(scan, range);
	}
	if (r >= 0 && scan->ops->end != NULL) {
		r = scan->ops->end(scan->ctx, range);
	}
	return r < 0 ? r : 0;
}

static void fail_at(struct dit_entry_scan *scan, uint64_t number)
{
	uint64_t lowest = atomic_load_explicit(&scan->failed_at, memory_order_relaxed);

	while (number < lowest && !atomic_compare_exchange_weak_explicit(
					  &scan->failed_at, &lowest, number,
					  memory_order_relaxed, memory_order_relaxed)) {
	}
}

/*
 * Errors are main's, who meets them in order. Ranges are drawn in order: those before one
 * that fails have begun, and end as they would without it.
 */
static int before_order(void *ctx, const struct dit_pipeline_share *share)
{
	struct dit_entry_scan *scan = ctx;

	for (size_t i = share->first; i < share->end; i++) {
		struct range_work *work = &scan->slots[share->slot].works[i];
		uint64_t number = work->range.number;

		if (number >
		    atomic_load_explicit(&scan->failed_at, memory_order_relaxed)) {
			continue;
		}
		work->range.member = share->member;
		work->arena = share->arena;
		work->error = scan_range(scan, work);
		if (work->error < 0) {
			fail_at(scan, number);
		}
	}
	return 0;
}

static int in_order(void *ctx, unsigned slot_number)
{
	struct dit_entry_scan *scan = ctx;
	struct scan_slot *slot = &scan->slots[slot_number];
	int r = 0;

	for (size_t i = 0; i < slot->nranges && r >= 0; i++) {
		struct range_work *work = &slot->works[i];

		r = work->error;
		if (r == 0 && scan->ops->in_order != NULL) {
			r = scan->ops->in_order(scan->ctx, &work->range);
		}
		work->has_begun = r < 0;
	}
	return r < 0 ? r : 0;
}

/* ---- a run ---- */

static void drop_rest(struct dit_entry_scan *scan)
{
	for (unsigned s = 0; s < scan->nslots; s++) {
		struct scan_slot *slot = &scan->slots[s];

		for (size_t i = 0; i < slot->nranges; i++) {
			struct range_work *work = &slot->works[i];

			if (work->has_begun && scan->ops->drop != NULL) {
				scan->ops->drop(scan->ctx, &work->range);
			}
			work->has_begun = false;
		}
	}
}

static void free_slots(struct dit_entry_scan *scan)
{
	for (unsigned i = 0; scan->slots != NULL && i < scan->nslots; i++) {
		free(scan->slots[i].works);
	}
	free(scan->slots);
	scan->slots = NULL;
	scan->nslots = 0;
}

static int make_slots(struct dit_entry_scan *scan, const struct dit_pipeline_opts *opts)
{
	scan->nslots = dit_pipeline_nslots(opts);
	scan->slots = calloc(scan->nslots, sizeof(*scan->slots));
	if (scan->slots == NULL) {
		return -ENOMEM;
	}
	for (unsigned i = 0; i < scan->nslots; i++) {
		scan->slots[i].works =
			calloc(scan->batch_ranges, sizeof(struct range_work));
		if (scan->slots[i].works == NULL) {
			return -ENOMEM;
		}
	}
	return 0;
}

int dit_entry_scan_run(struct dit_entry_scan *scan, const struct dit_entry_scan_ops *ops,
                       void *ctx)
{
	struct dit_pipeline_opts opts = {.ops = {.fill = fill,
	                                         .begin = begin,
	                                         .before_order = before_order,
	                                         .in_order = in_order},
	                                 .ctx = scan,
	                                 .nmembers = scan->nmembers,
	                                 .name = "tool",
	                                 .share = 1,
	                                 .stop = scan->stop};
	struct dit_pipeline *pipeline = NULL;
	enum dit_pipeline_stage stage = DIT_PIPELINE_NONE;
	int r = make_slots(scan, &opts);

	scan->ops = ops;
	scan->ctx = ctx;
	scan->next_range = 0;
	atomic_store_explicit(&scan->failed_at, UINT64_MAX, memory_order_relaxed);
	if (r == 0) {
		r = dit_pipeline_new(&pipeline, &opts);
	}
	if (r == 0) {
		r = dit_pipeline_run(pipeline, &stage);
		if (r < 0) {
			/* The members are at rest; the arenas are still there. */
			drop_rest(scan);
		}
	}
	dit_pipeline_free(pipeline);
	free_slots(scan);
	/* To end a run is no failure, whatever came of it first. */
	return r < 0 && dit_stop_is_set(scan->stop) ? DIT_E_STOPPED : r;
}

/* ---- opening and closing ---- */

static int make_readers(struct dit_entry_scan *scan, bool without_dn)
{
	int r = 0;

	scan->readers = calloc(scan->nmembers, sizeof(struct dit_entry_reader *));
	if (scan->readers == NULL) {
		return -ENOMEM;
	}
	for (unsigned i = 0; i < scan->nmembers && r == 0; i++) {
		struct dit_entry_reader_opts opts = {.snapshot = scan->snapshot,
		                                     .reader = i,
		                                     .names = &scan->names,
		                                     .without_dn = without_dn};

		r = dit_entry_reader_new(&scan->readers[i], &opts);
	}
	return r;
}

static uint64_t id2e_bytes(struct dit_entry_scan *scan)
{
	const struct dit_stored_db *id2e = dit_snapshot_db(scan->snapshot, "id2e");

	if (id2e == NULL) {
		return 0;
	}
	scan->nrecords = id2e->nrecords;
	return id2e->npages * dit_snapshot_page_bytes(scan->snapshot);
}

static int cut(struct dit_entry_scan *scan, unsigned range_pages, uint64_t sample_bytes)
{
	uint64_t bytes = id2e_bytes(scan);
	uint64_t least = BATCH_RANGES_MIN * (uint64_t)scan->nmembers;
	uint64_t most = BATCH_RANGES * (uint64_t)scan->nmembers;
	uint64_t n = 0;
	int r = dit_snapshot_id_ranges(scan->snapshot,
	                               range_pages == 0 ? RANGE_PAGES : range_pages,
	                               &scan->firsts, &scan->nfirsts);

	if (r == 0 && range_pages != 1 && bytes / scan->nfirsts > LONG_RANGE_BYTES) {
		free(scan->firsts);
		scan->firsts = NULL;
		r = dit_snapshot_id_ranges(scan->snapshot, 1, &scan->firsts,
		                           &scan->nfirsts);
	}
	if (r < 0) {
		return r;
	}
	scan->nranges = scan->nfirsts;
	if (sample_bytes > 0 && sample_bytes < bytes) {
		scan->nranges = 1 + scan->nfirsts * sample_bytes / bytes;
	}
	n = (uint64_t)BATCH_BYTES * scan->nmembers / (bytes / scan->nfirsts + 1);
	scan->batch_ranges = n < least ? least : n > most ? most : n;
	return 0;
}

int dit_entry_scan_new(struct dit_entry_scan **ret,
                       const struct dit_scan_snapshot_opts *opts)
{
	struct dit_entry_scan *scan = calloc(1, sizeof(*scan));
	int r = 0;

	if (scan == NULL) {
		return -ENOMEM;
	}
	scan->snapshot = opts->snapshot;
	scan->stop = opts->stop;
	scan->nmembers = dit_snapshot_nreaders(opts->snapshot);
	r = dit_ad_names_read(&scan->names, opts->snapshot, opts->schema);
	if (r == 0 && opts->wanted != NULL) {
		r = dit_ad_names_choose(&scan->names, opts->wanted, opts->wanted_ctx);
	}
	if (r == 0) {
		r = cut(scan, opts->range_pages, opts->sample_bytes);
	}
	if (r == 0) {
		r = make_readers(scan, opts->without_dn);
	}
	if (r < 0) {
		dit_entry_scan_close(scan);
		return r;
	}
	*ret = scan;
	return 0;
}

void dit_entry_scan_close(struct dit_entry_scan *scan)
{
	if (scan == NULL) {
		return;
	}
	for (unsigned i = 0; scan->readers != NULL && i < scan->nmembers; i++) {
		dit_entry_reader_free(scan->readers[i]);
	}
	free(scan->readers);
	free(scan->firsts);
	dit_ad_names_deinit(&scan->names);
	if (scan->owns_snapshot) {
		dit_snapshot_close(scan->snapshot);
	}
	dit_data_seal_close(scan->seal);
	dit_settings_free(scan->settings);
	free(scan);
}

static int fail(const struct dit_job *job, int r, const char *path, const char *reason)
{
	dit_job_report(job, DIT_REPORT_ERROR, "%s%s%s", path, path[0] == '\0' ? "" : ": ",
	               reason[0] == '\0' ? dit_strerror(r) : reason);
	return r;
}

/* @return 0; or an error that was reported */
static int choose(struct dit_job *job)
{
	int r = dit_job_read(job);

	if (r == 0) {
		r = dit_job_choose(job);
	}
	if (r == 0 && strcmp(job->chosen.db->type, "mdb") != 0) {
		return fail(job, DIT_E_CONFIG, "",
		            "the database is not of type mdb, and cannot be scanned");
	}
	return r;
}

static int open_scan(struct dit_entry_scan **ret, const struct dit_entry_scan_opts *opts,
                     struct dit_job *job)
{
	struct dit_settings *settings = job->chosen.settings;
	const char *path =
		opts->path != NULL ? opts->path : job->chosen.db->data.directory;
	struct dit_fault fault = {.text = ""};
	struct dit_snapshot_opts snapshot_opts = {
		.nreaders = dit_thread_count(opts->threads, settings),
		.no_lock = opts->no_lock,
		.wait_ms = opts->wait_ms,
		.fault = &fault};
	struct dit_scan_snapshot_opts scan_opts = {
		.schema = settings == NULL ? NULL : settings->schema,
		.without_dn = opts->without_dn,
		.range_pages = opts->range_pages};
	struct dit_data_seal *seal = NULL;
	struct dit_entry_scan *scan = NULL;
	int r = opts->path == NULL ? dit_job_open_seal(job, job->chosen.db, &seal)
	                           : dit_job_open_seal_of(job, path, &seal);

	if (r < 0) {
		return r;
	}
	snapshot_opts.sealed = dit_data_seal_format(seal);
	r = dit_snapshot_open_readers(&scan_opts.snapshot, path, &snapshot_opts);
	if (r == 0) {
		r = dit_entry_scan_new(&scan, &scan_opts);
	}
	if (r < 0) {
		dit_snapshot_close(scan_opts.snapshot);
		dit_data_seal_close(seal);
		return fail(job, r, path,
		            r == DIT_E_UNKNOWN ? "this is no database of slapd's"
		                               : fault.text);
	}
	assert(scan != NULL);
	scan->owns_snapshot = true;
	scan->seal = seal;
	scan->settings = settings;
	job->chosen.settings = NULL;
	scan->own_stop.flag = opts->stop;
	scan->stop = &scan->own_stop;
	*ret = scan;
	return 0;
}

static int choose_and_open(struct dit_entry_scan **ret,
                           const struct dit_entry_scan_opts *opts)
{
	const struct dit_job_opts job_opts = {.conf = opts->conf,
	                                      .conf_dir = opts->conf_dir,
	                                      .suffix = opts->suffix,
	                                      .database = opts->database,
	                                      .openldap = opts->openldap,
	                                      .report = opts->report,
	                                      .report_ctx = opts->report_ctx};
	struct dit_job job;
	int r = 0;

	dit_job_init(&job, &job_opts);
	if (opts->threads > THREADS_MAX) {
		return fail(&job, -EINVAL, "", "a scan has at most 1024 threads");
	}
	if (opts->path == NULL || dit_job_names_conf(&job_opts)) {
		r = choose(&job);
	}
	if (r == 0) {
		r = open_scan(ret, opts, &job);
	}
	dit_job_deinit(&job);
	return r;
}

int dit_entry_scan_open(struct dit_entry_scan **ret,
                        const struct dit_entry_scan_opts *opts)
{
	struct dit_entry_scan_opts own;
	int r = dit_opts_take(&own, sizeof(own), opts);

	return r < 0 ? r : choose_and_open(ret, &own);
}

/* ---- what is there ---- */

unsigned dit_entry_scan_nthreads(const struct dit_entry_scan *scan)
{
	return scan->nmembers;
}

uint64_t dit_entry_scan_nranges(const struct dit_entry_scan *scan)
{
	return scan->nranges;
}

uint64_t dit_entry_scan_nrecords(const struct dit_entry_scan *scan)
{
	return scan->nrecords;
}

uint64_t dit_entry_scan_txn_id(const struct dit_entry_scan *scan)
{
	return dit_snapshot_txn_id(scan->snapshot);
}

void dit_entry_scan_only(struct dit_entry_scan *scan, const uint64_t *ids, size_t n)
{
	scan->only = ids;
	scan->nonly = n;
}

const struct dit_ad_names *dit_entry_scan_names(const struct dit_entry_scan *scan)
{
	return &scan->names;
}
