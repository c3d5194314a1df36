/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A check has to see one state of the file from its beginning to its end:
 *
 *   structure alone   A read transaction is held; the file is walked without liblmdb.
 *   content as well   A snapshot is opened, which finds the named databases in the main
 *                     tree; so that tree is walked first. Then the whole file is walked
 *                     in the state of the snapshot, and if no damage misleads a reader,
 *                     the content is read through the snapshot.
 *
 * A snapshot of LMDB 1.0 keeps others away (snapshot.h); its structure alone is checked
 * without one: the walk begins again if another process has written.
 */
#include "check/check_one.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check/check_content.h"
#include "check/check_sizes.h"
#include "check/check_sums.h"
#include "files/data_seal.h"
#include "files/fault.h"
#include "files/files.h"
#include "files/format_check.h"
#include "locks/lmdb_reader.h"
#include "page/meta_pages.h"
#include "reader/snapshot.h"
#include "reader/stored_order.h"

/* Where nothing can be held, a commit ends a check. */
#define ATTEMPTS 20
/* While the table of readers is full. */
#define WAIT_MS      10000
#define HOLD_WAIT_MS 1000

struct check {
	const struct dit_check_one_opts *one;
	const struct dit_check_opts *opts;
	char *directory; /* of a file called data.mdb; owned; NULL: of another name */
	struct dit_data_seal *seal; /* NULL: not sealed, or no configuration was read */
	int fd;
	struct dit_lmdb_reader *hold;  /* NULL: nothing is held */
	struct dit_snapshot *snapshot; /* NULL: the content is not checked */
	bool is_held;
	bool has_fixed[DIT_NFIXED];
	bool is_damaged;        /* the content cannot be read */
	bool is_unused_damaged; /* an index that is not configured is damaged */
	const char **damaged; /* configured indexes; owned, the names are the schema's */
	size_t ndamaged;      /* nindexes of the database at most */
	struct dit_check_findings *findings;
	struct dit_check_sizes *sizes; /* NULL: not wanted */
	struct dit_check_sums *sums;   /* NULL: the content is not checked */
	uint64_t done;                 /* of the phase that is told */
	uint64_t total;
	uint64_t bytes_read; /* pages that the walk has visited */
	uint64_t bytes_total;
};

/* ---- findings ---- */

/* Records can be read in spite of these. */
static bool is_harmless(unsigned kind)
{
	switch (kind) {
	case DIT_WALK_PAGE_FREE:
	case DIT_WALK_PAGE_LOST:
	case DIT_WALK_PAGE_CHECKSUM:
	case DIT_WALK_BRANCH_CHILDREN:
	case DIT_WALK_TREE_BRANCHES:
	case DIT_WALK_TREE_LEAVES:
	case DIT_WALK_TREE_OVERFLOWS:
	case DIT_WALK_TREE_ITEMS:
	case DIT_WALK_FREE_KEY:
	case DIT_WALK_FREE_COUNT:
	case DIT_WALK_FREE_ORDER:
	case DIT_WALK_FREE_RANGE:
	case DIT_WALK_FREE_TWICE:
		return true;
	default:
		return false;
	}
}

/* Its name in the schema, which outlives the walk. NULL: it is not configured. */
static const char *configured_index(const struct check *check, const char *name)
{
	const struct dit_database *database = check->one->database;

	for (size_t i = 0; database != NULL && i < database->nindexes; i++) {
		const char *configured = database->indexes[i].ad->type->name;

		if (strcmp(configured, name) == 0) {
			return configured;
		}
	}
	return NULL;
}

/* The owner of a page that two places refer to is unknown. */
static void note_damage(struct check *check, unsigned kind, const char *name)
{
	const char *index = NULL;

	if (is_harmless(kind)) {
		return;
	}
	if (kind == DIT_WALK_PAGE_TWICE || name == NULL || name[0] == '(' ||
	    dit_stored_is_fixed(dit_span_of(name))) {
		check->is_damaged = true;
		return;
	}
	index = configured_index(check, name);
	if (index == NULL) {
		check->is_unused_damaged = true;
		return;
	}
	for (size_t i = 0; i < check->ndamaged; i++) {
		if (check->damaged[i] == index) {
			return;
		}
	}
	check->damaged[check->ndamaged++] = index;
}

static void keep_walked(void *ctx, const struct dit_walk_finding *finding)
{
	struct check *check = ctx;
	struct dit_check_finding place = DIT_CHECK_PLACE(finding->database);

	place.page = finding->page;
	place.node = finding->node;
	dit_check_find(check->findings, finding->kind, &place, "%s", finding->text);
	note_damage(check, finding->kind, finding->database);
}

/* ---- the databases of a file ---- */

static void take_database(void *ctx, struct dit_span name, unsigned flags,
                          struct dit_key_orders *orders)
{
	struct check *check = ctx;
	struct dit_check_finding place = DIT_CHECK_PLACE(name.data);

	for (size_t i = 0; i < DIT_NFIXED; i++) {
		if (dit_span_eq(name, dit_span_of(dit_fixed_dbs[i].name))) {
			check->has_fixed[i] = true;
		}
	}
	if (!dit_stored_flags_are_right(name, flags)) {
		dit_check_find(check->findings, DIT_CHECK_DATABASE_FLAGS, &place,
		               "the database has flags 0x%02x, which slapd does not give "
		               "to one of this name",
		               flags);
		note_damage(check, DIT_CHECK_DATABASE_FLAGS, name.data);
	}
	dit_stored_order(NULL, name, flags, orders);
}

static void look_for_missing(struct check *check)
{
	for (size_t i = 0; i < DIT_NFIXED; i++) {
		struct dit_check_finding place = DIT_CHECK_PLACE(dit_fixed_dbs[i].name);

		if (!check->has_fixed[i]) {
			dit_check_find(check->findings, DIT_CHECK_DATABASE_MISSING,
			               &place, "the database is missing; slapd needs it");
			check->is_damaged = true;
		}
	}
}

/* ---- the state that is looked at ---- */

/* Without a lock file no process has the database open: there is nothing to hold. Where a
 * process of LMDB 1.0 keeps all others away, nothing is held either. */
static int take_hold(struct check *check, struct dit_fault *fault)
{
	struct dit_lmdb_reader_opts opts = {
		.format = dit_format_check(check->fd) == 0
	                          ? &dit_lmdb_09
	                          : dit_data_format_10(dit_data_seal_format(check->seal)),
		.no_lock_file = true,
		.wait_ms = HOLD_WAIT_MS,
		.fault = fault};
	int r = dit_lmdb_reader_open(&check->hold, check->directory, &opts);

	if (r == 0 && check->hold->lock_fd < 0) {
		dit_lmdb_reader_close(check->hold);
		check->hold = NULL;
	}
	return r == DIT_E_BUSY ? 0 : r;
}

static void hold(struct check *check)
{
	struct dit_fault fault = {""};
	int r = check->directory != NULL && dit_walk_has_metas(check->fd)
	                ? take_hold(check, &fault)
	                : 0;

	if (r < 0) {
		dit_job_report(check->one->job, DIT_REPORT_WARNING,
		               "%s: checked without holding a snapshot: %s",
		               check->one->path,
		               fault.text[0] == '\0' ? dit_strerror(r) : fault.text);
	}
	check->is_held = check->hold != NULL;
}

static const struct dit_meta *state_of(const struct check *check)
{
	return check->snapshot != NULL ? dit_snapshot_meta(check->snapshot)
	       : check->hold != NULL   ? dit_metas_newest(&check->hold->metas)
	                               : NULL;
}

/* Can a snapshot not find the named databases? */
static bool is_main_tree_damaged(const struct check *check)
{
	struct dit_walk_stats stats = {0};

	return dit_walk_brief(check->fd, dit_data_seal_format(check->seal),
	                      state_of(check), &stats) == 0 &&
	       stats.nfindings > 0;
}

static int open_readers(struct check *check, unsigned nreaders, struct dit_fault *fault)
{
	const struct dit_snapshot_opts opts = {.nreaders = nreaders,
	                                       .no_lock_file = true,
	                                       .sealed =
	                                               dit_data_seal_format(check->seal),
	                                       .wait_ms = WAIT_MS,
	                                       .fault = fault};

	return dit_snapshot_open_readers(&check->snapshot, check->directory, &opts);
}

/* The releases differ in hashes and in the index of objectClass. */
static void look_at_release(struct check *check)
{
	enum dit_openldap_version release = check->one->job->chosen.openldap;

	if (dit_snapshot_is_lmdb_10(check->snapshot) != (release >= DIT_OPENLDAP_2_7)) {
		dit_job_report(
			check->one->job, DIT_REPORT_WARNING,
			"%s is a database of OpenLDAP %s, the configuration is read as "
			"OpenLDAP %s reads it: see --openldap",
			check->one->path,
			release >= DIT_OPENLDAP_2_7 ? "2.5 or 2.6" : "2.7",
			dit_openldap_name(release));
	}
}

/* 0, with a snapshot, or without: then the structure alone is checked. */
static int open_snapshot(struct check *check)
{
	struct dit_fault fault = {""};
	int r = 0;

	if (!dit_walk_has_metas(check->fd)) {
		return 0;
	}
	r = check->directory == NULL
	            ? dit_fault_say(&fault, -EINVAL,
	                            "the content of a file that is not called data.mdb "
	                            "cannot be checked")
	            : open_readers(check, check->one->job->nthreads, &fault);
	if (is_main_tree_damaged(check)) {
		dit_snapshot_close(check->snapshot);
		check->snapshot = NULL;
		return 0;
	}
	if (r < 0 && fault.text[0] != '\0') {
		dit_job_report(check->one->job, DIT_REPORT_ERROR, "%s: %s",
		               check->one->path, fault.text);
	}
	if (r == 0) {
		check->is_held = dit_snapshot_is_held(check->snapshot);
		look_at_release(check);
	}
	return r;
}

static void let_go(struct check *check)
{
	dit_snapshot_close(check->snapshot);
	dit_lmdb_reader_close(check->hold);
	check->snapshot = NULL;
	check->hold = NULL;
}

/* ---- progress ---- */

static void fill_progress(void *ctx, struct dit_progress *ret)
{
	static const enum dit_progress_unit units[DIT_CHECK_NPHASES] = {
		[DIT_CHECK_STRUCTURE] = DIT_PROGRESS_PAGES,
		[DIT_CHECK_ENTRIES] = DIT_PROGRESS_RECORDS,
		[DIT_CHECK_INDEXES] = DIT_PROGRESS_POSTINGS,
	};
	const struct check *check = ctx;

	ret->unit = units[ret->phase];
	ret->done = check->done;
	ret->total = check->total;
	ret->bytes_read = check->bytes_read;
	ret->bytes_total = check->bytes_total;
	ret->threads = check->one->job->nthreads;
	ret->nentries = ret->phase == DIT_CHECK_ENTRIES ? check->done : 0;
}

static void tell_progress(void *ctx, enum dit_check_phase phase, uint64_t done,
                          uint64_t total)
{
	struct check *check = ctx;

	check->done = done;
	check->total = total;
	dit_job_tell(check->one->job, phase);
}

static void tell_pages(void *ctx, uint64_t done, uint64_t total, unsigned page_bytes)
{
	struct check *check = ctx;

	check->bytes_read = done * page_bytes;
	check->bytes_total = total * page_bytes;
	tell_progress(ctx, DIT_CHECK_STRUCTURE, done, total);
}

/* ---- what the walk sees ---- */

static void note_list(void *ctx, unsigned member, const struct dit_walk_list *list)
{
	const struct check *check = ctx;

	if (check->sizes != NULL) {
		dit_check_sizes_note(check->sizes, member, list);
	}
	if (check->sums != NULL) {
		dit_check_sums_note(check->sums, member, list);
	}
}

static void take_size(void *ctx, const struct dit_walk_size *size)
{
	const struct check *check = ctx;

	dit_check_sizes_take(check->sizes, size);
}

/* ---- the two parts ---- */

static int walk(struct check *check, struct dit_walk_stats *stats)
{
	struct dit_walk_opts opts = {
		.fd = check->fd,
		.sealed = dit_data_seal_format(check->seal),
		.state = state_of(check),
		.nthreads = check->one->job->nthreads,
		.order = take_database,
		.order_ctx = check,
		.found = keep_walked,
		.found_ctx = check,
		.stop = check->opts->stop,
	};
	int r = 0;

	if (check->opts->progress != NULL) {
		opts.tell = tell_pages;
		opts.tell_ctx = check;
	}
	if (check->sizes != NULL || check->sums != NULL) {
		opts.list = note_list;
		opts.size = check->sizes != NULL ? take_size : NULL;
		opts.size_ctx = check;
	}
	memset(stats, 0, sizeof(*stats));
	r = dit_walk(&opts, stats);
	if (r == 0 && stats->has_all_databases) {
		look_for_missing(check);
	}
	return r;
}

/* ---- content ---- */

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void tell_damaged(struct check *check)
{
	qsort(check->damaged, check->ndamaged, sizeof(*check->damaged), compare_names);
	for (size_t i = 0; i < check->ndamaged; i++) {
		dit_job_report(
			check->one->job, DIT_REPORT_WARNING,
			"%s: the index %s is damaged and was not compared with the "
			"entries; \"ditindex %s\" mends it",
			check->one->path, check->damaged[i], check->damaged[i]);
	}
	if (check->is_unused_damaged) {
		dit_job_report(
			check->one->job, DIT_REPORT_WARNING,
			"%s: an index that is not configured is damaged; \"ditindex "
			"--drop-unconfigured\" removes it",
			check->one->path);
	}
}

static int check_content(struct check *check)
{
	struct dit_check_content content = {
		.snapshot = check->snapshot,
		.settings = check->one->job->chosen.settings,
		.database = check->one->database,
		.memory_bytes = dit_memory_share(check->opts->memory_bytes),
		.list_max = dit_settings_list_max(check->one->job->chosen.settings),
		.tmpdir = check->opts->tmpdir,
		.cipher = dit_data_seal_runs(check->seal),
		.damaged = check->damaged,
		.ndamaged = check->ndamaged,
		.stop = &check->one->job->stop,
		.findings = check->findings,
		.sums = check->sums,
		.tell = check->opts->progress == NULL ? NULL : tell_progress,
		.tell_ctx = check,
	};
	int r = 0;

	if (check->snapshot == NULL && dit_format_check(check->fd) == 0 &&
	    dit_format_check_metas(check->fd, NULL) == DIT_LMDB_INVALID) {
		dit_job_report(check->one->job, DIT_REPORT_WARNING,
		               "%s is no database, or its beginning is lost: restore an "
		               "export; LDIF is checked by \"ditadd -u -l\"",
		               check->one->path);
		return 0;
	}
	if (check->snapshot == NULL || check->is_damaged) {
		dit_job_report(
			check->one->job, DIT_REPORT_WARNING,
			"%s: the structure is damaged, so the content was not checked; "
			"\"ditindex NAME\" mends a damaged index, \"ditcat -c\" saves what "
			"can be read",
			check->one->path);
		return 0;
	}
	r = dit_check_content(&content);
	/* Without a lock file no process had the file open before, and none must now. */
	if ((r == 0 || r == DIT_E_CORRUPT) && !check->is_held &&
	    !dit_walk_is_newest(check->fd, dit_snapshot_txn_id(check->snapshot))) {
		return -ESTALE;
	}
	tell_damaged(check);
	if (r == DIT_E_CORRUPT && dit_check_findings_count(check->findings) > 0) {
		dit_job_report(
			check->one->job, DIT_REPORT_WARNING,
			"%s: the structure is damaged, so the content was not checked to "
			"its end",
			check->one->path);
		return 0;
	}
	return r;
}

/* ---- a sample ---- */

/* Of a sound file, through a snapshot. Without a sample some advice is missing. */
static int read_sample(struct check *check)
{
	struct dit_check_use *use = check->one->use;
	struct dit_fault fault = {""};
	int r = 0;

	if (use == NULL || check->sizes == NULL ||
	    dit_check_findings_count(check->findings) > 0 || check->directory == NULL) {
		return 0;
	}
	if (open_readers(check, 1, &fault) == 0) {
		r = dit_check_use_sample(use, check->sizes, check->snapshot,
		                         &check->one->job->stop);
	}
	return r == DIT_E_STOPPED || r == -ENOMEM ? r : 0;
}

/* ---- the whole ---- */

static int check_once(struct check *check, struct dit_walk_stats *stats)
{
	bool wants_content = check->one->database != NULL;
	int r = wants_content ? open_snapshot(check) : 0;

	if (r < 0) {
		return r;
	}
	if (check->snapshot == NULL) {
		hold(check);
	}
	r = walk(check, stats);
	if (r == 0 && wants_content) {
		r = check_content(check);
	} else if (r == 0) {
		r = read_sample(check);
	}
	return r;
}

static void begin_again(struct check *check)
{
	dit_check_findings_reset(check->findings);
	if (check->sizes != NULL) {
		dit_check_sizes_reset(check->sizes);
	}
	if (check->sums != NULL) {
		dit_check_sums_reset(check->sums);
	}
	memset(check->has_fixed, 0, sizeof(check->has_fixed));
	check->is_damaged = false;
	check->is_unused_damaged = false;
	check->ndamaged = 0;
}

static int open_file(const struct check *check, struct dit_fault *fault)
{
	int fd = dit_data_open_path(check->one->path, fault);
	int r = fd < 0 ? fd
	               : dit_data_seal_check(fd, dit_data_seal_format(check->seal),
	                                     fault);

	if (fd >= 0 && r < 0) {
		(void)close(fd);
	}
	return r < 0 ? r : fd;
}

static int check_file(struct check *check, struct dit_walk_stats *stats)
{
	struct dit_fault fault = {""};
	int r = -ESTALE;

	for (int i = 0; i < ATTEMPTS && r == -ESTALE; i++) {
		check->fd = open_file(check, &fault);
		if (check->fd < 0) {
			if (fault.text[0] != '\0') {
				dit_job_report(check->one->job, DIT_REPORT_ERROR,
				               "%s: %s", check->one->path, fault.text);
			}
			return check->fd;
		}
		begin_again(check);
		r = check_once(check, stats);
		let_go(check);
		(void)close(check->fd);
	}
	return r;
}

static const char *reason(int error)
{
	return error == -ESTALE ? "it is changed too fast by somebody else"
	                        : dit_strerror(error);
}

static void tell_file(struct check *check, const struct dit_walk_stats *stats)
{
	const struct dit_check_file file = {
		.file = check->one->path,
		.is_held = check->is_held,
		.transaction = stats->transaction,
		.page_bytes = stats->page_bytes,
		.npages = stats->npages,
		.nused = stats->nused,
		.nfree = stats->nfree,
		.ndatabases = stats->ndatabases,
		.nfindings = dit_check_findings_count(check->findings),
		.nnotes = dit_check_notes_count(check->findings),
	};

	if (check->opts->file != NULL) {
		check->opts->file(check->opts->file_ctx, &file);
	}
}

static int tell(struct check *check, const struct dit_walk_stats *stats)
{
	const struct dit_check_opts *opts = check->opts;
	const char *path = check->one->path;
	int r = dit_check_findings_tell(check->findings, path, opts->found,
	                                opts->found_ctx);

	if (r == 0 && check->one->use != NULL) {
		r = dit_check_use_tell(check->one->use, path, opts->config,
		                       opts->config_ctx);
	}
	if (r == 0 && check->sizes != NULL) {
		r = dit_check_sizes_tell(check->sizes, path, stats->page_bytes,
		                         opts->sizes, opts->sizes_ctx);
	}
	if (r == 0) {
		tell_file(check, stats);
	}
	return r;
}

int dit_check_one(const struct dit_check_one_opts *opts, uint64_t *by_kind)
{
	struct check check = {.one = opts, .opts = opts->opts};
	struct dit_walk_stats stats = {0};
	int r = dit_check_findings_new(&check.findings, opts->opts->max_findings,
	                               opts->opts->is_strict);

	opts->job->opts.fill = fill_progress;
	opts->job->opts.ctx = &check;
	if (r == 0 && opts->opts->sizes != NULL) {
		r = dit_check_sizes_new(&check.sizes, opts->job->nthreads);
	}
	if (r == 0 && opts->database != NULL) {
		check.damaged =
			calloc(opts->database->nindexes + 1, sizeof(*check.damaged));
		r = check.damaged == NULL
		            ? -ENOMEM
		            : dit_check_sums_new(
				      &check.sums, opts->job->nthreads,
				      dit_memory_share(opts->opts->memory_bytes) / 8,
				      dit_settings_list_max(opts->job->chosen.settings),
				      opts->database->suffix_norm);
	}
	if (r == 0) {
		r = opts->owner != NULL
		            ? dit_job_open_seal(opts->job, opts->owner, &check.seal)
		            : dit_job_open_seal_of(opts->job, opts->path, &check.seal);
	}
	if (r == 0) {
		r = dit_data_directory(opts->path, &check.directory);
	}
	if (r >= 0) {
		r = check_file(&check, &stats);
	}
	if (r == 0) {
		r = tell(&check, &stats);
	}
	for (unsigned i = 0; i < DIT_CHECK_NKINDS && r == 0; i++) {
		if (dit_check_findings_is_note(check.findings, i)) {
			continue;
		}
		by_kind[i] += dit_check_findings_count_of(check.findings, i);
	}
	if (r < 0 && r != DIT_E_STOPPED) {
		dit_job_report(opts->job, DIT_REPORT_ERROR,
		               "%s: could not be checked: %s", opts->path, reason(r));
	}
	dit_check_findings_free(check.findings);
	dit_check_sizes_free(check.sizes);
	dit_check_sums_free(check.sums);
	dit_data_seal_close(check.seal);
	free(check.damaged);
	free(check.directory);
	return r;
}
