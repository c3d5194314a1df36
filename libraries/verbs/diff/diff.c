/* SPDX-License-Identifier: BSD-2-Clause */
/* A difference from its options to its end: both sides are opened and scanned, what
 * differs is matched, and the changes are written in their order. */
#include "diff/diff.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/random.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/version.h"
#include "diff/diff_impl.h"
#include "files/fault.h"
#include "files/files.h"
#include "schema/schema.h"

#define ARENA_BYTES ((size_t)64 << 10)
#define KEPT_BYTES  ((size_t)4 << 20) /* mapped: no freed memory lies below it */

int dit_diff_fail(struct dit_diff *diff, int r, const char *what, const char *why)
{
	diff->is_told = true;
	return dit_job_say(&diff->job, r, "%s: %s", what, why);
}

/* ---- statistics ---- */

int dit_diff_count(const struct dit_diff *diff, struct dit_span name,
                   struct dit_diff_counts *counts)
{
	uint64_t key = dit_sum128_seed(name, diff->seed);
	uintptr_t place = (uintptr_t)dit_diff_map_get(&counts->places, key);

	if (place == 0) {
		struct dit_diff_count count = {strndup(name.data, name.len), 0};

		if (count.name == NULL ||
		    DIT_APPEND(counts->list, counts->size, counts->n, count) < 0) {
			free(count.name);
			return -ENOMEM;
		}
		place = counts->n;
		if (dit_diff_map_set(&counts->places, key, (void *)place) < 0) {
			return -ENOMEM;
		}
	}
	counts->list[place - 1].n++;
	return 0;
}

static int compare_attrs(const void *a, const void *b)
{
	const struct dit_diff_count *x = a;
	const struct dit_diff_count *y = b;

	return strcmp(x->name, y->name);
}

static int compare_branches(const void *a, const void *b)
{
	const struct dit_diff_count *x = a;
	const struct dit_diff_count *y = b;

	return x->n != y->n ? (x->n < y->n) - (x->n > y->n) : strcmp(x->name, y->name);
}

static void free_counts(struct dit_diff_count *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(list[i].name);
	}
	free(list);
}

/* ---- configuration ---- */

static int find_ads(struct dit_diff *diff)
{
	const struct {
		struct dit_span name;
		const struct dit_ad **ret;
	} ads[] = {{DIT_SPAN("entryUUID"), &diff->uuid_ad},
	           {DIT_SPAN("structuralObjectClass"), &diff->class_ad},
	           {DIT_SPAN("modifiersName"), &diff->stamp_ads[0]},
	           {DIT_SPAN("modifyTimestamp"), &diff->stamp_ads[1]}};
	/* The stamps that slapd gives an entry that it changes. */
	bool has_stamps = diff->opts.operational && !diff->opts.exact &&
	                  diff->opts.nattrs == 0 && diff->job.chosen.db->lastmod;
	struct dit_schema *schema = diff->job.chosen.settings->schema;
	int r = 0;

	for (size_t i = 0; i < (has_stamps ? 4 : 2) && r == 0; i++) {
		r = dit_ad_find(schema, NULL, ads[i].name, ads[i].ret, NULL);
	}
	r = r
	            ?: dit_entry_find_ads(&diff->job, schema, diff->opts.attrs,
	                                  diff->opts.nattrs, &diff->ads);
	diff->is_told = r == DIT_E_CONFIG;
	return r;
}

static int make_match(struct dit_diff *diff)
{
	const struct dit_entry_match_opts opts = {.base = diff->opts.base,
	                                          .scope = DIT_SCOPE_SUBTREE,
	                                          .filter = diff->opts.filter};
	int r = 0;

	diff->has_match = opts.base != NULL || opts.filter != NULL;
	if (!diff->has_match) {
		return 0;
	}
	r = dit_entry_match_make(&diff->match, &diff->job,
	                         diff->job.chosen.settings->schema, &opts);
	diff->is_told = r == DIT_E_CONFIG;
	return r;
}

static int read_conf(struct dit_diff *diff)
{
	int r = dit_job_check(&diff->job, NULL, 0);

	r = r ?: dit_job_read(&diff->job);
	r = r ?: dit_job_choose(&diff->job);
	diff->is_told = r < 0;
	if (r == 0) {
		diff->suffix_nrdns = dit_dn_depth(diff->job.chosen.db->suffix);
	}
	r = r ?: find_ads(diff);
	return r ?: make_match(diff);
}

/* Digests are of whole states, and so are exact changes. */
static int check_choice(struct dit_diff *diff)
{
	if ((diff->opts.is_made[0] || diff->opts.is_made[1]) && diff->opts.make == NULL) {
		return dit_diff_fail(diff, -EINVAL, "make", "nothing makes the database");
	}
	return diff->opts.exact && (diff->has_match || diff->opts.nattrs > 0)
	               ? dit_diff_fail(diff, -EINVAL, "exact",
	                               "exact changes cover all entries and attributes")
	       : diff->opts.nattrs > 0 && dit_diff_has_digests(diff)
	               ? dit_diff_fail(diff, -EINVAL, "attributes",
	                               "a digest covers whole entries")
	               : 0;
}

/* ---- the two sides ---- */

static int choose_sides(struct dit_diff *diff)
{
	const char *own = diff->job.chosen.db->data.directory;
	const char *given[2] = {diff->opts.first, diff->opts.second};
	const char *directories[2];
	size_t n = 0;
	int r = 0;

	for (unsigned side = 0; side < 2; side++) {
		if (!dit_diff_is_digest(diff, side) && !diff->opts.is_made[side]) {
			diff->sides[side].directory =
				given[side] == NULL ? own : given[side];
			directories[n++] = diff->sides[side].directory;
		}
	}
	if (n > 0 && diff->opts.before_open != NULL) {
		r = diff->opts.before_open(diff->opts.before_open_ctx, directories, n);
	}
	diff->is_chosen = true;
	diff->is_told = r < 0;
	return r < 0 || n < 2 || !dit_directory_is_one(directories[0], directories[1])
	               ? r
	               : dit_diff_fail(diff, -EINVAL, directories[0],
	                               "this is one database, twice: nothing can differ");
}

/* A reader of single entries. Twins need one of their own. */
static int open_reader(const struct dit_diff_side *side, struct dit_entry_reader **ret)
{
	const struct dit_entry_reader_opts opts = {
		.snapshot = side->snapshot, .names = dit_entry_scan_names(side->scan)};

	return dit_entry_reader_new(ret, &opts);
}

static int open_scan(struct dit_diff *diff, struct dit_diff_side *side,
                     struct dit_fault *fault)
{
	const struct dit_snapshot_opts opts =
		dit_job_snapshot_opts(&diff->job, diff->job.nthreads, side->seal, fault);
	struct dit_scan_snapshot_opts scan = {.schema = diff->job.chosen.settings->schema,
	                                      .stop = &diff->job.stop};
	int r = dit_snapshot_open_readers(&side->snapshot, side->directory, &opts);

	scan.snapshot = side->snapshot;
	r = r ?: dit_entry_scan_new(&side->scan, &scan);
	if (r == 0 && diff->has_match) {
		r = dit_entry_scan_match(side->scan, &diff->match,
		                         diff->job.chosen.settings, NULL);
	}
	return r ?: open_reader(side, &side->reader);
}

/* A side that is made of LDIF is sealed as the chosen database. */
static int open_side(struct dit_diff *diff, unsigned number)
{
	struct dit_diff_side *side = &diff->sides[number];
	struct dit_fault fault = {.text = ""};
	int r = diff->opts.is_made[number]
	                ? dit_job_open_seal(&diff->job, diff->job.chosen.db, &side->seal)
	                : dit_job_open_seal_of(&diff->job, side->directory, &side->seal);

	if (r < 0) {
		diff->is_told = true;
		return r;
	}
	r = open_scan(diff, side, &fault);
	return r == 0 || r == DIT_E_STOPPED
	               ? r
	               : dit_diff_fail(diff, r, side->directory,
	                               r == DIT_E_UNKNOWN
	                                       ? "this is no database of slapd's"
	                               : fault.text[0] == '\0' ? dit_strerror(r)
	                                                       : fault.text);
}

/* ---- LDIF ---- */

static int ready(struct dit_diff *diff, unsigned side);

/* The load that makes the other side has become the user who may open this one. */
static int get_known(void *ctx, struct dit_known **ret)
{
	struct dit_diff *diff = ctx;
	unsigned side = diff->opts.is_made[0] && !diff->sides[0].is_ready ? 1 : 0;
	int r = ready(diff, side);

	*ret = diff->known;
	return r < 0 && r != DIT_E_STOPPED && !diff->is_told
	               ? dit_job_fail(&diff->job, r, "differences")
	               : r;
}

static int make_side(struct dit_diff *diff, unsigned side)
{
	const struct dit_known_source source = {.get = get_known, .ctx = diff};
	bool is_other_made = diff->opts.is_made[1 - side];
	bool has_other = diff->digests == NULL && !dit_diff_is_digest(diff, 1 - side) &&
	                 (!is_other_made || diff->sides[1 - side].is_ready);
	int r = diff->opts.make(diff->opts.make_ctx, side, has_other ? &source : NULL,
	                        &diff->sides[side].directory);

	diff->is_told = r < 0;
	return r;
}

/* The database of a side is there and open, as is the other one if it needs not be made;
 * its entries are summed up. */
static int ready(struct dit_diff *diff, unsigned side)
{
	struct dit_diff_side *it = &diff->sides[side];
	int r = 0;

	if (it->is_ready || dit_diff_is_digest(diff, side)) {
		return 0;
	}
	r = diff->opts.is_made[side] ? make_side(diff, side) : 0;
	if (r == 0 && !diff->is_chosen) {
		r = choose_sides(diff);
	}
	for (unsigned i = 0; i < 2 && r == 0; i++) {
		if (diff->sides[i].directory != NULL && diff->sides[i].scan == NULL) {
			r = open_side(diff, i);
		}
	}
	if (r == 0) {
		dit_job_tell(&diff->job, side);
		r = dit_diff_scan(diff, side, NULL);
	}
	if (r == 0 && diff->known != NULL && diff->known_side == side) {
		r = open_reader(it, &diff->twins);
	}
	it->is_ready = r == 0;
	return r;
}

/* LDIF first: its files are opened before root becomes another user. */
static int ready_sides(struct dit_diff *diff)
{
	int r = 0;

	for (unsigned side = 0; side < 2 && r == 0; side++) {
		r = diff->opts.is_made[side] ? ready(diff, side) : 0;
	}
	for (unsigned side = 0; side < 2 && r == 0; side++) {
		r = ready(diff, side);
	}
	return r;
}

static void close_side(struct dit_diff_side *side)
{
	dit_entry_reader_free(side->reader);
	dit_entry_scan_close(side->scan);
	dit_snapshot_close(side->snapshot);
	dit_data_seal_close(side->seal);
	dit_sorter_free(side->sorter);
	dit_diff_map_deinit(&side->by_id);
	free(side->items);
}

/* ---- the whole ---- */

static void fill_progress(void *ctx, struct dit_progress *ret)
{
	const struct dit_diff *diff = ctx;

	ret->unit = DIT_PROGRESS_RECORDS;
	ret->threads = diff->job.nthreads;
	if (ret->phase == DIT_DIFF_CHANGES) {
		ret->done = diff->nwritten;
		ret->total = diff->nnodes + diff->nholders + diff->nchanged;
		return;
	}
	ret->done = diff->sides[ret->phase].nread;
	ret->total = dit_entry_scan_nrecords(diff->sides[ret->phase].scan);
}

/* A DN that is written wrongly would make all states equal. */
static int check_base(struct dit_diff *diff)
{
	return diff->opts.base != NULL && diff->opts.filter == NULL &&
	                       diff->stats.nentries[0] + diff->stats.nentries[1] == 0
	               ? dit_diff_fail(diff, -EINVAL, diff->opts.base,
	                               "neither state has this entry, or one below it")
	               : 0;
}

static int run(struct dit_diff *diff)
{
	int r = read_conf(diff);

	r = r ?: check_choice(diff);
	r = r ?: dit_diff_read_digests(diff);
	r = r ?: ready_sides(diff);
	if (r < 0 || diff->digests != NULL) {
		return r ?: dit_diff_run_digests(diff);
	}
	r = r ?: dit_diff_collect(diff);
	r = r ?: check_base(diff);
	r = r < 0 || !diff->opts.exact ? r : dit_diff_write_header(diff);
	if (r == 0) {
		dit_job_tell(&diff->job, DIT_DIFF_CHANGES);
		r = dit_diff_match(diff);
	}
	r = r ?: dit_diff_plan(diff);
	return r ?: dit_diff_write_end(diff);
}

static void deinit(struct dit_diff *diff)
{
	dit_diff_free_digests(diff);
	dit_entry_reader_free(diff->twins);
	close_side(&diff->sides[0]);
	close_side(&diff->sides[1]);
	dit_known_free(diff->known);
	dit_arena_deinit(&diff->match.arena);
	dit_diff_map_deinit(&diff->taken);
	dit_diff_map_deinit(&diff->attrs.places);
	dit_diff_map_deinit(&diff->branches.places);
	dit_ldif_text_deinit(&diff->text);
	dit_arena_deinit(&diff->kept);
	dit_arena_deinit(&diff->arena);
	free(diff->ads);
	free(diff->changed);
	free(diff->nodes);
	free(diff->holders);
	dit_job_deinit(&diff->job);
}

int dit_diff(const struct dit_diff_opts *opts, dit_diff_write_fn write, void *ctx,
             struct dit_diff_stats *ret)
{
	struct dit_diff diff = {.write = write, .write_ctx = ctx};
	const struct dit_diff_opts *own = &diff.opts;
	struct dit_job_opts job;
	int r = dit_opts_take(&diff.opts, sizeof(diff.opts), opts);

	if (r < 0) {
		return r;
	}
	job = (struct dit_job_opts){DIT_JOB_CONF(own),
	                            .progress = own->progress,
	                            .progress_ctx = own->progress_ctx,
	                            .tool = "slapcat",
	                            .takes_config = own->is_made[0] && own->is_made[1],
	                            .fill = fill_progress,
	                            .ctx = &diff};
	dit_job_init(&diff.job, &job);
	dit_arena_init(&diff.kept, KEPT_BYTES);
	dit_arena_init(&diff.arena, ARENA_BYTES);
	dit_ldif_text_init(&diff.text, own->wrap == 0          ? DIT_LDIF_WRAP_DEFAULT
	                               : own->wrap == UINT_MAX ? DIT_LDIF_WRAP_NONE
	                                                       : own->wrap);
	if (!dit_diff_has_digests(&diff)) {
		r = getrandom(&diff.seed, sizeof(diff.seed), 0) == sizeof(diff.seed)
		            ? 0
		            : -EIO;
	}
	r = r ?: run(&diff);
	dit_sort_items(diff.attrs.list, diff.attrs.n, sizeof(*diff.attrs.list),
	               compare_attrs);
	dit_sort_items(diff.branches.list, diff.branches.n, sizeof(*diff.branches.list),
	               compare_branches);
	diff.stats.attrs = diff.attrs.list;
	diff.stats.nattrs = diff.attrs.n;
	diff.stats.branches = diff.branches.list;
	diff.stats.nbranches = diff.branches.n;
	if (r < 0 && r != DIT_E_STOPPED && !diff.is_told) {
		(void)dit_job_fail(&diff.job, r, "differences");
	}
	deinit(&diff);
	if (r < 0) {
		dit_diff_stats_deinit(&diff.stats);
		return r;
	}
	*ret = diff.stats;
	return 0;
}

void dit_diff_stats_deinit(struct dit_diff_stats *stats)
{
	free_counts(stats->attrs, stats->nattrs);
	free_counts(stats->branches, stats->nbranches);
	*stats = (struct dit_diff_stats){.attrs = NULL};
}
