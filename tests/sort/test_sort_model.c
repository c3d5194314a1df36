/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The contract of <ditkit/sort.h>, held against a plain array under random operations:
 *
 *   - a view has what was pushed before it was opened, and keeps it: through more pushes,
 *     runs, merges of runs, and the end of pushing;
 *   - a key, a range, and all records are found in it, in order, values combined;
 *   - dit_sorter_next() gives all;
 *   - the number of runs is logarithmic.
 *
 * Shares of 64 KiB and two to four runs per merge make a few thousand records take every
 * path.
 */
#include <endian.h>
#include <strings.h>

#include <ditkit/sort.h>

#include "sort_merges.h"
#include "test.h"

#define VIEWS_MAX 5
#define KEY_MAX   64

enum key_kind {
	SHORT,
	WORDS,
	DEEP
};

struct plan {
	const char *name;
	unsigned nproducers;
	unsigned fan_in;
	unsigned nrecords;
	enum key_kind keys;
	dit_sort_merge_fn merge;
	dit_sort_order_fn order;
};

struct event {
	char key[KEY_MAX];
	size_t key_len;
	unsigned producer;
	unsigned number; /* time */
	char *value;
	size_t value_len;
};

/** The contents of a view: records in order, combined. */
struct model {
	struct dit_sort_record *records; /* keys point into events; values are owned */
	size_t n;
};

struct world {
	const struct plan *plan;
	struct dit_sorter *sorter;
	char *tmpdir;
	struct event *events;
	unsigned nevents; /* pushed so far */
	struct dit_sort_view *views[VIEWS_MAX];
	struct dit_sort_cursor *cursors[VIEWS_MAX];
	struct model models[VIEWS_MAX];
	uint64_t random;
};

static uint64_t next_random(struct world *w)
{
	return test_random(&w->random) >> 11;
}

/** Upper and lower case are equal, Z comes first. */
static int backwards(void *ctx, struct dit_span a, struct dit_span b)
{
	size_t n = a.len < b.len ? a.len : b.len;
	int order = n == 0 ? 0 : strncasecmp(b.data, a.data, n);

	assert_ptr_equal(ctx, &backwards);
	return order != 0 ? order : (b.len > a.len) - (b.len < a.len);
}

static int bytewise(void *ctx, struct dit_span a, struct dit_span b)
{
	size_t n = a.len < b.len ? a.len : b.len;
	int order = n == 0 ? 0 : memcmp(a.data, b.data, n);

	(void)ctx;
	return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

static int compare(const struct plan *plan, struct dit_span a, struct dit_span b)
{
	return plan->order != NULL ? plan->order(&backwards, a, b) : bytewise(NULL, a, b);
}

static size_t make_key(struct world *w, char *key)
{
	uint64_t x = next_random(w);
	size_t len = 0;

	switch (w->plan->keys) {
	case SHORT: /* equal ones, prefixes of others, the empty one */
		len = x % 6;
		for (size_t i = 0; i < len; i++) {
			key[i] = "abAB"[next_random(w) % 4];
		}
		return len;
	case WORDS: /* fences tell nearly all */
		x = x % 100000 * 0x9e3779b97f4a7c15u;
		memcpy(key, &x, sizeof(x));
		return sizeof(x);
	default: /* fences tell nothing: equal for more than eight bytes */
		return (size_t)sprintf(key, "ou=people,uid=%05u,%u", (unsigned)x % 3000,
		                       (unsigned)(x >> 20) % 3);
	}
}

/** The number, and at times more than a block, or more than a whole share. */
static void make_value(struct world *w, struct event *e)
{
	size_t more = 0;

	if (w->plan->merge == merge_sum) {
		uint64_t number = e->number;

		e->value = malloc(sizeof(number));
		assert_non_null(e->value);
		memcpy(e->value, &number, sizeof(number));
		e->value_len = sizeof(number);
		return;
	}
	if (next_random(w) % 500 == 0) {
		more = next_random(w) % 4000;
	} else if (next_random(w) % 4000 == 0) {
		more = 100000;
	}
	e->value = malloc(more + 20);
	assert_non_null(e->value);
	e->value_len = (size_t)sprintf(e->value, "%u,", e->number);
	memset(e->value + e->value_len, '.', more);
	e->value_len += more;
}

static struct dit_span key_of(const struct event *e)
{
	return (struct dit_span){e->key, e->key_len};
}

static void push_one(struct world *w)
{
	struct event *e = &w->events[w->nevents];

	e->number = w->nevents++;
	e->producer = (unsigned)next_random(w) % w->plan->nproducers;
	e->key_len = make_key(w, e->key);
	make_value(w, e);
	assert_int_equal(dit_sorter_push(w->sorter, e->producer, key_of(e),
	                                 (struct dit_span){e->value, e->value_len}),
	                 0);
}

/* ---- the model ---- */

static int compare_events(const void *x, const void *y, void *ctx)
{
	const struct event *a = *(const struct event *const *)x;
	const struct event *b = *(const struct event *const *)y;
	int order = compare(ctx, key_of(a), key_of(b));

	if (order != 0) {
		return order;
	}
	if (a->producer != b->producer) {
		return a->producer < b->producer ? -1 : 1;
	}
	return a->number < b->number ? -1 : 1;
}

/** Combine the values of [events, end), one after the other. */
static struct dit_span fold(const struct plan *plan, const struct event **events,
                            size_t n)
{
	struct dit_span value = {events[0]->value, events[0]->value_len};
	size_t size = 0;
	uint64_t sum = 0;
	char *p = NULL;

	for (size_t i = 0; i < n; i++) {
		size += events[i]->value_len;
	}
	p = malloc(size + sizeof(sum));
	assert_non_null(p);
	if (plan->merge == merge_newer) {
		value = (struct dit_span){events[n - 1]->value, events[n - 1]->value_len};
	}
	for (size_t i = 0, at = 0; i < n; i++) {
		if (plan->merge == merge_sum) {
			sum += events[i]->number;
			memcpy(p, &sum, sizeof(sum));
		} else if (plan->merge == merge_join) {
			memcpy(p + at, events[i]->value, events[i]->value_len);
			at += events[i]->value_len;
			value.len = at;
		} else if (plan->merge == merge_common) {
			size_t k = 0;

			while (k < value.len && k < events[i]->value_len &&
			       value.data[k] == events[i]->value[k]) {
				k++;
			}
			value.len = k;
		}
	}
	if (plan->merge != merge_sum && plan->merge != merge_join) {
		memcpy(p, value.data, value.len);
	}
	value.data = p;
	return value;
}

static void model_make(struct model *model, const struct world *w)
{
	const struct event **sorted = calloc(w->nevents + 1, sizeof(struct event *));
	size_t end = 0;

	assert_non_null(sorted);
	model->records = calloc(w->nevents + 1, sizeof(*model->records));
	model->n = 0;
	assert_non_null(model->records);
	for (unsigned i = 0; i < w->nevents; i++) {
		sorted[i] = &w->events[i];
	}
	qsort_r(sorted, w->nevents, sizeof(struct event *), compare_events,
	        (void *)w->plan);
	for (size_t i = 0; i < w->nevents; i = end) {
		end = i + 1;
		while (w->plan->merge != NULL && end < w->nevents &&
		       compare(w->plan, key_of(sorted[i]), key_of(sorted[end])) == 0) {
			end++;
		}
		model->records[model->n].key = key_of(sorted[i]);
		model->records[model->n++].value = fold(w->plan, sorted + i, end - i);
	}
	free(sorted);
}

static void model_free(struct model *model)
{
	for (size_t i = 0; i < model->n; i++) {
		free((void *)(uintptr_t)model->records[i].value.data);
	}
	free(model->records);
	*model = (struct model){NULL, 0};
}

/** The first record not before a key. */
static size_t model_find(const struct world *w, const struct model *model,
                         struct dit_span key)
{
	size_t i = 0;

	while (i < model->n && compare(w->plan, model->records[i].key, key) < 0) {
		i++;
	}
	return i;
}

/* ---- what is checked of a view ---- */

static void assert_same(const struct dit_sort_record *record,
                        const struct dit_sort_record *expected)
{
	assert_int_equal(record->key.len, expected->key.len);
	if (record->key.len > 0) {
		assert_memory_equal(record->key.data, expected->key.data,
		                    record->key.len);
	}
	assert_int_equal(record->value.len, expected->value.len);
	if (record->value.len > 0) {
		assert_memory_equal(record->value.data, expected->value.data,
		                    record->value.len);
	}
}

/** The cursor gives records [from, to) of the model, and then no more. */
static void assert_gives(struct dit_sort_cursor *cursor, const struct model *model,
                         size_t from, size_t to)
{
	struct dit_sort_record record = {0};

	for (size_t i = from; i < to; i++) {
		assert_int_equal(dit_sort_cursor_next(cursor, &record), 1);
		assert_same(&record, &model->records[i]);
	}
	assert_int_equal(dit_sort_cursor_next(cursor, &record), 0);
	assert_int_equal(dit_sort_cursor_next(cursor, &record), 0);
}

static void check_range(struct world *w, struct dit_sort_cursor *cursor,
                        const struct model *model)
{
	char from[KEY_MAX];
	char to[KEY_MAX];
	struct dit_span a = {from, make_key(w, from)};
	struct dit_span b = {to, make_key(w, to)};
	size_t first = 0;
	size_t end = model->n;

	if (next_random(w) % 4 == 0) {
		a = (struct dit_span){NULL, 0};
	} else {
		first = model_find(w, model, a);
	}
	if (next_random(w) % 4 == 0) {
		b = (struct dit_span){NULL, 0};
	} else {
		end = model_find(w, model, b);
	}
	assert_int_equal(dit_sort_cursor_range(cursor, a, b), 0);
	memset(from, '#', sizeof(from)); /* the bounds were borrowed */
	memset(to, '#', sizeof(to));
	assert_gives(cursor, model, first, end);
}

static void check_get(struct world *w, struct dit_sort_cursor *cursor,
                      const struct model *model)
{
	struct dit_sort_record record = {0};
	char bytes[KEY_MAX];
	struct dit_span key = {bytes, make_key(w, bytes)};
	size_t i = 0;
	size_t end = 0;

	if (next_random(w) % 8 == 0) {
		bytes[key.len++] = '!'; /* one that was not pushed */
	} else if (key.len == 0) {
		key.data = NULL; /* the empty key */
	}
	i = model_find(w, model, key);
	end = i;
	while (end < model->n && compare(w->plan, model->records[end].key, key) == 0) {
		end++;
	}
	assert_int_equal(dit_sort_cursor_get(cursor, key, &record), end > i);
	if (end > i) {
		assert_same(&record, &model->records[i]);
		assert_gives(cursor, model, i + 1, end);
	}
}

static void check_view(struct world *w, unsigned v)
{
	struct dit_span open = {NULL, 0};

	for (unsigned i = 0; i < 20; i++) {
		check_get(w, w->cursors[v], &w->models[v]);
	}
	check_range(w, w->cursors[v], &w->models[v]);
	if (next_random(w) % 3 == 0) {
		assert_int_equal(dit_sort_cursor_range(w->cursors[v], open, open), 0);
		assert_gives(w->cursors[v], &w->models[v], 0, w->models[v].n);
	}
}

static void open_view(struct world *w, unsigned v)
{
	assert_int_equal(dit_sort_view_open(&w->views[v], w->sorter), 0);
	assert_int_equal(dit_sort_cursor_open(&w->cursors[v], w->views[v]), 0);
	model_make(&w->models[v], w);
	if (next_random(w) % 2 == 0) { /* an untouched cursor gives all */
		assert_gives(w->cursors[v], &w->models[v], 0, w->models[v].n);
	}
}

static void close_view(struct world *w, unsigned v)
{
	dit_sort_cursor_close(w->cursors[v]);
	dit_sort_view_close(w->views[v]);
	model_free(&w->models[v]);
	w->cursors[v] = NULL;
	w->views[v] = NULL;
}

static void touch_view(struct world *w)
{
	unsigned v = (unsigned)next_random(w) % VIEWS_MAX;

	if (w->views[v] == NULL) {
		open_view(w, v);
		return;
	}
	check_view(w, v);
	if (next_random(w) % 3 == 0) {
		close_view(w, v);
	}
}

static void check_all(struct world *w)
{
	struct dit_sort_record record = {0};
	struct model model = {0};

	model_make(&model, w);
	for (size_t i = 0; i < model.n; i++) {
		assert_int_equal(dit_sorter_next(w->sorter, &record), 1);
		assert_same(&record, &model.records[i]);
	}
	assert_int_equal(dit_sorter_next(w->sorter, &record), 0);
	model_free(&model);
}

static void world_begin(struct world *w, const struct plan *plan)
{
	struct dit_sorter_opts opts = DIT_SORTER_OPTS_INIT;

	*w = (struct world){.plan = plan, .random = 0x2545f4914f6cdd1du};
	w->tmpdir = test_scratch();
	w->events = calloc(plan->nrecords + 1, sizeof(*w->events));
	assert_non_null(w->events);
	opts.nproducers = plan->nproducers;
	opts.memory_bytes = plan->nproducers * DIT_SORT_SHARE_MIN;
	opts.tmpdir = w->tmpdir;
	opts.merge = plan->merge;
	opts.order = plan->order;
	opts.order_ctx = (void *)&backwards;
	opts.fan_in = plan->fan_in;
	assert_int_equal(dit_sorter_new(&w->sorter, &opts), 0);
}

static void world_end(struct world *w)
{
	for (unsigned v = 0; v < VIEWS_MAX; v++) {
		close_view(w, v);
	}
	dit_sorter_free(w->sorter);
	for (unsigned i = 0; i < w->nevents; i++) {
		free(w->events[i].value);
	}
	free(w->events);
	test_scratch_remove(w->tmpdir);
}

TEST(the_sorter_agrees_with_its_model)
{
	/* as in struct plan */
	/* clang-format off */
	static const struct plan plans[] = {
		{"short keys, all kept", 2, 2, 8000, SHORT, NULL, NULL},
		{"short keys, joined", 3, 3, 5000, SHORT, merge_join, NULL},
		{"words, replaced", 1, 2, 8000, WORDS, merge_newer, NULL},
		{"words, summed up", 2, 4, 12000, WORDS, merge_sum, NULL},
		{"deep keys, joined", 2, 2, 8000, DEEP, merge_join, NULL},
		{"deep keys, common part", 1, 3, 8000, DEEP, merge_common, NULL},
		{"own order, joined", 2, 2, 5000, SHORT, merge_join, backwards},
		{"own order, all kept", 1, 2, 8000, DEEP, NULL, backwards},
	};
	/* clang-format on */

	for (size_t i = 0; i < sizeof(plans) / sizeof(plans[0]); i++) {
		struct world w;

		print_message("  %s\n", plans[i].name);
		world_begin(&w, &plans[i]);
		touch_view(&w); /* of nothing */
		while (w.nevents < plans[i].nrecords) {
			push_one(&w);
			if (next_random(&w) % 60 == 0) {
				touch_view(&w);
			}
		}
		assert_true(dit_sorter_run_bytes(w.sorter) > 0);
		assert_int_equal(dit_sorter_seal(w.sorter), 0);
		for (unsigned k = 0; k < 12; k++) {
			touch_view(&w);
		}
		check_all(&w);
		for (unsigned k = 0; k < 4; k++) {
			touch_view(&w);
		}
		world_end(&w);
	}
}

/* With two runs per merge the runs are the ones of the binary number of all spills. */
TEST(runs_are_merged_while_records_come)
{
	struct dit_sorter_opts opts = DIT_SORTER_OPTS_INIT;
	struct dit_sorter *sorter = NULL;
	char *tmpdir = test_scratch();
	unsigned nspills = 0;

	opts.memory_bytes = DIT_SORT_SHARE_MIN;
	opts.tmpdir = tmpdir;
	opts.fan_in = 2;
	assert_int_equal(dit_sorter_new(&sorter, &opts), 0);
	for (uint32_t i = 0; nspills < 37; i++) {
		uint32_t key = i * 2654435761u;
		uint64_t before = dit_sorter_run_bytes(sorter);

		assert_int_equal(dit_sorter_push(sorter, 0,
		                                 (struct dit_span){(char *)&key, 4},
		                                 DIT_SPAN("value")),
		                 0);
		nspills += dit_sorter_run_bytes(sorter) > before;
		assert_int_equal(dit_sorter_nruns(sorter),
		                 (size_t)__builtin_popcount(nspills));
	}
	dit_sorter_free(sorter);
}

/* A result that grows with each value costs what a balanced tree costs, not a square. */
TEST(growing_values_are_combined_in_pairs)
{
	struct dit_sorter_opts opts = DIT_SORTER_OPTS_INIT;
	struct dit_sort_record record = {0};
	struct dit_sorter *sorter = NULL;

	opts.merge = merge_join;
	opts.memory_bytes = 256u << 20;
	assert_int_equal(dit_sorter_new(&sorter, &opts), 0);
	for (unsigned i = 0; i < 400000; i++) { /* one by one: 0.6 TB copied */
		assert_int_equal(
			dit_sorter_push(sorter, 0, DIT_SPAN("k"), DIT_SPAN("12345678")),
			0);
	}
	assert_int_equal(dit_sorter_seal(sorter), 0);
	assert_int_equal(dit_sorter_next(sorter, &record), 1);
	assert_int_equal(record.value.len, 8 * 400000);
	assert_memory_equal(record.value.data, "1234567812345678", 16);
	dit_sorter_free(sorter);
}
