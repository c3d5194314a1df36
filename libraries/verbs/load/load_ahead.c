/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A look ahead at the input, for the overlays memberof and unique: what slapd would make
 * of each entry if it came by ldapadd, in this order. The groups of an entry may come
 * after it, so all records are read before the first one is loaded. Of each the DN, the
 * object classes and the attributes that the overlays look at are read; whether it can be
 * loaded is found out later.
 *
 *   look     members: names and values to the overlays       dit_load_ahead()
 *   batch    main: what they ask of the records of a batch   dit_load_ahead_begin()
 *   entry    members: refused, changed, or left alone        dit_load_ahead_start(), _end()
 *
 * A record has a number in place of an ID, from 1.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/grow.h"
#include "entry/value_sort.h"
#include "load/loader.h"

#define ARENA_BYTES 4096

/* [own: member] */
struct look_member {
	struct dit_entry_caches caches;
	struct dit_ad_cache names;
};

struct look_slot {
	struct dit_ldif_batch batch;
	uint64_t first; /* the number of the record before its first one */
};

struct look {
	struct loader *loader;
	struct dit_entry_context context; /* [const] */
	struct look_member *members;      /* owned */
	struct look_slot slots[DIT_PIPELINE_NSLOTS_MAX];
	uint64_t nrecords; /* [own: main] */
};

/* ---- what is there before ---- */

static bool is_pipe(const char *path)
{
	struct stat status;
	int r = path == NULL ? fstat(STDIN_FILENO, &status) : stat(path, &status);

	return r == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

/* @return 0; DIT_E_UNSUPPORTED, reported */
static int check_input(const struct loader *loader)
{
	const struct dit_load_opts *opts = loader->opts;
	size_t n = opts->ninputs == 0 ? 1 : opts->ninputs;

	for (size_t i = 0; i < n; i++) {
		const char *path = opts->ninputs == 0 ? opts->input : opts->inputs[i];

		if (is_pipe(path)) {
			dit_job_report(&loader->job, DIT_REPORT_ERROR,
			               "%s is read twice for overlays, and a pipe cannot "
			               "be: write a file first, or load without them and "
			               "run \"ditmodify --memberof\"",
			               path == NULL ? "standard input" : path);
			return DIT_E_UNSUPPORTED;
		}
	}
	return 0;
}

/* Groups and members that are stored are changed by ditmodify. */
static int check_targets(const struct loader *loader)
{
	const struct load_target *target = &loader->targets[0];

	if (loader->ntargets > 1) {
		dit_job_report(&loader->job, DIT_REPORT_ERROR,
		               "overlays of several databases are not supported: load "
		               "each one alone, with -b and -g");
		return DIT_E_UNSUPPORTED;
	}
	if (target->output != NULL && target->output->stored.last_id > 0) {
		dit_job_report(
			&loader->job, DIT_REPORT_ERROR,
			"%s has entries, and overlays look at new ones alone: load "
			"without them, then run \"ditmodify --memberof\"",
			target->db->data.directory);
		return DIT_E_NOTEMPTY;
	}
	return 0;
}

static int make_rules(struct loader *loader)
{
	const struct dit_load_opts *opts = loader->opts;
	struct dit_overlay_rules *rules = &loader->ahead.rules;
	int r = dit_overlay_rules_make(&loader->job, loader->targets[0].db, rules);
	bool has_all = (!opts->with_memberof || rules->nmemberof > 0) &&
	               (!opts->with_unique || rules->nunique > 0);

	if (r == 0 && !has_all) {
		dit_job_report(
			&loader->job, DIT_REPORT_ERROR,
			"the configuration has no overlay %s for the database in %s",
			opts->with_memberof && rules->nmemberof == 0 ? "memberof"
								     : "unique",
			loader->targets[0].db->data.directory);
		return DIT_E_CONFIG;
	}
	return r == DIT_E_CONFIG ? r : dit_job_fail(&loader->job, r, "could not start");
}

/* ---- the look ---- */

static int fill(void *ctx, unsigned slot)
{
	struct look *look = ctx;

	return dit_ldif_reader_next(look->loader->ahead.reader, &look->slots[slot].batch);
}

static int begin(void *ctx, unsigned number, size_t *ret_nitems)
{
	struct look *look = ctx;
	struct look_slot *slot = &look->slots[number];

	slot->first = look->nrecords;
	look->nrecords += slot->batch.nrecords;
	*ret_nitems = slot->batch.nrecords;
	return 0;
}

/* Lines up to the DN are kept, and those of attributes that matter. */
static void choose_lines(const struct look *look, struct look_member *member,
                         struct dit_ldif_lines *lines)
{
	const struct dit_overlay_rules *rules = &look->loader->ahead.rules;
	bool has_dn = false;
	size_t n = 0;

	for (size_t i = 0; i < lines->nlines; i++) {
		const struct dit_ldif_line *line = &lines->lines[i];
		const struct dit_ad *ad = NULL;

		if (!has_dn || (line->name.data != NULL &&
		                dit_ad_find(look->context.schema, &member->names,
		                            line->name, &ad, NULL) == 0 &&
		                dit_overlays_want(rules, ad))) {
			lines->lines[n++] = *line;
		}
		has_dn |= line->name.data != NULL &&
		          dit_span_eq_nocase(line->name, DIT_SPAN("dn"));
	}
	lines->nlines = n;
}

static int look_at(const struct look *look, const struct dit_pipeline_share *share,
                   size_t index)
{
	struct look_member *member = &look->members[share->member];
	const struct look_slot *slot = &look->slots[share->slot];
	struct dit_ldif_lines lines = {0};
	struct dit_attr_view *attrs = NULL;
	struct dit_entry_view view;
	struct dit_entry entry;
	struct dit_notes notes;
	int r = 0;

	dit_notes_init(&notes, share->arena);
	r = dit_ldif_parse(&look->context.ldif, slot->batch.records[index].text,
	                   look->context.files, &notes, &lines);
	if (r < 0) {
		return r;
	}
	choose_lines(look, member, &lines);
	r = dit_entry_read_parsed(&look->context, &member->caches, &lines, &notes,
	                          &entry);
	if (r < 0) {
		/* The load will say so. */
		return r == -ENOMEM || r == DIT_E_STOPPED ? r : 0;
	}
	attrs = dit_arena_alloc(share->arena, (entry.nattrs + 1) * sizeof(*attrs));
	if (attrs == NULL) {
		return -ENOMEM;
	}
	dit_entry_show(&entry, attrs, &view);
	view.id = slot->first + index + 1;
	view.dn = entry.dn.pretty;
	view.norm_dn = entry.dn.norm;
	return dit_overlays_take(look->loader->ahead.overlays, share->member, &view);
}

static int look_at_share(void *ctx, const struct dit_pipeline_share *share)
{
	const struct look *look = ctx;
	int r = 0;

	for (size_t i = share->first; i < share->end && r == 0; i++) {
		r = dit_load_is_stopped(look->loader) ? DIT_E_STOPPED
		                                      : look_at(look, share, i);
	}
	return r;
}

static int in_order(void *ctx, unsigned number)
{
	struct look *look = ctx;

	(void)number;
	dit_tick(dit_job_ticker(&look->loader->job));
	return 0;
}

static int make_members(struct look *look)
{
	unsigned n = look->loader->job.nthreads;
	int r = 0;

	look->members = calloc(n, sizeof(*look->members));
	if (look->members == NULL) {
		return -ENOMEM;
	}
	for (unsigned i = 0; i < n && r == 0; i++) {
		r = dit_entry_caches_init(&look->members[i].caches);
	}
	return r;
}

static int run_look(struct look *look)
{
	struct loader *loader = look->loader;
	const struct dit_pipeline_opts opts = {.ops = {.fill = fill,
	                                               .begin = begin,
	                                               .before_order = look_at_share,
	                                               .in_order = in_order},
	                                       .ctx = look,
	                                       .shared =
	                                               dit_job_shared(&loader->job, NULL),
	                                       .name = "tool",
	                                       .is_ahead = loader->job.nthreads > 1};
	enum dit_pipeline_stage stage = DIT_PIPELINE_NONE;
	struct dit_pipeline *pipeline = NULL;
	int r = make_members(look);

	r = r ?: dit_pipeline_new(&pipeline, &opts);
	r = r ?: dit_pipeline_run(pipeline, &stage);
	dit_pipeline_free(pipeline);
	for (unsigned i = 0; look->members != NULL && i < loader->job.nthreads; i++) {
		dit_entry_caches_deinit(&look->members[i].caches);
	}
	free(look->members);
	for (unsigned i = 0; i < DIT_PIPELINE_NSLOTS_MAX; i++) {
		dit_ldif_batch_deinit(&look->slots[i].batch);
	}
	/* The load meets what is wrong with the input again, and says it. */
	return stage == DIT_PIPELINE_FILL && r != DIT_E_STOPPED && r != -ENOMEM ? 0 : r;
}

int dit_load_ahead(struct loader *loader, size_t memory_bytes)
{
	struct look *look = NULL;
	struct dit_overlays_opts opts = {
		.rules = &loader->ahead.rules,
		.nproducers = loader->job.nthreads,
		.memory_bytes = memory_bytes,
		.shared = dit_job_shared(&loader->job, loader->targets[0].seal),
		.in_order = true,
		.with_memberof = loader->opts->with_memberof,
		.with_unique = loader->opts->with_unique};
	int r = 0;

	if (loader->ahead.reader == NULL) {
		return 0;
	}
	r = check_targets(loader);
	r = r ?: make_rules(loader);
	if (r < 0) {
		return r;
	}
	look = calloc(1, sizeof(*look));
	r = look == NULL ? -ENOMEM : dit_overlays_new(&loader->ahead.overlays, &opts);
	if (r == 0) {
		look->loader = loader;
		look->context = loader->reading.context;
		look->context.check_schema = false;
		look->context.check_values = false;
		r = run_look(look);
	}
	r = r ?: dit_overlays_join(loader->ahead.overlays);
	free(look);
	dit_ldif_reader_close(loader->ahead.reader);
	loader->ahead.reader = NULL;
	return dit_load_sort_fail(loader, r);
}

int dit_load_ahead_open(struct loader *loader, const struct dit_ldif_reader_opts *opts)
{
	int r = 0;

	if (!loader->opts->with_memberof && !loader->opts->with_unique) {
		return 0;
	}
	r = check_input(loader);
	return r ?: dit_ldif_reader_open(&loader->ahead.reader, opts, NULL);
}

void dit_load_ahead_deinit(struct loader *loader)
{
	dit_ldif_reader_close(loader->ahead.reader);
	dit_overlays_free(loader->ahead.overlays);
	dit_overlay_rules_deinit(&loader->ahead.rules);
}

/* ---- a batch ---- */

static int take_item(struct load_slot *slot, const struct dit_overlay_item *item)
{
	struct dit_overlay_item copy = *item;

	if (copy.other_dn.data != NULL) {
		copy.other_dn = dit_arena_copy(&slot->asked.names, copy.other_dn);
		if (copy.other_dn.data == NULL) {
			return -ENOMEM;
		}
	}
	return DIT_APPEND(slot->asked.items, slot->asked.size, slot->asked.n, copy);
}

int dit_load_ahead_begin(struct loader *loader, struct load_slot *slot)
{
	struct load_ahead *ahead = &loader->ahead;
	int r = 0;

	if (ahead->overlays == NULL) {
		return 0;
	}
	if (slot->asked.size == 0) {
		dit_arena_init(&slot->asked.names, ARENA_BYTES);
	}
	dit_arena_reset(&slot->asked.names);
	slot->asked.n = 0;
	slot->asked.first = ahead->nrecords;
	ahead->nrecords += slot->batch.nrecords;
	do {
		if (ahead->has_item && ahead->item.id <= ahead->nrecords) {
			r = take_item(slot, &ahead->item);
			ahead->has_item = false;
		}
		if (r == 0 && !ahead->has_item) {
			r = dit_overlays_next(ahead->overlays, &ahead->item);
			ahead->has_item = r > 0;
		}
	} while (r > 0 && ahead->item.id <= ahead->nrecords);
	return dit_load_sort_fail(loader, r < 0 ? r : 0);
}

void dit_load_ahead_free_slot(struct load_slot *slot)
{
	if (slot->asked.size > 0) {
		dit_arena_deinit(&slot->asked.names);
	}
	free(slot->asked.items);
}

/* ---- an entry ---- */

/* What is asked of a record: n items. */
static const struct dit_overlay_item *find_items(const struct load_slot *slot,
                                                 size_t index, size_t *ret_n)
{
	const struct dit_overlay_item *items = slot->asked.items;
	uint64_t id = slot->asked.first + index + 1;
	size_t low = 0;
	size_t high = slot->asked.n;
	size_t n = 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (items[middle].id < id) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	while (low + n < slot->asked.n && items[low + n].id == id) {
		n++;
	}
	*ret_n = n;
	return items + low;
}

struct filling {
	const struct loader *loader;
	struct load_item *item;
	const struct dit_overlay_item *items;
	size_t nitems;
	struct dit_arena *arena;
};

/* Value number n of the attributes that a rule takes for `member`. */
static struct dit_attr *find_member(const struct dit_memberof_rule *rule,
                                    struct dit_entry *entry, uint32_t *n)
{
	for (uint32_t i = 0; i < entry->nattrs; i++) {
		struct dit_attr *attr = &entry->attrs[i];

		if (!dit_overlays_is_member(rule, attr->ad)) {
			continue;
		}
		if (*n < attr->nvalues) {
			return attr;
		}
		*n -= attr->nvalues;
	}
	return NULL;
}

static void drop_value(struct dit_entry *entry, struct dit_attr *attr, uint32_t n)
{
	size_t nafter = --attr->nvalues - n;

	memmove(attr->values + n, attr->values + n + 1, nafter * sizeof(*attr->values));
	if (attr->normal != NULL) {
		memmove(attr->normal + n, attr->normal + n + 1,
		        nafter * sizeof(*attr->normal));
	}
	if (attr->nvalues == 0) {
		dit_entry_remove(entry, attr);
	}
}

static int refuse(struct load_item *item, const struct dit_ldif_record *record,
                  struct dit_why why)
{
	const struct dit_refusal *refusal = &dit_refusals[why.kind];

	dit_why_set(&item->notes, why);
	dit_notes_add(&item->notes, DIT_REPORT_ERROR, "dn=\"%.*s\" (line=%llu): (%d) %s",
	              DIT_SPAN_ARGS(item->entry.dn.pretty),
	              (unsigned long long)record->line, refusal->code,
	              dit_why_fill(&why, refusal->text, item->notes.arena) ?: "");
	return DIT_E_INVALID;
}

static int refuse_twice(struct load_item *item, const struct dit_ldif_record *record,
                        const struct dit_overlay_item *asked)
{
	for (uint32_t i = 0; i < item->entry.nattrs; i++) {
		const struct dit_attr *attr = &item->entry.attrs[i];
		struct dit_why why = dit_why_value(
			DIT_WHY_NOT_UNIQUE, attr->ad,
			attr->values[asked->number < attr->nvalues ? asked->number : 0],
			asked->number, "");

		if (attr->ad->ordinal == asked->rule) {
			why.detail = asked->other_dn;
			return refuse(item, record, why);
		}
	}
	return 0;
}

/* Dropped from the last one on, so that the numbers of those before it stay. */
static int refuse_or_drop(const struct filling *filling,
                          const struct dit_ldif_record *record)
{
	const struct dit_overlay_rules *rules = &filling->loader->ahead.rules;
	struct load_item *item = filling->item;
	int r = 0;

	for (size_t i = filling->nitems; i > 0 && r == 0; i--) {
		const struct dit_overlay_item *asked = &filling->items[i - 1];
		const struct dit_memberof_rule *rule = NULL;
		struct dit_attr *attr = NULL;
		uint32_t number = asked->number;

		if (asked->kind == DIT_OVERLAY_TWICE) {
			r = refuse_twice(item, record, asked);
		}
		if (asked->kind != DIT_OVERLAY_DANGLING) {
			continue;
		}
		rule = &rules->memberof[asked->rule];
		attr = find_member(rule, &item->entry, &number);
		if (attr != NULL && rule->dangling == DIT_DANGLING_ERROR) {
			r = refuse(item, record,
			           dit_why_value(DIT_WHY_NO_MEMBER, attr->ad,
			                         attr->values[number], number, ""));
		} else if (attr != NULL) {
			drop_value(&item->entry, attr, number);
		}
	}
	return r;
}

/* May an entry of these classes have the attribute? slapd's change would fail. */
static bool may_have(const struct dit_schema *schema, const struct dit_entry *entry,
                     const struct dit_attr_type *type)
{
	const struct dit_attr *classes = dit_entry_find(
		entry, &dit_schema_find_type(schema, DIT_SPAN("objectClass"))->ad);
	bool is_allowed = type->usage != DIT_USAGE_USER;

	for (uint32_t i = 0; classes != NULL && i < classes->nvalues && !is_allowed;
	     i++) {
		const struct dit_class *oc =
			dit_schema_find_class(schema, classes->values[i]);

		is_allowed |=
			strcasecmp(oc == NULL ? "" : oc->name, "extensibleObject") == 0;
		for (size_t k = 0; oc != NULL && oc->must[k] != NULL; k++) {
			is_allowed |= oc->must[k] == type;
		}
		for (size_t k = 0; oc != NULL && oc->may[k] != NULL; k++) {
			is_allowed |= oc->may[k] == type;
		}
	}
	return is_allowed;
}

/* ---- memberships ---- */

static bool is_wanted(const struct dit_overlay_item *asked)
{
	return asked->kind == DIT_OVERLAY_MEMBER || asked->kind == DIT_OVERLAY_MISSING;
}

/* A block at the end of the entry, with room for all groups. */
static struct dit_attr *begin_attr(const struct filling *filling, const struct dit_ad *ad)
{
	size_t room = (filling->nitems + 1) * sizeof(struct dit_span);
	struct dit_attr *attr = dit_entry_add(&filling->item->entry, ad, filling->arena);

	if (attr != NULL) {
		attr->values = dit_arena_alloc(filling->arena, room);
		attr->normal = dit_arena_alloc(filling->arena, room);
	}
	return attr == NULL || attr->values == NULL || attr->normal == NULL ? NULL : attr;
}

static int put_value(const struct filling *filling, const struct dit_ad *ad,
                     struct dit_span value, struct dit_span normal)
{
	struct dit_attr *attr = dit_entry_find(&filling->item->entry, ad);

	attr = attr == NULL ? begin_attr(filling, ad) : attr;
	if (attr == NULL) {
		return -ENOMEM;
	}
	attr->values[attr->nvalues] = value;
	attr->normal[attr->nvalues++] = normal;
	return 0;
}

/* Groups that were there before the entry, or those that came after it. */
static int put_groups(const struct filling *filling, bool is_early,
                      const struct dit_memberof_rule **ret_last)
{
	const struct load_ahead *ahead = &filling->loader->ahead;
	const struct dit_schema *schema = ahead->rules.schema;
	int r = 0;

	for (size_t i = 0; i < filling->nitems && r == 0; i++) {
		const struct dit_overlay_item *asked = &filling->items[i];
		const struct dit_memberof_rule *rule = NULL;
		const struct dit_dn_text *group = NULL;

		if (!is_wanted(asked) || asked->is_early != is_early) {
			continue;
		}
		rule = &ahead->rules.memberof[asked->rule];
		group = dit_overlays_group(ahead->overlays, asked->other);
		if (may_have(schema, &filling->item->entry, rule->memberof->type)) {
			r = put_value(filling, rule->memberof, group->pretty,
			              group->norm);
			*ret_last = rule;
		}
	}
	return r;
}

static void remove_attr(struct dit_entry *entry, const struct dit_ad *ad)
{
	struct dit_attr *attr = dit_entry_find(entry, ad);

	if (attr != NULL) {
		dit_entry_remove(entry, attr);
	}
}

static bool count(const struct filling *filling)
{
	struct load_item *item = filling->item;

	item->nmissing = 0;
	item->nsurplus = 0;
	for (size_t i = 0; i < filling->nitems; i++) {
		item->nmissing += filling->items[i].kind == DIT_OVERLAY_MISSING;
		item->nsurplus += filling->items[i].kind == DIT_OVERLAY_SURPLUS;
	}
	return item->nmissing + item->nsurplus > 0;
}

/* An entry whose memberships agree stays as it is in the input. */
int dit_load_ahead_start(const struct loader *loader, const struct load_slot *slot,
                         size_t index, struct load_item *item, struct dit_arena *arena)
{
	const struct dit_overlay_rules *rules = &loader->ahead.rules;
	struct filling filling = {.loader = loader, .item = item, .arena = arena};
	const struct dit_memberof_rule *last = NULL;
	int r = 0;

	filling.items = find_items(slot, index, &filling.nitems);
	if (filling.nitems == 0) {
		return 0;
	}
	r = refuse_or_drop(&filling, &slot->batch.records[index]);
	if (r < 0 || !count(&filling)) {
		return r;
	}
	for (size_t i = 0; i < rules->nmemberof; i++) {
		remove_attr(&item->entry, rules->memberof[i].memberof);
	}
	return put_groups(&filling, true, &last);
}

/* slapd's change for each group puts modifiersName at the end. */
static int put_modifier(const struct filling *filling,
                        const struct dit_memberof_rule *rule)
{
	const struct dit_schema *schema = filling->loader->reading.context.schema;
	const struct dit_ad *ad =
		&dit_schema_find_type(schema, DIT_SPAN("modifiersName"))->ad;

	if (rule == NULL || rule->dn.data == NULL) {
		return 0;
	}
	remove_attr(&filling->item->entry, ad);
	return put_value(filling, ad, rule->dn, rule->dn_norm);
}

int dit_load_ahead_end(const struct loader *loader, const struct load_slot *slot,
                       size_t index, struct load_item *item, struct dit_arena *arena)
{
	const struct dit_entry_context *context = &loader->reading.context;
	const struct dit_overlay_rules *rules = &loader->ahead.rules;
	struct filling filling = {.loader = loader, .item = item, .arena = arena};
	const struct dit_memberof_rule *last = NULL;
	uint32_t twice = DIT_VALUES_UNIQUE;
	int r = 0;

	if (item->nmissing + item->nsurplus == 0) {
		return 0;
	}
	filling.items = find_items(slot, index, &filling.nitems);
	r = put_groups(&filling, false, &last);
	for (size_t i = 0; i < rules->nmemberof && r == 0; i++) {
		struct dit_attr *attr =
			dit_entry_find(&item->entry, rules->memberof[i].memberof);

		if (attr != NULL && dit_entry_is_sorted(context, attr->ad->type)) {
			attr->is_sorted = true;
			r = dit_attr_sort(attr, arena, &twice);
		}
	}
	return r ?: put_modifier(&filling, last);
}

void dit_load_ahead_tell(const struct loader *loader)
{
	const struct dit_load_stats *stats = loader->stats;
	uint64_t nlate = loader->ahead.overlays == NULL
	                         ? 0
	                         : dit_overlays_nlate(loader->ahead.overlays);

	if (stats->nmemberships_removed > 0) {
		dit_job_report(
			&loader->job, DIT_REPORT_WARNING,
			"%llu values of memberOf in the input name a group that does "
			"not have the entry as a member: they were left out",
			(unsigned long long)stats->nmemberships_removed);
	}
	if (nlate > 0) {
		dit_job_report(
			&loader->job, DIT_REPORT_WARNING,
			"%llu memberships were not made, as the member comes after "
			"its group, and slapd makes none then; \"ditmodify "
			"--memberof\" makes them",
			(unsigned long long)nlate);
	}
}
