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

#include "base/grow.h"
#include "bulk/chosen.h"
#include "config/settings.h"
#include "pages/walk.h"
#include "store/hold.h"
#include "store/stored_order.h"

/* Commits may come between the snapshot and the meta pages; two in a row are rare. */
#define ATTEMPTS 20
#define TEXT_MAX 500

/* Kinds of our own, behind the walker's. */
enum check_kind {
	KIND_FLAGS = DIT_WALK_NKINDS,
	KIND_MISSING,
	NKINDS,
};

static const char *const own_names[NKINDS - DIT_WALK_NKINDS] = {
	"database-flags",
	"database-missing",
};

static const char *const needed[] = {"ad2i", "dn2i", "id2e", "id2v"};
#define NNEEDED (sizeof(needed) / sizeof(needed[0]))

struct kept_finding {
	unsigned kind;
	char *database; /* owned; NULL: the file */
	uint64_t page;
	long node;
	char *text; /* owned */
};

struct check {
	const struct dit_check_opts *opts;
	struct dit_settings *settings; /* NULL: a path was given */
	unsigned nthreads;
	uint64_t by_kind[NKINDS];

	/* Of one file. */
	const char *path;
	int fd;
	struct dit_hold *hold; /* NULL: there is nothing to hold, or it cannot be */
	bool has_needed[NNEEDED];
	struct kept_finding *findings;
	size_t nfindings; /* kept */
	size_t size;
	uint64_t nown; /* of our own kinds, kept or not */
	uint64_t own[NKINDS - DIT_WALK_NKINDS];
	int error; /* no memory to keep a finding */
};

static const char *name_of(unsigned kind)
{
	return kind < DIT_WALK_NKINDS ? dit_walk_kind_name((enum dit_walk_kind)kind)
	                              : own_names[kind - DIT_WALK_NKINDS];
}

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

static void keep(struct check *check, unsigned kind, const char *database, uint64_t page,
                 long node, const char *text)
{
	struct kept_finding *findings = NULL;
	struct kept_finding kept = {.kind = kind, .page = page, .node = node};

	if (check->opts->max_findings != 0 &&
	    check->nfindings >= check->opts->max_findings) {
		return;
	}
	findings = dit_grow(check->findings, &check->size, check->nfindings + 1,
	                    sizeof(*findings));
	if (findings == NULL) {
		check->error = -ENOMEM;
		return;
	}
	check->findings = findings;
	kept.text = strdup(text);
	kept.database = database == NULL ? NULL : strdup(database);
	if (kept.text == NULL || (database != NULL && kept.database == NULL)) {
		free(kept.text);
		free(kept.database);
		check->error = -ENOMEM;
		return;
	}
	findings[check->nfindings++] = kept;
}

static void keep_own(struct check *check, enum check_kind kind, const char *database,
                     const char *text)
{
	check->nown++;
	check->own[kind - DIT_WALK_NKINDS]++;
	keep(check, kind, database, DIT_CHECK_NO_PAGE, -1, text);
}

static void keep_walked(void *ctx, const struct dit_walk_finding *finding)
{
	keep(ctx, finding->kind, finding->database, finding->page, finding->node,
	     finding->text);
}

static void forget_findings(struct check *check)
{
	for (size_t i = 0; i < check->nfindings; i++) {
		free(check->findings[i].text);
		free(check->findings[i].database);
	}
	check->nfindings = 0;
	check->nown = 0;
	memset(check->own, 0, sizeof(check->own));
	memset(check->has_needed, 0, sizeof(check->has_needed));
}

static int compare_findings(const void *a, const void *b)
{
	const struct kept_finding *x = a;
	const struct kept_finding *y = b;
	int order = (x->database != NULL) - (y->database != NULL);

	if (order == 0 && x->database != NULL) {
		order = strcmp(x->database, y->database);
	}
	if (order == 0) {
		/* What belongs to no page comes first. */
		order = (x->page + 1 > y->page + 1) - (x->page + 1 < y->page + 1);
	}
	if (order == 0) {
		order = (x->node > y->node) - (x->node < y->node);
	}
	return order != 0 ? order : strcmp(x->text, y->text);
}

static void tell_findings(struct check *check)
{
	if (check->nfindings > 1) {
		qsort(check->findings, check->nfindings, sizeof(*check->findings),
		      compare_findings);
	}
	for (size_t i = 0; i < check->nfindings; i++) {
		const struct kept_finding *kept = &check->findings[i];
		struct dit_check_finding finding = {
			.file = check->path,
			.kind = name_of(kept->kind),
			.database = kept->database,
			.page = kept->page,
			.node = kept->node,
			.text = kept->text,
		};

		check->opts->found(check->opts->found_ctx, &finding);
	}
}

/* ---- the databases of a file ---- */

static void take_database(void *ctx, struct dit_span name, unsigned flags,
                          struct dit_walk_orders *orders)
{
	struct check *check = ctx;
	char text[TEXT_MAX];

	for (size_t i = 0; i < NNEEDED; i++) {
		if (dit_span_eq(name, dit_span_of(needed[i]))) {
			check->has_needed[i] = true;
		}
	}
	if (!dit_stored_flags_are_right(name, flags)) {
		(void)snprintf(text, sizeof(text),
		               "the database has flags 0x%02x, which slapd does not give "
		               "to one of this name",
		               flags);
		keep_own(check, KIND_FLAGS, name.data, text);
	}
	dit_stored_order(NULL, name, flags, orders);
}

static void look_for_missing(struct check *check)
{
	for (size_t i = 0; i < NNEEDED; i++) {
		if (!check->has_needed[i]) {
			keep_own(check, KIND_MISSING, needed[i],
			         "the database is missing; slapd needs it");
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
		.max_findings = check->opts->max_findings,
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
	memset(stats, 0, sizeof(*stats));
	r = dit_walk(&opts, stats);
	(void)close(check->fd);
	return r < 0 ? r : check->error;
}

static int walk(struct check *check, struct dit_walk_stats *stats, bool *ret_is_held)
{
	int r = -ESTALE;

	for (int i = 0; i < ATTEMPTS && r == -ESTALE; i++) {
		forget_findings(check);
		r = walk_once(check, stats);
		*ret_is_held = check->hold != NULL;
		let_go(check);
	}
	return r;
}

static void count(struct check *check, const struct dit_walk_stats *stats)
{
	for (unsigned i = 0; i < DIT_WALK_NKINDS; i++) {
		check->by_kind[i] += stats->by_kind[i];
	}
	for (unsigned i = DIT_WALK_NKINDS; i < NKINDS; i++) {
		check->by_kind[i] += check->own[i - DIT_WALK_NKINDS];
	}
}

static const char *reason(int error)
{
	return error == -ESTALE ? "it is changed too fast by somebody else"
	                        : dit_strerror(error);
}

static int check_file(struct check *check, const char *path)
{
	struct dit_walk_stats stats = {0};
	struct dit_check_file file = {.file = path};
	int r = 0;

	check->path = path;
	r = walk(check, &stats, &file.is_held);
	if (r == DIT_E_STOPPED) {
		return r;
	}
	if (r < 0) {
		report(check, DIT_REPORT_ERROR, "%s: could not be checked: %s", path,
		       reason(r));
		return r;
	}
	if (stats.has_all_databases) {
		look_for_missing(check);
	}
	count(check, &stats);
	tell_findings(check);
	file.transaction = stats.transaction;
	file.page_bytes = stats.page_bytes;
	file.npages = stats.npages;
	file.nused = stats.nused;
	file.nfree = stats.nfree;
	file.ndatabases = stats.ndatabases;
	file.nfindings = stats.nfindings + check->nown;
	if (check->opts->file != NULL) {
		check->opts->file(check->opts->file_ctx, &file);
	}
	return 0;
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
	r = check_file(check, file);
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
	ret->kinds = calloc(NKINDS, sizeof(*ret->kinds));
	if (ret->kinds == NULL) {
		return -ENOMEM;
	}
	for (unsigned i = 0; i < NKINDS; i++) {
		if (check->by_kind[i] > 0) {
			ret->kinds[ret->nkinds++] = (struct dit_check_kind_stats){
				.kind = name_of(i), .nfindings = check->by_kind[i]};
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
	forget_findings(&check);
	free(check.findings);
	dit_settings_free(check.settings);
	return r < 0 ? r : filled;
}

void dit_check_stats_deinit(struct dit_check_stats *stats)
{
	free(stats->kinds);
	*stats = (struct dit_check_stats){.nfindings = 0};
}
