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
#include "check/check_content.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
#include "system/file_io.h"

/* Where nothing can be held, a commit ends a file. */
#define ATTEMPTS 20
/* While the table of readers is full. */
#define HOLD_WAIT_MS 1000

struct file {
	const struct dit_check_one_opts *one;
	const struct dit_check_opts *opts;
	char *directory; /* of a file called data.mdb; owned; NULL: of another name */
	struct dit_data_seal *seal; /* NULL: not sealed, or no configuration was read */
	int fd;
	struct dit_lmdb_reader *hold; /* NULL: nothing is held */
	bool is_held;
	bool has_fixed[DIT_NFIXED + 1];
	bool is_damaged;                  /* the content cannot be read */
	bool is_unused_damaged;           /* an index that is not configured is damaged */
	struct dit_check_content content; /* without a snapshot it is not checked */
	struct dit_check_sizes *sizes;    /* NULL: not wanted */
	uint64_t bytes_read;              /* pages that the walk has visited */
	uint64_t bytes_total;
};

/* A report that begins with the path. */
#define SAY(file, kind, format, ...)                                                     \
 dit_job_report((file)->one->job, (kind), "%s" format, (file)->one->path, ##__VA_ARGS__)

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

/* The owner of a page that two places refer to is unknown. */
static void note_damage(struct file *file, unsigned kind, const char *name)
{
	struct dit_check_content *content = &file->content;
	size_t number = 0;

	if (is_harmless(kind)) {
		return;
	}
	if (content->snapshot == NULL || kind == DIT_WALK_PAGE_TWICE || name == NULL ||
	    name[0] == '(' || dit_stored_find(dit_span_of(name)) != NULL) {
		file->is_damaged = true;
		return;
	}
	number = dit_check_index_number(content, name);
	if (number < dit_index_set_ndbs(content->indexes)) {
		content->states[number] = DIT_CHECK_INDEX_DAMAGED;
	} else {
		file->is_unused_damaged = true;
	}
}

static void keep_walked(void *ctx, const struct dit_walk_finding *finding)
{
	struct file *file = ctx;
	struct dit_check_finding place = DIT_CHECK_PLACE(finding->database);

	place.page = finding->page;
	place.node = finding->node;
	dit_check_report(file->content.findings, finding->kind, &place, "%s",
	                 finding->text);
	note_damage(file, finding->kind, finding->database);
}

/* ---- the databases of a file ---- */

static void take_database(void *ctx, struct dit_span name, unsigned flags,
                          struct dit_key_orders *orders)
{
	struct file *file = ctx;
	const struct dit_fixed_db_facts *fixed = dit_stored_find(name);

	if (fixed != NULL) {
		file->has_fixed[fixed - dit_fixed_dbs] = true;
	}
	if (!dit_stored_flags_are_right(fixed, flags)) {
		DIT_CHECK_REPORT_AT(
			&file->content, DIT_CHECK_DATABASE_FLAGS, name.data, 0,
			"the database has flags 0x%02x, which slapd does not give "
			"to one of this name",
			flags);
		note_damage(file, DIT_CHECK_DATABASE_FLAGS, name.data);
	}
	dit_stored_order(NULL, name, flags, orders);
}

static void look_for_missing(struct file *file)
{
	for (size_t i = 0; i < DIT_NFIXED; i++) {
		if (!file->has_fixed[i]) {
			DIT_CHECK_REPORT_AT(&file->content, DIT_CHECK_DATABASE_MISSING,
			                    dit_fixed_dbs[i].name, 0,
			                    "the database is missing; slapd needs it");
			file->is_damaged = true;
		}
	}
}

/* ---- the state that is looked at ---- */

/* Without a lock file no process has the database open: there is nothing to hold. Where a
 * process of LMDB 1.0 keeps all others away, nothing is held either. */
static int take_hold(struct file *file, struct dit_fault *fault)
{
	struct dit_lmdb_reader_opts opts = {
		.format = dit_meta_version(file->fd) == dit_lmdb_10.version
	                          ? dit_data_format_10(dit_data_seal_format(file->seal))
	                          : &dit_lmdb_09,
		.no_lock_file = true,
		.wait_ms = HOLD_WAIT_MS,
		.stop = &file->one->job->stop,
		.fault = fault};
	int r = dit_lmdb_reader_open(&file->hold, file->directory, &opts);

	if (r == 0 && file->hold->lock_fd < 0) {
		dit_lmdb_reader_close(file->hold);
		file->hold = NULL;
	}
	return r == DIT_E_BUSY || r == DIT_E_STOPPED ? 0 : r;
}

static void hold(struct file *file)
{
	struct dit_fault fault = {""};
	int r = file->directory != NULL && dit_walk_has_metas(file->fd)
	                ? take_hold(file, &fault)
	                : 0;

	if (r < 0) {
		SAY(file, DIT_REPORT_WARNING, ": checked without holding a snapshot: %s",
		    fault.text[0] == '\0' ? dit_strerror(r) : fault.text);
	}
	file->is_held = file->hold != NULL;
}

static const struct dit_meta *state_of(const struct file *file)
{
	return file->content.snapshot != NULL ? &file->content.snapshot->map.meta
	       : file->hold != NULL           ? dit_metas_newest(&file->hold->metas)
	                                      : NULL;
}

/* Can a snapshot not find the named databases? */
static bool is_main_tree_damaged(const struct file *file)
{
	struct dit_walk_stats stats = {0};

	return dit_walk_brief(file->fd, dit_data_seal_format(file->seal), state_of(file),
	                      &stats) == 0 &&
	       stats.nfindings > 0;
}

static int open_readers(struct file *file, unsigned nreaders, struct dit_fault *fault)
{
	struct dit_snapshot_opts opts =
		dit_job_snapshot_opts(file->one->job, nreaders, file->seal, fault);

	opts.lmdb.no_lock_file = true;
	return dit_snapshot_open_readers(&file->content.snapshot, file->directory, &opts);
}

/* The releases differ in hashes and in the index of objectClass. */
static void look_at_release(struct file *file)
{
	enum dit_openldap_version release = file->one->job->chosen.openldap;

	if (dit_snapshot_is_lmdb_10(file->content.snapshot) !=
	    (release >= DIT_OPENLDAP_2_7)) {
		SAY(file, DIT_REPORT_WARNING,
		    " is a database of OpenLDAP %s, the configuration is read as "
		    "OpenLDAP %s reads it: see --openldap",
		    release >= DIT_OPENLDAP_2_7 ? "2.5 or 2.6" : "2.7",
		    dit_openldap_name(release));
	}
}

/* 0, with a snapshot, or without: then the structure alone is checked. */
static int open_snapshot(struct file *file)
{
	struct dit_fault fault = {""};
	int r = 0;

	if (!dit_walk_has_metas(file->fd)) {
		return 0;
	}
	r = file->directory == NULL
	            ? dit_fault_say(&fault, -EINVAL,
	                            "the content of a file that is not called data.mdb "
	                            "cannot be checked")
	            : open_readers(file, file->one->job->nthreads, &fault);
	if (is_main_tree_damaged(file)) {
		dit_snapshot_close(file->content.snapshot);
		file->content.snapshot = NULL;
		return 0;
	}
	if (r < 0 && fault.text[0] != '\0') {
		SAY(file, DIT_REPORT_ERROR, ": %s", fault.text);
	}
	if (file->content.snapshot != NULL) {
		file->is_held = file->content.snapshot->is_held;
		look_at_release(file);
	}
	return r;
}

/* ---- progress ---- */

static void fill_progress(void *ctx, struct dit_progress *ret)
{
	static const enum dit_progress_unit units[DIT_CHECK_NPHASES] = {
		[DIT_CHECK_STRUCTURE] = DIT_PROGRESS_PAGES,
		[DIT_CHECK_ENTRIES] = DIT_PROGRESS_RECORDS,
		[DIT_CHECK_INDEXES] = DIT_PROGRESS_POSTINGS,
	};
	const struct file *file = ctx;

	ret->unit = units[ret->phase];
	ret->done = file->content.done;
	ret->total = file->content.total;
	ret->bytes_read = file->bytes_read;
	ret->bytes_total = file->bytes_total;
	ret->threads = file->one->job->nthreads;
	ret->nentries = ret->phase == DIT_CHECK_ENTRIES ? file->content.done : 0;
}

static void tell_pages(void *ctx, uint64_t done, uint64_t total, unsigned page_bytes)
{
	struct file *file = ctx;

	file->bytes_read = done * page_bytes;
	file->bytes_total = total * page_bytes;
	dit_check_tell(&file->content, DIT_CHECK_STRUCTURE, done, total);
}

/* ---- what the walk sees ---- */

static void note_list(void *ctx, unsigned member, const struct dit_walk_list *list)
{
	const struct file *file = ctx;

	if (file->sizes != NULL) {
		dit_check_sizes_note(file->sizes, member, list);
	}
	if (file->content.sums != NULL) {
		dit_check_sums_note(file->content.sums, member, list);
	}
}

static void take_size(void *ctx, const struct dit_walk_size *size)
{
	const struct file *file = ctx;

	dit_check_sizes_take(file->sizes, size);
}

/* ---- the two parts ---- */

static int walk(struct file *file, struct dit_walk_stats *stats)
{
	struct dit_walk_opts opts = {
		.fd = file->fd,
		.shared = dit_job_shared(file->one->job, file->seal),
		.state = state_of(file),
		.order = take_database,
		.found = keep_walked,
		.tell = file->opts->progress != NULL ? tell_pages : NULL,
		.ctx = file,
	};
	int r = 0;

	if (file->sizes != NULL || file->content.sums != NULL) {
		opts.list = note_list;
		opts.size = file->sizes != NULL ? take_size : NULL;
	}
	memset(stats, 0, sizeof(*stats));
	r = dit_walk(&opts, stats);
	if (r == 0 && stats->has_all_databases) {
		look_for_missing(file);
	}
	return r;
}

/* ---- content ---- */

/* In the order of names, as the main tree has them. */
static void tell_damaged(const struct file *file)
{
	const struct dit_check_content *content = &file->content;

	for (size_t i = 0; i < content->snapshot->ndbs; i++) {
		const char *name = content->snapshot->dbs[i].name;
		size_t number = dit_check_index_number(content, name);

		if (number < dit_index_set_ndbs(content->indexes) &&
		    content->states[number] == DIT_CHECK_INDEX_DAMAGED) {
			SAY(file, DIT_REPORT_WARNING,
			    ": the index %s is damaged and was not compared with the "
			    "entries; \"ditindex %s\" mends it",
			    name, name);
		}
	}
	if (file->is_unused_damaged) {
		SAY(file, DIT_REPORT_WARNING,
		    ": an index that is not configured is damaged; \"ditindex "
		    "--drop-unconfigured\" removes it");
	}
}

static int check_content(struct file *file)
{
	int r = 0;

	/* Nothing explains why there is no snapshot: the file has changed since. */
	if (file->content.snapshot == NULL &&
	    dit_check_findings_count(file->content.findings, false, NULL) == 0) {
		return -ESTALE;
	}
	if (file->content.snapshot == NULL && dit_meta_version(file->fd) == 0 &&
	    dit_format_check_metas(file->fd, NULL) == DIT_LMDB_INVALID) {
		SAY(file, DIT_REPORT_WARNING,
		    " is no database, or its beginning is lost: restore an "
		    "export; LDIF is checked by \"ditadd -u -l\"");
		return 0;
	}
	if (file->content.snapshot == NULL || file->is_damaged) {
		SAY(file, DIT_REPORT_WARNING,
		    ": the structure is damaged, so the content was not checked; "
		    "\"ditindex NAME\" mends a damaged index, \"ditcat -c\" saves what "
		    "can be read");
		return 0;
	}
	r = dit_check_content(&file->content);
	/* Without a lock file no process had the file open before, and none must now. */
	if ((r == 0 || r == DIT_E_CORRUPT) && !file->is_held &&
	    !dit_walk_is_newest(file->fd, file->content.snapshot->map.meta.transaction)) {
		return -ESTALE;
	}
	tell_damaged(file);
	if (r == DIT_E_CORRUPT &&
	    dit_check_findings_count(file->content.findings, false, NULL) > 0) {
		SAY(file, DIT_REPORT_WARNING,
		    ": the structure is damaged, so the content was not checked to "
		    "its end");
		return 0;
	}
	return r;
}

/* ---- a sample ---- */

/* Sample a sound file, through a snapshot. Without a sample some advice is missing. */
static int read_sample(struct file *file)
{
	struct dit_check_use *use = file->one->use;
	struct dit_fault fault = {""};
	int r = 0;

	if (use == NULL || file->sizes == NULL ||
	    dit_check_findings_count(file->content.findings, false, NULL) > 0 ||
	    file->directory == NULL) {
		return 0;
	}
	if (open_readers(file, 1, &fault) == 0) {
		r = dit_check_use_sample(use, file->sizes, file->content.snapshot,
		                         &file->one->job->stop);
	}
	return r == DIT_E_STOPPED || r == -ENOMEM ? r : 0;
}

/* ---- the whole ---- */

static int make_sums(struct file *file)
{
	struct dit_check_content *content = &file->content;
	const struct dit_database *database = content->database;
	struct dit_check_sums_opts opts = {
		.nmembers = file->one->job->nthreads,
		.memory_bytes = content->memory_bytes / 8,
		.list_max = content->list_max,
		.suffix = database->suffix_norm,
	};
	int r = dit_index_set_new(&content->indexes, content->settings, database->indexes,
	                          database->nindexes, true);

	if (r < 0) {
		return r;
	}
	opts.indexes = content->indexes;
	content->states = calloc(dit_index_set_ndbs(content->indexes) + 1,
	                         sizeof(*content->states));
	return content->states == NULL ? -ENOMEM
	                               : dit_check_sums_new(&content->sums, &opts);
}

static int check_once(struct file *file, struct dit_walk_stats *stats)
{
	bool wants_content = file->one->database != NULL;
	int r = wants_content ? open_snapshot(file) : 0;

	if (r < 0) {
		return r;
	}
	if (file->content.snapshot == NULL) {
		hold(file);
	} else {
		r = make_sums(file);
	}
	r = r < 0 ? r : walk(file, stats);
	return r < 0 ? r : wants_content ? check_content(file) : read_sample(file);
}

static void tell_file(struct file *file, const struct dit_walk_stats *stats)
{
	const struct dit_check_file told = {
		.file = file->one->path,
		.is_held = file->is_held,
		.transaction = stats->transaction,
		.page_bytes = stats->page_bytes,
		.npages = stats->npages,
		.nused = stats->nused,
		.nfree = stats->nfree,
		.ndatabases = stats->ndatabases,
		.nfindings =
			dit_check_findings_count(file->content.findings, false, NULL),
		.nnotes = dit_check_findings_count(file->content.findings, true, NULL),
		.dynlists = file->content.dynlists,
		.ndynlists = file->content.ndynlists,
	};

	file->opts->file(file->opts->file_ctx, &told);
}

static int tell(struct file *file, const struct dit_walk_stats *stats)
{
	const struct dit_check_opts *opts = file->opts;
	const char *path = file->one->path;
	int r = dit_check_findings_tell(file->content.findings, path, opts->found,
	                                opts->found_ctx);

	if (file->one->use != NULL) {
		r = r < 0 ? r
		          : dit_check_use_tell(file->one->use, path, opts->config,
		                               opts->config_ctx);
	}
	if (file->sizes != NULL) {
		r = r < 0 ? r
		          : dit_check_sizes_tell(file->sizes, path, stats->page_bytes,
		                                 opts->sizes, opts->sizes_ctx);
	}
	if (r == 0 && opts->file != NULL) {
		tell_file(file, stats);
	}
	return r;
}

static int begin(struct file *file)
{
	const struct dit_check_one_opts *one = file->one;
	const struct dit_check_opts *opts = file->opts;
	const struct dit_settings *settings = one->job->chosen.settings;
	unsigned first_note = opts->is_strict        ? DIT_CHECK_NKINDS
	                      : opts->wants_overlays ? DIT_CHECK_CONTEXT_CSN
	                                             : DIT_CHECK_MEMBERSHIP_MISSING;
	int r = dit_check_findings_new(&file->content.findings, opts->max_findings,
	                               first_note);

	file->content.settings = settings;
	file->content.database = one->database;
	file->content.memory_bytes = dit_memory_share(opts->memory_bytes);
	file->content.list_max = settings == NULL ? 0 : dit_settings_list_max(settings);
	file->content.stop = &one->job->stop;
	file->content.job = one->job;
	file->content.wants_overlays = opts->wants_overlays;
	one->job->opts.fill = fill_progress;
	one->job->opts.ctx = file;
	if (r == 0 && opts->sizes != NULL) {
		r = dit_check_sizes_new(&file->sizes, one->job->nthreads);
	}
	r = r < 0                ? r
	    : one->owner != NULL ? dit_job_open_seal(one->job, one->owner, &file->seal)
	                         : dit_job_open_seal_of(one->job, one->path, &file->seal);
	return r < 0 ? r : dit_data_directory(one->path, &file->directory);
}

static int open_file(struct file *file)
{
	struct dit_fault fault = {""};
	int r = dit_data_open_path(file->one->path, &fault);

	file->fd = r < 0 ? -1 : r;
	r = r < 0 ? r : dit_data_seal_check(r, dit_data_seal_format(file->seal), &fault);
	if (r < 0 && fault.text[0] != '\0') {
		SAY(file, DIT_REPORT_ERROR, ": %s", fault.text);
	}
	return r;
}

/* Others may write to the file again. */
static void let_go(struct file *file)
{
	dit_check_sums_free(file->content.sums);
	dit_index_set_free(file->content.indexes);
	free(file->content.states);
	dit_snapshot_close(file->content.snapshot);
	dit_lmdb_reader_close(file->hold);
	dit_close(file->fd);
}

static void end(struct file *file)
{
	dit_check_findings_free(file->content.findings);
	free(file->content.dynlists);
	dit_check_sizes_free(file->sizes);
	dit_data_seal_close(file->seal);
	free(file->directory);
}

/* -ESTALE: it has changed since. */
static int check_state(const struct dit_check_one_opts *opts, uint64_t *by_kind)
{
	struct file file = {.one = opts, .opts = opts->opts, .fd = -1};
	struct dit_walk_stats stats = {0};
	int r = begin(&file);

	r = r < 0 ? r : open_file(&file);
	r = r < 0 ? r : check_once(&file, &stats);
	let_go(&file);
	r = r < 0 ? r : tell(&file, &stats);
	if (r == 0) {
		(void)dit_check_findings_count(file.content.findings, false, by_kind);
	}
	end(&file);
	return r;
}

int dit_check_one(const struct dit_check_one_opts *opts, uint64_t *by_kind)
{
	int r = -ESTALE;

	for (int i = 0; i < ATTEMPTS && r == -ESTALE; i++) {
		r = check_state(opts, by_kind);
	}
	if (r < 0 && r != DIT_E_STOPPED) {
		dit_job_report(opts->job, DIT_REPORT_ERROR,
		               "%s: could not be checked: %s", opts->path,
		               r == -ESTALE ? "it is changed too fast by somebody else"
		                            : dit_strerror(r));
	}
	return r;
}
