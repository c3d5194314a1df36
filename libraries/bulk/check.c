/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks: which files, under which snapshot, and what was found in them, in order.
 */
#include "bulk/check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bulk/check_findings.h"
#include "bulk/check_sizes.h"
#include "bulk/chosen.h"
#include "config/settings.h"
#include "store/hold.h"
#include "store/stored_order.h"

/* Commits may come between the snapshot and the meta pages; two in a row are rare. */
#define ATTEMPTS 20
#define TEXT_MAX 500

static const char *const needed[] = {"ad2i", "dn2i", "id2e", "id2v"};
#define NNEEDED (sizeof(needed) / sizeof(needed[0]))

struct check {
	const struct dit_check_opts *opts;
	struct dit_settings *settings; /* NULL: a path was given */
	unsigned nthreads;
	uint64_t by_kind[DIT_CHECK_NKINDS]; /* of all files */

	/* Of one file. */
	const char *path;
	int fd;
	struct dit_hold *hold; /* NULL: there is nothing to hold, or it cannot be */
	bool has_needed[NNEEDED];
	struct dit_check_findings *findings;
	struct dit_check_sizes *sizes; /* NULL: nobody wants to know */
};

static void report(struct check *check, enum dit_report_kind kind, const char *format,
                   ...) __attribute__((format(printf, 3, 4)));

static void report(struct check *check, enum dit_report_kind kind, const char *format,
                   ...)
{
	char text[TEXT_MAX];
	struct dit_report told = {.kind = kind, .text = text};
	va_list args;

	if (check->opts->report != NULL) {
		va_start(args, format);
		(void)vsnprintf(text, sizeof(text), format, args);
		va_end(args);
		check->opts->report(check->opts->report_ctx, &told);
	}
}

/* ---- findings ---- */

static void keep_walked(void *ctx, const struct dit_walk_finding *finding)
{
	struct check *check = ctx;
	struct dit_check_place place = DIT_CHECK_PLACE(finding->database);

	place.page = finding->page;
	place.node = finding->node;
	dit_check_find(check->findings, finding->kind, &place, "%s", finding->text);
}

/* ---- the databases of a file ---- */

static void take_database(void *ctx, struct dit_span name, unsigned flags,
                          struct dit_walk_orders *orders)
{
	struct check *check = ctx;
	struct dit_check_place place = DIT_CHECK_PLACE(name.data);

	for (size_t i = 0; i < NNEEDED; i++) {
		if (dit_span_eq(name, dit_span_of(needed[i]))) {
			check->has_needed[i] = true;
		}
	}
	if (!dit_stored_flags_are_right(name, flags)) {
		dit_check_find(check->findings, DIT_CHECK_DATABASE_FLAGS, &place,
		               "the database has flags 0x%02x, which slapd does not give "
		               "to one of this name",
		               flags);
	}
	dit_stored_order(NULL, name, flags, orders);
}

static void look_for_missing(struct check *check)
{
	for (size_t i = 0; i < NNEEDED; i++) {
		struct dit_check_place place = DIT_CHECK_PLACE(needed[i]);

		if (!check->has_needed[i]) {
			dit_check_find(check->findings, DIT_CHECK_DATABASE_MISSING,
			               &place, "the database is missing; slapd needs it");
		}
	}
}

/* ---- the snapshot ---- */

/* liblmdb believes what the meta pages say, so they are looked at first. */
static void hold(struct check *check)
{
	int r = dit_walk_has_metas(check->fd) ? dit_hold_take(&check->hold, check->path)
	                                      : 0;

	if (r < 0) {
		report(check, DIT_REPORT_WARNING,
		       "%s: checked without holding a snapshot: %s", check->path,
		       dit_strerror(r));
	}
}

static void let_go(struct check *check)
{
	dit_hold_drop(check->hold);
	check->hold = NULL;
}

/* ---- one file ---- */

static int walk_once(struct check *check, struct dit_walk_stats *stats)
{
	struct dit_walk_opts opts = {
		.nthreads = check->nthreads,
		.order = take_database,
		.order_ctx = check,
		.found = keep_walked,
		.found_ctx = check,
		.stop = check->opts->stop,
	};
	int r = 0;

	check->fd = open(check->path, O_RDONLY | O_CLOEXEC);
	if (check->fd < 0) {
		return -errno;
	}
	hold(check);
	opts.fd = check->fd;
	opts.transaction =
		check->hold != NULL ? dit_hold_txn_id(check->hold) : DIT_WALK_NEWEST;
	if (check->sizes != NULL) {
		opts.list = dit_check_sizes_note;
		opts.size = dit_check_sizes_take;
		opts.size_ctx = check->sizes;
	}
	memset(stats, 0, sizeof(*stats));
	r = dit_walk(&opts, stats);
	(void)close(check->fd);
	return r;
}

static void begin_again(struct check *check)
{
	dit_check_findings_reset(check->findings);
	if (check->sizes != NULL) {
		dit_check_sizes_reset(check->sizes);
	}
	memset(check->has_needed, 0, sizeof(check->has_needed));
}

static int walk(struct check *check, struct dit_walk_stats *stats, bool *ret_is_held)
{
	int r = -ESTALE;

	for (int i = 0; i < ATTEMPTS && r == -ESTALE; i++) {
		begin_again(check);
		r = walk_once(check, stats);
		*ret_is_held = check->hold != NULL;
		let_go(check);
	}
	return r;
}

static const char *reason(int error)
{
	return error == -ESTALE ? "it is changed too fast by somebody else"
	                        : dit_strerror(error);
}

static void count(struct check *check)
{
	for (unsigned i = 0; i < DIT_CHECK_NKINDS; i++) {
		check->by_kind[i] += dit_check_findings_count_of(check->findings, i);
	}
}

static void tell_file(struct check *check, const struct dit_walk_stats *stats,
                      bool is_held)
{
	const struct dit_check_file file = {
		.file = check->path,
		.is_held = is_held,
		.transaction = stats->transaction,
		.page_bytes = stats->page_bytes,
		.npages = stats->npages,
		.nused = stats->nused,
		.nfree = stats->nfree,
		.ndatabases = stats->ndatabases,
		.nfindings = dit_check_findings_count(check->findings),
	};

	if (check->opts->file != NULL) {
		check->opts->file(check->opts->file_ctx, &file);
	}
}

static int tell(struct check *check, const struct dit_walk_stats *stats, bool is_held)
{
	const struct dit_check_opts *opts = check->opts;
	int r = dit_check_findings_tell(check->findings, check->path, opts->found,
	                                opts->found_ctx);

	if (r == 0 && check->sizes != NULL) {
		r = dit_check_sizes_tell(check->sizes, check->path, stats->page_bytes,
		                         opts->sizes, opts->sizes_ctx);
	}
	if (r == 0) {
		count(check);
		tell_file(check, stats, is_held);
	}
	return r;
}

static int check_file(struct check *check, const char *path)
{
	struct dit_walk_stats stats = {0};
	bool is_held = false;
	int r = 0;

	check->path = path;
	r = walk(check, &stats, &is_held);
	if (r == 0 && stats.has_all_databases) {
		look_for_missing(check);
	}
	if (r == 0) {
		r = tell(check, &stats, is_held);
	}
	if (r < 0 && r != DIT_E_STOPPED) {
		report(check, DIT_REPORT_ERROR, "%s: could not be checked: %s", path,
		       reason(r));
	}
	return r;
}

/* A directory means the data file in it. */
static int check_path(struct check *check, const char *path)
{
	struct stat status;
	char *file = NULL;
	bool is_directory = stat(path, &status) == 0 && S_ISDIR(status.st_mode);
	int r = asprintf(&file, "%s%s", path, is_directory ? "/data.mdb" : "");

	if (r < 0) {
		return -ENOMEM;
	}
	r = dit_check_findings_new(&check->findings, check->opts->max_findings);
	if (r == 0 && check->opts->sizes != NULL) {
		r = dit_check_sizes_new(&check->sizes, check->nthreads);
	}
	if (r == 0) {
		r = check_file(check, file);
	}
	dit_check_findings_free(check->findings);
	dit_check_sizes_free(check->sizes);
	check->findings = NULL;
	check->sizes = NULL;
	free(file);
	return r;
}

/* ---- which files ---- */

static bool belongs(const struct check *check, const struct dit_database *chosen,
                    const struct dit_database *database)
{
	return database == chosen ||
	       (!check->opts->no_glue && check->opts->database < 0 &&
	        database->is_subordinate && strcmp(database->type, "mdb") == 0 &&
	        dit_settings_superior(check->settings, database) == chosen);
}

static int check_databases(struct check *check)
{
	const struct dit_check_opts *opts = check->opts;
	struct dit_chosen_opts wanted = {.conf = opts->conf,
	                                 .conf_dir = opts->conf_dir,
	                                 .suffix = opts->suffix,
	                                 .database = opts->database,
	                                 .report = opts->report,
	                                 .report_ctx = opts->report_ctx};
	struct dit_chosen chosen;
	int r = dit_chosen_read(&chosen, &wanted);

	if (r < 0) {
		return r;
	}
	check->settings = chosen.settings;
	check->nthreads = dit_thread_count(check->nthreads, check->settings);
	for (size_t i = 0; i < check->settings->ndatabases && r == 0; i++) {
		const struct dit_database *database = &check->settings->databases[i];

		if (belongs(check, chosen.db, database)) {
			r = check_path(check, database->directory);
		}
	}
	return r;
}

static int compare_kinds(const void *a, const void *b)
{
	return strcmp(((const struct dit_check_kind_stats *)a)->kind,
	              ((const struct dit_check_kind_stats *)b)->kind);
}

static int fill_stats(const struct check *check, struct dit_check_stats *ret)
{
	ret->kinds = calloc(DIT_CHECK_NKINDS, sizeof(*ret->kinds));
	if (ret->kinds == NULL) {
		return -ENOMEM;
	}
	for (unsigned i = 0; i < DIT_CHECK_NKINDS; i++) {
		if (check->by_kind[i] > 0) {
			ret->kinds[ret->nkinds++] = (struct dit_check_kind_stats){
				.kind = dit_check_kind_name(i),
				.nfindings = check->by_kind[i]};
			ret->nfindings += check->by_kind[i];
		}
	}
	qsort(ret->kinds, ret->nkinds, sizeof(*ret->kinds), compare_kinds);
	return 0;
}

int dit_check(const struct dit_check_opts *opts, struct dit_check_stats *ret)
{
	struct check check = {.opts = opts, .nthreads = opts->threads};
	int r = 0;
	int filled = 0;

	*ret = (struct dit_check_stats){.nfindings = 0};
	if (opts->path != NULL) {
		check.nthreads = dit_thread_count(check.nthreads, NULL);
		r = check_path(&check, opts->path);
	} else {
		r = check_databases(&check);
	}
	filled = fill_stats(&check, ret);
	dit_settings_free(check.settings);
	return r < 0 ? r : filled;
}

void dit_check_stats_deinit(struct dit_check_stats *stats)
{
	free(stats->kinds);
	*stats = (struct dit_check_stats){.nfindings = 0};
}
