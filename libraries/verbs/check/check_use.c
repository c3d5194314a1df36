/* SPDX-License-Identifier: BSD-2-Clause */
#include "check/check_use.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "scan/scan_snapshot.h"
#include "values/dn.h"
#include "values/filter.h"

#define ARENA_BYTES 16384

#define NKINDS DIT_CHECK_INDEX_KINDS

static_assert(DIT_CHECK_PRES == DIT_INDEX_PRES && DIT_CHECK_EQ == DIT_INDEX_EQ &&
                      DIT_CHECK_APPROX == DIT_INDEX_APPROX &&
                      DIT_CHECK_SUB == DIT_INDEX_SUB,
              "the public names of kinds mean the same");

/* How many searches; a search counts once, however often it asks. */
struct counter {
	uint64_t n;
	uint64_t last; /* number of the search that was counted last; 0: none */
};

/* Use of one attribute type. */
struct wanted {
	const struct dit_attr_type *type; /* NULL: not searched */
	struct counter kinds[NKINDS];
	struct counter present; /* entries of the sample that have it */
};

struct dit_check_use {
	const struct dit_settings *settings;
	const struct dit_database *db;
	struct dit_check_config told;        /* what is told, without what is missing */
	struct dit_check_index_use *indexes; /* as in db */
	struct counter (*uses)[NKINDS];      /* of each of them */
	struct wanted *wanted;               /* by ordinal of the type */
	size_t nwanted;
	struct dit_check_values *values; /* while there is a sample */
};

static void count(struct counter *counter, uint64_t search)
{
	if (counter->last != search) {
		counter->last = search;
		counter->n++;
	}
}

/* ---- filters ---- */

enum answer {
	ANSWER_NONE, /* every entry in scope is a candidate */
	ANSWER_WEAK, /* nearly every one */
	ANSWER_GOOD,
};

static const struct dit_index_spec *find_spec(const struct dit_check_use *use,
                                              const struct dit_ad *ad)
{
	for (size_t i = 0; i < use->db->nindexes; i++) {
		if (use->db->indexes[i].ad == ad) {
			return &use->db->indexes[i];
		}
	}
	return NULL;
}

/* The index of a description, whatever its kinds. */
static const struct dit_index_spec *index_of(const struct dit_check_use *use,
                                             const struct dit_ad *ad)
{
	const struct dit_index_spec *spec = find_spec(use, ad);

	for (const struct dit_attr_type *type = ad->type; spec == NULL && type != NULL;
	     type = type->sup) {
		spec = find_spec(use, &type->ad);
	}
	return spec;
}

static bool is_class(const struct dit_attr_type *type)
{
	return type->validator == DIT_VALID_CLASS_NAME;
}

/* 0: no index can answer such an item. */
static unsigned kind_of(const struct dit_filter *item)
{
	const struct dit_attr_type *type = item->ad == NULL ? NULL : item->ad->type;

	if (type == NULL || (type->flags & DIT_TYPE_DYNAMIC) != 0) {
		return 0;
	}
	switch (item->kind) {
	case DIT_FILTER_PRESENT:
		return is_class(type) ? 0 : DIT_INDEX_PRES;
	case DIT_FILTER_APPROX:
		return type->approx != NULL ? DIT_INDEX_APPROX : DIT_INDEX_EQ;
	case DIT_FILTER_EQUAL:
	case DIT_FILTER_GREATER:
	case DIT_FILTER_LESS:
		return DIT_INDEX_EQ;
	case DIT_FILTER_SUBSTRINGS:
		return DIT_INDEX_SUB;
	default:
		return 0;
	}
}

static unsigned slot_of(unsigned kind)
{
	return (unsigned)__builtin_ctz(kind);
}

static enum answer answer_item(struct dit_check_use *use, const struct dit_filter *item)
{
	unsigned kind = kind_of(item);
	const struct dit_index_spec *spec = kind == 0 ? NULL : index_of(use, item->ad);

	if (item->kind == DIT_FILTER_UNDEFINED ||
	    (item->kind == DIT_FILTER_EQUAL && kind == 0)) {
		return ANSWER_GOOD; /* no entry; entryDN is found by the tree */
	}
	if (spec == NULL || (spec->kinds & kind) == 0) {
		return ANSWER_NONE;
	}
	count(&use->uses[spec - use->db->indexes][slot_of(kind)], use->told.nsearches);
	return is_class(item->ad->type) ? ANSWER_WEAK : ANSWER_GOOD;
}

/* Filters nest as deeply as dit_filter_read() allows. */
static enum answer answer(struct dit_check_use *use, const struct dit_filter *filter)
{
	bool is_and = filter->kind == DIT_FILTER_AND;
	enum answer result = is_and ? ANSWER_NONE : ANSWER_GOOD;

	if (filter->kind == DIT_FILTER_NOT) {
		return ANSWER_NONE;
	}
	if (!is_and && filter->kind != DIT_FILTER_OR) {
		return answer_item(use, filter);
	}
	for (const struct dit_filter *at = filter->first; at != NULL; at = at->next) {
		enum answer of_child = answer(use, at);

		if (is_and ? of_child > result : of_child < result) {
			result = of_child;
		}
	}
	return result;
}

static int want(struct dit_check_use *use, const struct dit_attr_type *type,
                unsigned kind)
{
	size_t n = (size_t)type->ordinal + 1;

	if (DIT_GROW_CLEARED(use->wanted, use->nwanted, n) < 0) {
		return -ENOMEM;
	}
	use->wanted[n - 1].type = type;
	count(&use->wanted[n - 1].kinds[slot_of(kind)], use->told.nsearches);
	return 0;
}

/* The items that an index could have answered. 1: there are some; 0; -ENOMEM */
static int note_missing(struct dit_check_use *use, const struct dit_filter *filter)
{
	unsigned kind = kind_of(filter);
	const struct dit_index_spec *spec = kind == 0 ? NULL : index_of(use, filter->ad);
	int r = 0;

	if (kind != 0 && (spec == NULL || (spec->kinds & kind) == 0)) {
		r = want(use, filter->ad->type, kind);
		return r < 0 ? r : 1;
	}
	if (filter->kind == DIT_FILTER_AND || filter->kind == DIT_FILTER_OR) {
		for (const struct dit_filter *at = filter->first; at != NULL && r >= 0;
		     at = at->next) {
			int of_child = note_missing(use, at);

			r = of_child != 0 ? of_child : r;
		}
	}
	return r;
}

static int take_search(struct dit_check_use *use, const struct dit_filter *filter)
{
	enum answer result = ANSWER_NONE;
	int r = 0;

	use->told.nsearches++;
	result = answer(use, filter);
	if (result == ANSWER_GOOD) {
		return 0;
	}
	r = note_missing(use, filter);
	use->told.nunindexed += result == ANSWER_NONE || r > 0;
	return r < 0 ? r : 0;
}

/* ---- searches ---- */

struct reader {
	const struct dit_settings *settings;
	struct dit_arena arena; /* of one search */
	struct dit_span base;   /* normal form; data is NULL: not known */
	const struct dit_filter *filter;
};

/* 1: read; 0: it is no filter, or the base no DN; or -ENOMEM. */
static int read_search(struct reader *reader, const struct dit_check_search *search)
{
	struct dit_schema *schema = reader->settings->schema;
	struct dit_filter *filter = NULL;
	struct dit_dn dn;
	int r = 0;

	reader->base = (struct dit_span){0};
	if (search->base.data != NULL) {
		r = dit_dn_parse(schema, search->base, &reader->arena, NULL, &dn);
		if (r == 0) {
			reader->base = dn.nrdns == 0 ? DIT_SPAN("") : dn.norm;
		}
	}
	r = r ?: dit_filter_read(schema, search->filter, &reader->arena, NULL, &filter);
	reader->filter = filter;
	return r == -ENOMEM ? r : r == 0;
}

static bool reaches(const struct reader *reader, const struct dit_database *db)
{
	if (reader->base.data == NULL) {
		return true;
	}
	return db == dit_settings_select(reader->settings, reader->base, false) ||
	       dit_dn_is_below(db->suffix_norm, reader->base);
}

static int give(struct reader *reader, const struct dit_check_search *search,
                struct dit_check_use *use, bool is_read)
{
	if (!is_read) {
		use->told.nunread++;
	} else if (!reaches(reader, use->db)) {
		use->told.nelsewhere++;
	} else if (search->scope == 0) {
		use->told.nbases++;
	} else {
		return take_search(use, reader->filter);
	}
	return 0;
}

int dit_check_searches_read(const struct dit_check_opts *opts,
                            const struct dit_settings *settings,
                            struct dit_check_use **uses, size_t n)
{
	struct reader reader = {.settings = settings};
	struct dit_check_search search;
	int r = 0;

	dit_arena_init(&reader.arena, ARENA_BYTES);
	while (r == 0 && (r = opts->searches(opts->searches_ctx, &search)) > 0) {
		int is_read = 0;

		if (opts->stop != NULL && *opts->stop != 0) {
			r = DIT_E_STOPPED;
			break;
		}
		dit_arena_reset(&reader.arena);
		is_read = read_search(&reader, &search);
		r = is_read < 0 ? is_read : 0;
		for (size_t i = 0; i < n && r == 0; i++) {
			r = give(&reader, &search, uses[i], is_read > 0);
		}
	}
	dit_arena_deinit(&reader.arena);
	return r;
}

/* ---- a sample of the entries ---- */

static bool is_digits(struct dit_span value)
{
	for (size_t i = 0; i < value.len; i++) {
		if (value.data[i] < '0' || value.data[i] > '9') {
			return false;
		}
	}
	return value.len > 0;
}

static void look_at(struct dit_check_use *use, const struct dit_attr_view *attr)
{
	const struct dit_index_spec *spec =
		attr->ad == NULL ? NULL : index_of(use, attr->ad);
	struct dit_check_index_use *index = NULL;

	if (spec == NULL || (spec->kinds & DIT_INDEX_SUB) == 0) {
		return;
	}
	index = &use->indexes[spec - use->db->indexes];
	for (uint32_t i = 0; i < attr->nvalues; i++) {
		index->nvalues++;
		index->ndigits += is_digits(attr->values[i]);
	}
}

static bool is_missing(const struct dit_check_use *use, const struct dit_attr_type *type)
{
	return type->ordinal < use->nwanted && use->wanted[type->ordinal].type != NULL;
}

static int want_sampled(void *ctx, const struct dit_ad *ad)
{
	const struct dit_check_use *use = ctx;

	for (const struct dit_attr_type *type = ad->type; type != NULL;
	     type = type->sup) {
		if (is_missing(use, type)) {
			return 1;
		}
	}
	return dit_check_values_want(use->values, ad);
}

static void note_present(struct dit_check_use *use, const struct dit_attr_view *attr)
{
	const struct dit_attr_type *type = attr->ad == NULL ? NULL : attr->ad->type;

	for (; type != NULL; type = type->sup) {
		if (is_missing(use, type)) {
			count(&use->wanted[type->ordinal].present, use->told.nsampled);
		}
	}
}

static int look(void *ctx, struct dit_scan_range *range,
                const struct dit_entry_view *entry)
{
	struct dit_check_use *use = ctx;
	int r = 0;

	(void)range;
	if (use->told.nsampled == DIT_CHECK_SAMPLE) {
		return DIT_E_STOPPED;
	}
	if (!entry->is_hole && entry->record_error == 0) {
		use->told.nsampled++;
		for (uint32_t i = 0; i < entry->nattrs && r == 0; i++) {
			look_at(use, &entry->attrs[i]);
			note_present(use, &entry->attrs[i]);
			r = entry->attrs[i].ad == NULL
			            ? 0
			            : dit_check_values_try(use->values, &entry->attrs[i]);
		}
	}
	return r;
}

int dit_check_use_sample(struct dit_check_use *use, struct dit_check_sizes *sizes,
                         struct dit_snapshot *snapshot, const struct dit_stop *stop)
{
	static const struct dit_entry_scan_ops ops = {.entry = look};
	struct dit_scan_snapshot_opts opts = {.snapshot = snapshot,
	                                      .schema = use->settings->schema,
	                                      .without_dn = true,
	                                      .wanted = want_sampled,
	                                      .stop = stop};
	struct dit_entry_scan *scan = NULL;
	int r = dit_check_values_new(&use->values, sizes, snapshot, use->settings,
	                             use->db);

	opts.wanted_ctx = use;
	r = r ?: dit_entry_scan_new(&scan, &opts);
	if (r == 0) {
		r = dit_entry_scan_run(scan, &ops, use);
		dit_entry_scan_close(scan);
	}
	dit_check_values_free(use->values);
	use->values = NULL;
	return r == DIT_E_STOPPED && !dit_stop_is_set(stop) ? 0 : r;
}

/* ---- results ---- */

static int compare_missing(const void *a, const void *b)
{
	const struct dit_check_missing *x = a;
	const struct dit_check_missing *y = b;
	int order = (x->nsearches < y->nsearches) - (x->nsearches > y->nsearches);

	order = order ?: strcmp(x->attribute, y->attribute);
	return order != 0 ? order : (x->kind > y->kind) - (x->kind < y->kind);
}

/* An index that has nearly every entry under its key narrows nothing. */
static bool is_of_use(const struct dit_check_use *use, const struct wanted *wanted,
                      unsigned kind)
{
	return kind != slot_of(DIT_INDEX_PRES) || use->told.nsampled < 1000 ||
	       wanted->present.n < use->told.nsampled / 10 * 9;
}

/* Owned by the caller; NULL: no memory. */
static struct dit_check_missing *list_missing(const struct dit_check_use *use,
                                              size_t *ret_n)
{
	struct dit_check_missing *missing =
		calloc(NKINDS * use->nwanted + 1, sizeof(*missing));
	size_t n = 0;

	for (size_t i = 0; i < use->nwanted && missing != NULL; i++) {
		const struct wanted *wanted = &use->wanted[i];

		for (unsigned kind = 0; kind < NKINDS; kind++) {
			if (wanted->kinds[kind].n > 0 && is_of_use(use, wanted, kind)) {
				missing[n++] = (struct dit_check_missing){
					.attribute = wanted->type->name,
					.kind = 1u << kind,
					.nsearches = wanted->kinds[kind].n};
			}
		}
	}
	dit_sort_items(missing, n, sizeof(*missing), compare_missing);
	*ret_n = n;
	return missing;
}

int dit_check_use_tell(struct dit_check_use *use, const char *file,
                       dit_check_config_fn fn, void *ctx)
{
	struct dit_check_config config = use->told;
	struct dit_check_missing *missing = list_missing(use, &config.nmissing);

	if (missing == NULL) {
		return -ENOMEM;
	}
	config.file = file;
	config.missing = missing;
	for (size_t i = 0; i < use->db->nindexes; i++) {
		for (unsigned kind = 0; kind < NKINDS; kind++) {
			use->indexes[i].nuses[kind] = use->uses[i][kind].n;
		}
	}
	fn(ctx, &config);
	free(missing);
	return 0;
}

/* ---- the whole ---- */

static bool is_numeric(const struct dit_attr_type *type)
{
	return type->validator == DIT_VALID_NUMERIC ||
	       type->validator == DIT_VALID_INTEGER;
}

int dit_check_use_new(struct dit_check_use **ret, const struct dit_settings *settings,
                      const struct dit_database *db)
{
	struct dit_check_use *use = calloc(1, sizeof(*use));

	if (use == NULL) {
		return -ENOMEM;
	}
	use->settings = settings;
	use->db = db;
	use->indexes = calloc(db->nindexes + 1, sizeof(*use->indexes));
	use->uses = calloc(db->nindexes + 1, sizeof(*use->uses));
	if (use->indexes == NULL || use->uses == NULL) {
		dit_check_use_free(use);
		return -ENOMEM;
	}
	for (size_t i = 0; i < db->nindexes; i++) {
		const struct dit_index_spec *spec = &db->indexes[i];

		use->indexes[i] = (struct dit_check_index_use){
			.name = spec->ad->name.data,
			.kinds = spec->kinds,
			.is_numeric = is_numeric(spec->ad->type)};
	}
	use->told = (struct dit_check_config){.suffix = db->suffix,
	                                      .maxsize_bytes = db->data.maxsize_bytes,
	                                      .idlexp = settings->idlexp,
	                                      .indexes = use->indexes,
	                                      .nindexes = db->nindexes};
	*ret = use;
	return 0;
}

void dit_check_use_free(struct dit_check_use *use)
{
	if (use != NULL) {
		free(use->indexes);
		free(use->uses);
		free(use->wanted);
		free(use);
	}
}
