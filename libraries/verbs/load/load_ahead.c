/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A look ahead at the input, for the overlays memberof and unique: what slapd would make
 * of each entry if it came by ldapadd, in this order. The groups of an entry may come
 * after it, so all records are read before the first one is loaded: the DN, the object
 * classes and the attributes that the overlays look at. The load finds out whether a
 * record can be stored.
 *
 * A record has a number in place of an ID, from 1.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/short_bytes.h"
#include "load/loader.h"

/* ---- what is there before ---- */

bool dit_load_is_pipe(const char *path)
{
	struct stat status;
	int r = path == NULL ? fstat(STDIN_FILENO, &status) : stat(path, &status);

	return r == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

/* @return 0; DIT_E_UNSUPPORTED, reported */
static int check_input(const struct loader *loader)
{
	const struct dit_load_opts *opts = loader->opts;

	for (size_t i = 0; i < opts->ninputs; i++) {
		const char *path = opts->inputs[i];

		if (dit_load_is_pipe(path)) {
			return dit_job_say(
				&loader->job, DIT_E_UNSUPPORTED,
				"%s is a pipe, and --memberof and --unique read the input twice: write it to a file first, or load without them and run \"ditmodify --memberof\"",
				path == NULL ? "standard input" : path);
		}
	}
	return 0;
}

/* Groups and members that are stored are changed by ditmodify. */
static int check_targets(const struct loader *loader)
{
	const struct load_target *target = &loader->targets[0];

	if (loader->ntargets > 1) {
		return dit_job_say(
			&loader->job, DIT_E_UNSUPPORTED,
			"overlays of several databases are not supported: load "
			"each one alone, with -b and -g");
	}
	if (target->output != NULL && target->output->stored.last_id > 0) {
		return dit_job_say(
			&loader->job, DIT_E_NOTEMPTY,
			"%s has entries, and --memberof and --unique look at those of the input alone: load without them, then run \"ditmodify --memberof\"",
			target->db->data.directory);
	}
	return 0;
}

static int make_rules(struct loader *loader)
{
	const struct dit_load_opts *opts = loader->opts;
	struct dit_overlay_rules *rules = &loader->ahead.rules;
	int r = dit_overlay_rules_make(&loader->job, loader->targets[0].db,
	                               opts->with_unique, rules);

	if (r == 0 && opts->with_memberof && rules->nmemberof == 0) {
		r = dit_overlay_rules_lack(&loader->job, loader->targets[0].db,
		                           "memberof");
	}
	if (r == 0 && opts->with_unique && rules->nunique == 0) {
		r = dit_overlay_rules_lack(&loader->job, loader->targets[0].db, "unique");
	}
	rules->nrefint = 0;
	rules->ndynlist = 0;
	rules->nmemberof = opts->with_memberof ? rules->nmemberof : 0;
	return r == DIT_E_CONFIG ? r : dit_job_fail(&loader->job, r, "could not start");
}

/* ---- the look ---- */

/* Lines of attributes that matter. Object classes matter where others do: most entries
 * are no groups. */
static void choose_lines(const struct loader *loader, struct load_member *member,
                         struct dit_ldif_lines *lines)
{
	struct dit_span before = {NULL, 0}; /* the name that `ad` is about */
	const struct dit_ad *ad = NULL;     /* NULL: it does not matter */
	size_t nclasses = 0;
	size_t n = 0;

	for (size_t i = 0; i < lines->nlines; i++) {
		struct dit_span name = lines->lines[i].name;

		if (name.len != before.len ||
		    !dit_short_eq(name.data, before.data, name.len)) {
			before = name;
			if (dit_ad_find(loader->reading.context.schema, &member->names,
			                name, &ad, NULL) < 0 ||
			    !dit_overlays_want(&loader->ahead.rules, ad)) {
				ad = NULL;
			}
		}
		if (ad != NULL) {
			nclasses += ad->type == loader->ahead.rules.object_class;
			lines->lines[n++] = lines->lines[i];
		}
	}
	lines->nlines = n == nclasses ? 0 : n;
}

static int look_at(const struct loader *loader, const struct dit_entry_context *context,
                   const struct dit_pipeline_share *share, size_t index)
{
	struct load_member *member = &loader->members[share->member];
	const struct load_slot *slot = &loader->input.slots[share->slot];
	struct dit_ldif_lines lines = {0};
	struct dit_entry entry = {.nattrs = 0};
	struct dit_entry_view view;
	struct dit_notes notes;
	struct dit_dn dn;
	int r = 0;

	dit_notes_init(&notes, share->arena);
	r = dit_ldif_parse(&context->ldif, slot->batch.records[index].text,
	                   context->files, &notes, &lines);
	if (r < 0) {
		return r;
	}
	r = dit_entry_read_dn(context, &member->caches, &lines, &notes, &dn);
	choose_lines(loader, member, &lines);
	if (r == 0 && lines.nlines > 0) {
		r = dit_entry_read_lines(context, &member->caches, lines.lines,
		                         lines.nlines, &notes, &entry);
	}
	if (r < 0) {
		/* The load will say so. */
		return r == -ENOMEM || r == DIT_E_STOPPED ? r : 0;
	}
	entry.dn = dn;
	r = dit_overlays_show(loader->ahead.overlays, share->member, &entry,
	                      slot->first + index + 1, &view);
	return r ?: dit_overlays_take(loader->ahead.overlays, share->member, &view);
}

static int look_at_share(void *ctx, const struct dit_pipeline_share *share)
{
	const struct loader *loader = ctx;
	struct dit_entry_context context = loader->reading.context;
	int r = 0;

	context.check_schema = false;
	context.check_values = false;
	for (size_t i = share->first; i < share->end && r == 0; i++) {
		r = dit_load_is_stopped(loader) ? DIT_E_STOPPED
		                                : look_at(loader, &context, share, i);
	}
	return r;
}

static int in_order(void *ctx, unsigned number)
{
	struct loader *loader = ctx;

	(void)number;
	dit_tick(dit_job_ticker(&loader->job));
	return 0;
}

static int look(struct loader *loader)
{
	const struct dit_pipeline_ops ops = {.fill = dit_load_fill,
	                                     .begin = dit_load_begin,
	                                     .before_order = look_at_share,
	                                     .in_order = in_order};
	enum dit_pipeline_stage stage = DIT_PIPELINE_NONE;
	int r = dit_load_make_pipeline(loader, &ops);

	r = r ?: dit_pipeline_run(loader->pipeline, &stage);
	dit_pipeline_free(loader->pipeline);
	loader->pipeline = NULL;
	loader->ahead.nrecords = loader->input.nrecords;
	loader->input.nrecords = 0;
	/* The load meets what is wrong with the input again, and says it. */
	return stage == DIT_PIPELINE_FILL && r != DIT_E_STOPPED && r != -ENOMEM ? 0 : r;
}

int dit_load_ahead(struct loader *loader)
{
	const struct dit_overlays_opts opts = {.rules = &loader->ahead.rules,
	                                       .nproducers = loader->job.nthreads,
	                                       .in_order = true};
	int r = 0;

	if (loader->ahead.reader == NULL) {
		return 0;
	}
	r = check_targets(loader);
	r = r ?: make_rules(loader);
	if (r < 0) {
		return r;
	}
	r = dit_overlays_new(&loader->ahead.overlays, &opts);
	r = r ?: look(loader);
	r = r ?: dit_overlays_join(loader->ahead.overlays);
	/* The load begins at the start again. */
	dit_ldif_reader_close(loader->input.reader);
	loader->input.reader = loader->ahead.reader;
	loader->ahead.reader = NULL;
	return dit_job_fail(&loader->job, r, "could not look ahead at the input");
}

int dit_load_ahead_open(struct loader *loader, const struct dit_ldif_reader_opts *opts)
{
	int r = 0;

	if (!loader->opts->with_memberof && !loader->opts->with_unique) {
		return 0;
	}
	r = check_input(loader);
	return r ?: dit_job_open_input(&loader->job, opts, &loader->ahead.reader);
}

int dit_load_ahead_check(const struct loader *loader)
{
	if (loader->ahead.overlays == NULL ||
	    loader->ahead.nrecords == loader->input.nrecords) {
		return 0;
	}
	return dit_job_say(
		&loader->job, DIT_E_INVALID,
		"the input was read twice, and had %lu records, then %lu: it has "
		"changed, or could not be read; nothing was changed; load it again",
		loader->ahead.nrecords, loader->input.nrecords);
}

void dit_load_ahead_deinit(struct loader *loader)
{
	dit_ldif_reader_close(loader->ahead.reader);
	dit_overlays_free(loader->ahead.overlays);
	dit_overlay_rules_deinit(&loader->ahead.rules);
}
