/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The promises of sort/postings.h:
 *
 *   - a stream gives every key once, in order, with the IDs that were pushed, each once;
 *   - a list past the limit is a range, and so is a full list that is touched once more
 *     by the entry that filled it;
 *   - neither threads, nor memory, nor runs, nor late IDs, nor how pairs share chunks
 *     change any of that;
 *   - what is held stays within the budget, and is little more than the keys;
 *   - errors stick, damaged runs are found, and nothing stays behind.
 *
 * The model plays the insertions one by one, as slapadd would (storage.md 5.4).
 */
#include "sort/postings.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

#include "base/error.h"
#include "sort/postings_private.h"
#include "test.h"

#define STREAMS_MAX   4
#define PRODUCERS_MAX 64
#define SHARE         65536 /* the smallest share of a producer */
#define TINY_CHUNK    64    /* 12 units: two groups at most */

struct event {
	uint64_t key;
	uint64_t id;
	size_t sequence;
	unsigned stream;
	unsigned producer;
};

struct plan {
	const char *name;
	unsigned nstreams;
	unsigned nproducers;
	size_t memory_bytes;
	uint32_t list_max;
	unsigned nentries;
	unsigned nkeys;     /* different keys */
	unsigned per_entry; /* keys pushed per entry and stream, repeats included */
	unsigned late;      /* one ID in so many comes late; 0: none */
	unsigned fan_in;    /* 0: the usual */
	bool has_threads;
};

struct load {
	const struct plan *plan;
	struct event *events; /* in input order */
	size_t nevents;
	struct dit_postings *postings;
	char *tmpdir;
	uint64_t random;
};

struct job {
	struct load *load;
	unsigned number; /* producer or stream */
	int error;
};

static uint64_t next_random(uint64_t *random)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return *random;
}

/** Odd streams are wide. */
static uint64_t key_of(unsigned stream, uint64_t n)
{
	return stream % 2 == 0 ? (uint32_t)(n * 2654435761u) : n * 0x9e3779b97f4a7c15u;
}

static void add_entry(struct load *load, uint64_t id, unsigned producer)
{
	const struct plan *plan = load->plan;

	for (unsigned s = 0; s < plan->nstreams; s++) {
		for (unsigned i = 0; i < plan->per_entry; i++) {
			uint64_t n = next_random(&load->random) % plan->nkeys;

			/* Half of the keys are frequent: ranges and lists. */
			n = i % 2 == 0 ? n : n % 7;
			load->events[load->nevents] = (struct event){
				.key = key_of(s, n),
				.id = id,
				.sequence = load->nevents,
				.stream = s,
				.producer = producer,
			};
			load->nevents++;
		}
	}
}

/** Make the events; note the late IDs. A hole is filled at most 100 entries later. */
static void make_events(struct load *load)
{
	const struct plan *plan = load->plan;
	uint64_t holes[100] = {0};
	unsigned nholes = 0;

	load->events = calloc((size_t)plan->nentries * plan->nstreams * plan->per_entry,
	                      sizeof(*load->events));
	assert_non_null(load->events);
	for (uint64_t id = 1; id <= plan->nentries; id++) {
		/* Runs of entries go to one producer, as batches do. */
		unsigned producer = (unsigned)(id / 16 * 7 % plan->nproducers);

		if (plan->late > 0 && id < plan->nentries && nholes < 100 &&
		    next_random(&load->random) % plan->late == 0) {
			holes[nholes++] = id;
			continue;
		}
		if (nholes == 100 || id == plan->nentries) {
			for (unsigned i = nholes; i > 0; i--) {
				assert_int_equal(dit_postings_note_late(load->postings,
				                                        holes[i - 1], id),
				                 0);
				add_entry(load, holes[i - 1], producer);
			}
			nholes = 0;
		}
		add_entry(load, id, producer);
	}
}

/** Push the events of one producer, those of one entry and stream in two calls. */
static void *push_events(void *arg)
{
	struct job *job = arg;
	struct load *load = job->load;
	size_t i = 0;

	while (i < load->nevents && job->error == 0) {
		const struct event *e = &load->events[i];
		uint64_t keys[64];
		size_t n = 0;

		while (n < 64 && i + n < load->nevents &&
		       load->events[i + n].id == e->id &&
		       load->events[i + n].stream == e->stream) {
			keys[n] = load->events[i + n].key;
			n++;
		}
		i += n;
		if (e->producer != job->number) {
			continue;
		}
		job->error = dit_postings_push(load->postings, e->producer, e->stream,
		                               e->id, keys, n / 3);
		if (job->error == 0) {
			job->error =
				dit_postings_push(load->postings, e->producer, e->stream,
			                          e->id, keys + n / 3, n - n / 3);
		}
	}
	return NULL;
}

/** Run a function once per producer or stream, at once or one after the other. */
static void run_jobs(struct load *load, void *(*function)(void *), unsigned n)
{
	struct job jobs[PRODUCERS_MAX] = {{0}};
	pthread_t threads[PRODUCERS_MAX];

	for (unsigned i = 0; i < n; i++) {
		jobs[i] = (struct job){.load = load, .number = i};
		if (load->plan->has_threads) {
			assert_int_equal(
				pthread_create(&threads[i], NULL, function, &jobs[i]), 0);
		} else {
			function(&jobs[i]);
		}
	}
	for (unsigned i = 0; i < n; i++) {
		if (load->plan->has_threads) {
			assert_int_equal(pthread_join(threads[i], NULL), 0);
		}
		assert_int_equal(jobs[i].error, 0);
	}
}

static int compare_events(const void *x, const void *y)
{
	const struct event *a = x;
	const struct event *b = y;

	if (a->stream != b->stream) {
		return a->stream < b->stream ? -1 : 1;
	}
	if (a->key != b->key) {
		return a->key < b->key ? -1 : 1;
	}
	return a->sequence < b->sequence ? -1 : a->sequence > b->sequence;
}

static int compare_ids(const void *x, const void *y)
{
	uint64_t a = *(const uint64_t *)x;
	uint64_t b = *(const uint64_t *)y;

	return (a > b) - (a < b);
}

static bool has_id(const uint64_t *ids, size_t n, uint64_t id)
{
	for (size_t i = n; i > 0; i--) {
		if (ids[i - 1] == id) {
			return true;
		}
	}
	return false;
}

/**
 * Insert the IDs of the first key one by one.
 *
 * @param ids  list_max + 3 long; becomes the list, or 0, lowest, highest
 * @return the number of events used
 */
static size_t model_list(const struct load *load, const struct event *events, size_t n,
                         uint64_t *ids, size_t *nids)
{
	bool is_range = false;
	size_t i = 0;

	*nids = 0;
	for (i = 0; i < n && events[i].stream == events[0].stream &&
	            events[i].key == events[0].key;
	     i++) {
		uint64_t id = events[i].id;

		if (!is_range && *nids >= load->plan->list_max) {
			qsort(ids, *nids, sizeof(*ids), compare_ids);
			ids[2] = ids[*nids - 1];
			ids[1] = ids[0];
			ids[0] = 0;
			*nids = 3;
			is_range = true;
		}
		if (is_range) {
			ids[1] = id < ids[1] ? id : ids[1];
			ids[2] = id > ids[2] ? id : ids[2];
		} else if (!has_id(ids, *nids, id)) {
			ids[(*nids)++] = id;
		}
	}
	if (!is_range) {
		qsort(ids, *nids, sizeof(*ids), compare_ids);
	}
	return i;
}

#define BATCH_MAX 7

/** Lists one by one from batches of 1 to BATCH_MAX: a list is looked at after others of
 * its batch were made. */
struct lists {
	struct dit_posting_cursor *cursor;
	struct dit_posting_list batch[BATCH_MAX];
	ptrdiff_t n;
	ptrdiff_t at;
	size_t max;
};

/** NULL: there is none */
static const struct dit_posting_list *next_list(struct lists *lists)
{
	if (lists->at == lists->n) {
		lists->max = lists->max % BATCH_MAX + 1;
		lists->at = 0;
		lists->n =
			dit_posting_cursor_next(lists->cursor, lists->batch, lists->max);
	}
	return lists->n <= 0 ? NULL : &lists->batch[lists->at++];
}

/** Compare one stream with the model. Events are sorted by now. */
static void *check_stream(void *arg)
{
	struct job *job = arg;
	struct load *load = job->load;
	uint64_t *ids = calloc((size_t)load->plan->list_max + 3, sizeof(*ids));
	struct lists lists = {0};
	size_t i = 0;

	job->error = dit_posting_cursor_open(&lists.cursor, load->postings, job->number,
	                                     false);
	while (job->error == 0 && i < load->nevents) {
		const struct dit_posting_list *list = NULL;
		size_t nids = 0;

		if (load->events[i].stream != job->number) {
			i++;
			continue;
		}
		list = next_list(&lists);
		if (list == NULL || list->ordinal != load->events[i].key) {
			job->error = -1;
			break;
		}
		i += model_list(load, load->events + i, load->nevents - i, ids, &nids);
		if (nids != list->nids ||
		    memcmp(ids, list->ids, nids * sizeof(*ids)) != 0) {
			job->error = -2;
		}
	}
	if (job->error == 0 && (next_list(&lists) != NULL || lists.n != 0)) {
		job->error = -3;
	}
	dit_posting_cursor_close(lists.cursor);
	free(ids);
	return NULL;
}

static void load_begin(struct load *load, const struct plan *plan)
{
	static const bool is_64bit[STREAMS_MAX] = {false, true, false, true};
	struct dit_postings_opts opts = {
		.nstreams = plan->nstreams,
		.is_64bit = is_64bit,
		.nproducers = plan->nproducers,
		.memory_bytes = plan->memory_bytes,
		.list_max = plan->list_max,
	};

	*load = (struct load){.plan = plan, .random = 88172645463325252u};
	load->tmpdir = test_scratch();
	opts.tmpdir = load->tmpdir;
	assert_int_equal(dit_postings_new(&load->postings, &opts), 0);
	if (plan->fan_in > 0) {
		load->postings->fan_in = plan->fan_in;
	}
	make_events(load);
}

/** The smallest chunks there can be: hardly a push that fits into one. */
static void use_tiny_chunks(struct load *load)
{
	for (unsigned i = 0; i < load->plan->nproducers; i++) {
		dit_chunk_pool_init(&load->postings->producers[i]->pool, TINY_CHUNK);
	}
}

static void load_end(struct load *load)
{
	dit_postings_free(load->postings);
	free(load->events);
	test_scratch_remove(load->tmpdir);
}

static void assert_directory_empty(const char *path)
{
	DIR *dir = opendir(path);

	assert_non_null(dir);
	for (struct dirent *d = readdir(dir); d != NULL; d = readdir(dir)) {
		assert_int_equal(d->d_name[0], '.');
	}
	closedir(dir);
}

/* as in struct plan */
/* clang-format off */
static const struct plan plans[] = {
	{"nothing at all", 2, 1, SHARE, 3, 0, 1, 1, 0, 0, false},
	{"one entry", 1, 1, SHARE, 1, 1, 10, 4, 0, 0, false},
	{"in memory", 2, 1, 64 << 20, 5, 3000, 900, 10, 0, 0, false},
	{"in memory, lists of one", 1, 2, 64 << 20, 1, 500, 40, 5, 0, 0, false},
	{"in memory, two producers", 2, 2, 64 << 20, 5, 3000, 900, 10, 0, 0, true},
	{"in memory, seven producers", 4, 7, 64 << 20, 10, 2000, 900, 10, 9, 0, true},
	{"in memory, late IDs", 2, 3, 64 << 20, 4, 1500, 1500, 4, 3, 0, false},
	{"runs", 2, 1, SHARE, 3, 3000, 4000, 10, 0, 0, false},
	{"runs, long lists", 1, 2, 2 * SHARE, 4000, 6000, 20, 6, 0, 0, true},
	{"runs, cascades", 2, 2, 2 * SHARE, 10, 8000, 3000, 10, 0, 2, true},
	{"runs, late IDs", 2, 3, 3 * SHARE, 6, 6000, 6000, 6, 5, 3, true},
	{"many producers", 1, 64, 64 * SHARE, 8, 8000, 500, 20, 0, 0, false},
	{"many streams for the memory", 4, 1, SHARE, 7, 2000, 50, 20, 4, 4, false},
};
/* clang-format on */

/** Push by plan, seal, compare all streams with the model. */
static void play_plan(const struct plan *plan, bool has_tiny_chunks)
{
	struct dit_postings_stats stats = {0};
	struct load load;

	print_message("  %s\n", plan->name);
	load_begin(&load, plan);
	if (has_tiny_chunks) {
		use_tiny_chunks(&load);
	}
	run_jobs(&load, push_events, plan->nproducers);
	assert_int_equal(dit_postings_seal(load.postings), 0);
	assert_directory_empty(load.tmpdir);
	qsort(load.events, load.nevents, sizeof(*load.events), compare_events);
	run_jobs(&load, check_stream, plan->nstreams);
	dit_postings_stats(load.postings, &stats);
	assert_int_equal(stats.npushed, load.nevents);
	assert_int_equal(stats.nruns > 0, stats.run_bytes > 0);
	if (strncmp(plan->name, "runs", 4) == 0) {
		assert_true(stats.nruns > 1);
	}
	load_end(&load);
}

static void all_streams_hold_what_was_pushed(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(plans) / sizeof(plans[0]); i++) {
		play_plan(&plans[i], false);
	}
}

static void pushes_may_be_split_among_chunks(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(plans) / sizeof(plans[0]); i++) {
		play_plan(&plans[i], true);
	}
}

/* Some IDs and how many keys each brings; see groups_hold_any_ids_and_any_number(). */
struct push {
	uint64_t id;
	unsigned nkeys;
};

/** Push to one stream, all keys of an ID in one call. */
static void push_and_note(struct load *load, unsigned stream, const struct push *push)
{
	uint64_t *keys = calloc(push->nkeys, sizeof(*keys));

	assert_non_null(keys);
	load->events = reallocarray(load->events, load->nevents + push->nkeys,
	                            sizeof(*load->events));
	assert_non_null(load->events);
	for (unsigned i = 0; i < push->nkeys; i++) {
		keys[i] = key_of(stream, i);
		load->events[load->nevents] = (struct event){.key = keys[i],
		                                             .id = push->id,
		                                             .sequence = load->nevents,
		                                             .stream = stream};
		load->nevents++;
	}
	assert_int_equal(
		dit_postings_push(load->postings, 0, stream, push->id, keys, push->nkeys),
		0);
	free(keys);
}

/* 2^20 - 1 is the largest distance, 4095 the largest number of keys of a group. */
static void groups_hold_any_ids_and_any_number_of_keys(void **state)
{
	/* clang-format off */
	static const struct {
		const char *name;
		struct push pushes[8];
	} cases[] = {
		{"ascending", {{1, 3}, {2, 1}, {3, 2}, {7, 5}}},
		{"equal", {{5, 2}, {5, 3}, {5, 1}}},
		{"descending", {{9, 3}, {8, 3}, {2, 1}, {1, 4}}},
		{"up and down", {{9, 3}, {12, 3}, {11, 1}, {11, 4}, {12, 2}, {1, 1}}},
		{"far, first", {{1048575, 2}, {2097150, 2}, {2097151, 1}}},
		{"too far, first", {{1048576, 2}, {2097152, 2}, {2097153, 1}}},
		{"as far as can be", {{1, 2}, {UINT32_MAX, 3}, {1, 1}, {UINT32_MAX, 1}}},
		{"many keys", {{1, 4094}, {2, 4095}, {3, 4096}, {4, 1}}},
		{"very many keys", {{1, 8190}, {2, 8191}, {9, 40000}, {8, 12286}, {9, 1}}},
	};
	/* clang-format on */
	static const struct plan plan = {"groups", 2, 1, 64 << 20, 60,   0,
	                                 1,        1, 0, 0,        false};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		struct load load;

		print_message("  %s\n", cases[i / 2].name);
		load_begin(&load, &plan);
		if (i % 2 == 1) {
			use_tiny_chunks(&load);
		}
		for (const struct push *p = cases[i / 2].pushes; p->nkeys > 0; p++) {
			push_and_note(&load, 0, p);
			push_and_note(&load, 1, p);
		}
		assert_int_equal(dit_postings_seal(load.postings), 0);
		qsort(load.events, load.nevents, sizeof(*load.events), compare_events);
		run_jobs(&load, check_stream, 2);
		load_end(&load);
	}
}

static void wide_streams_hold_ids_of_48_bits(void **state)
{
	static const struct push pushes[] = {
		{((uint64_t)1 << 32) - 1, 2}, {(uint64_t)1 << 32, 3},
		{((uint64_t)1 << 48) - 1, 9}, {1, 4},
		{((uint64_t)1 << 47) + 5, 1},
	};
	static const struct plan plan = {"48 bits", 2, 1, SHARE, 60,   0,
	                                 1,         1, 0, 0,     false};

	(void)state;
	for (unsigned has_tiny_chunks = 0; has_tiny_chunks < 2; has_tiny_chunks++) {
		struct load load;

		load_begin(&load, &plan);
		if (has_tiny_chunks == 1) {
			use_tiny_chunks(&load);
		}
		for (size_t i = 0; i < sizeof(pushes) / sizeof(pushes[0]); i++) {
			push_and_note(&load, 1, &pushes[i]);
		}
		assert_int_equal(dit_postings_seal(load.postings), 0);
		qsort(load.events, load.nevents, sizeof(*load.events), compare_events);
		run_jobs(&load, check_stream, 2);
		load_end(&load);
	}
}

static void stream_counts_add_up(void **state)
{
	static const struct plan plan = {"counts", 2, 2, 64 << 20, 3,    100,
	                                 10,       5, 0, 0,        false};
	struct load load;

	(void)state;
	load_begin(&load, &plan);
	run_jobs(&load, push_events, 2);
	assert_int_equal(dit_postings_seal(load.postings), 0);
	assert_int_equal(dit_postings_stream_npushed(load.postings, 0), 500);
	assert_int_equal(dit_postings_stream_npushed(load.postings, 1), 500);
	load_end(&load);
}

/* The corner of storage.md 5.4, spelled out: three IDs fill the list. */
static void full_lists_collapse_when_touched_again(void **state)
{
	static const struct {
		const char *name;
		uint64_t ids[6];
		size_t nids;
		uint64_t late; /* this ID counts as inserted before late_next */
		uint64_t late_next;
		uint64_t expected[3];
	} cases[] = {
		{"exactly full", {2, 5, 7}, 3, 0, 0, {2, 5, 7}},
		{"early repeat", {2, 2, 5, 7}, 4, 0, 0, {2, 5, 7}},
		{"repeat in the middle", {2, 5, 5, 5, 7}, 5, 0, 0, {2, 5, 7}},
		{"repeat of the last", {2, 5, 7, 7}, 4, 0, 0, {0, 2, 7}},
		{"one too many", {2, 5, 7, 9}, 4, 0, 0, {0, 2, 9}},
		{"late one is last", {2, 2, 5, 7}, 4, 2, 8, {0, 2, 7}},
		{"late one is second to last", {2, 2, 5, 7}, 4, 2, 7, {2, 5, 7}},
		{"late one fills, high one repeats", {2, 5, 7, 7}, 4, 2, 8, {2, 5, 7}},
		{"late one fits in", {2, 5, 7, 7}, 4, 2, 5, {0, 2, 7}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		static const struct plan plan = {"corner", 2, 1, SHARE, 3,    0,
		                                 1,        1, 0, 0,     false};
		uint64_t key = 77;
		struct load load;

		print_message("  %s\n", cases[i].name);
		load_begin(&load, &plan);
		if (cases[i].late > 0) {
			assert_int_equal(dit_postings_note_late(load.postings,
			                                        cases[i].late,
			                                        cases[i].late_next),
			                 0);
		}
		for (unsigned k = 0; k < 2 * cases[i].nids; k++) {
			assert_int_equal(dit_postings_push(load.postings, 0, k % 2,
			                                   cases[i].ids[k / 2], &key, 1),
			                 0);
		}
		assert_int_equal(dit_postings_seal(load.postings), 0);
		for (unsigned s = 0; s < 2; s++) {
			struct dit_posting_cursor *cursor = NULL;
			struct dit_posting_list list = {0};

			assert_int_equal(
				dit_posting_cursor_open(&cursor, load.postings, s, false),
				0);
			assert_int_equal(dit_posting_cursor_next(cursor, &list, 1), 1);
			assert_int_equal(list.nids, 3);
			assert_memory_equal(list.ids, cases[i].expected, 24);
			dit_posting_cursor_close(cursor);
		}
		load_end(&load);
	}
}

/** Where all is in memory, lists come many at a time, up to a range, whose IDs have no
 * place of their own. */
static void lists_in_memory_come_in_batches(void **state)
{
	static const struct plan plan = {"batch", 2, 1, SHARE, 3, 0, 1, 1, 0, 0, false};
	static const size_t want[] = {4, 5, 1, 0};
	struct dit_posting_cursor *cursor = NULL;
	struct dit_posting_list lists[5];
	struct load load;

	(void)state;
	load_begin(&load, &plan);
	/* Keys 0 to 9; key 3 has four IDs, which make a range. Key 6 is twice in an
	 * entry. */
	for (uint64_t key = 0; key < 10; key++) {
		for (uint64_t id = 1; id <= (key == 3 ? 4 : 2); id++) {
			uint64_t keys[] = {key, key};

			assert_int_equal(dit_postings_push(load.postings, 0, 0, id, keys,
			                                   key == 6 ? 2 : 1),
			                 0);
		}
	}
	assert_int_equal(dit_postings_seal(load.postings), 0);
	assert_int_equal(dit_posting_cursor_open(&cursor, load.postings, 0, true), 0);
	for (size_t i = 0, key = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		assert_int_equal(dit_posting_cursor_next(cursor, lists, 5), want[i]);
		for (size_t k = 0; k < want[i]; k++, key++) {
			assert_int_equal(lists[k].ordinal, key);
			assert_int_equal(lists[k].nids, key == 3 ? 3 : 2);
			assert_int_equal(lists[k].ids[0], key == 3 ? 0 : 1);
			assert_int_equal(lists[k].is_repeated, key == 6);
		}
	}
	dit_posting_cursor_close(cursor);
	load_end(&load);
}

static void late_ids_keep_their_input_order(void **state)
{
	/* 3 and 2 both took a hole before 9 came: 2 was the last. */
	static const uint64_t order[] = {3, 2};
	uint64_t key = 1;

	(void)state;
	for (unsigned repeated = 2; repeated <= 3; repeated++) {
		static const struct plan plan = {"late", 1, 1, SHARE, 2,    0,
		                                 1,      1, 0, 0,     false};
		struct dit_posting_cursor *cursor = NULL;
		struct dit_posting_list list = {0};
		struct load load;

		load_begin(&load, &plan);
		for (unsigned i = 0; i < 2; i++) {
			assert_int_equal(
				dit_postings_note_late(load.postings, order[i], 9), 0);
			for (unsigned k = 0; k < (order[i] == repeated ? 2 : 1); k++) {
				assert_int_equal(dit_postings_push(load.postings, 0, 0,
				                                   order[i], &key, 1),
				                 0);
			}
		}
		assert_int_equal(dit_postings_seal(load.postings), 0);
		assert_int_equal(
			dit_posting_cursor_open(&cursor, load.postings, 0, false), 0);
		assert_int_equal(dit_posting_cursor_next(cursor, &list, 1), 1);
		assert_int_equal(list.ids[0] == 0, repeated == 2);
		dit_posting_cursor_close(cursor);
		load_end(&load);
	}
}

static void options_out_of_range_are_refused(void **state)
{
	struct dit_postings_opts good = {.nproducers = 2,
	                                 .memory_bytes = 2 * SHARE,
	                                 .tmpdir = test_tmp_dir(),
	                                 .list_max = 3};
	struct dit_postings_opts bad = good;
	struct dit_postings *postings = NULL;

	(void)state;
	bad.nproducers = 0;
	assert_int_equal(dit_postings_new(&postings, &bad), -EINVAL);
	bad = good;
	bad.memory_bytes--;
	assert_int_equal(dit_postings_new(&postings, &bad), -EINVAL);
	bad = good;
	bad.list_max = 0;
	assert_int_equal(dit_postings_new(&postings, &bad), -EINVAL);
	assert_int_equal(dit_postings_new(&postings, &good), 0);
	dit_postings_free(postings);
	dit_postings_free(NULL);
}

static void ids_out_of_range_are_refused_and_the_error_sticks(void **state)
{
	static const struct {
		unsigned stream;
		uint64_t id;
		int error;
	} cases[] = {
		{0, 0, -EINVAL},
		{0, UINT32_MAX, 0},
		{0, (uint64_t)UINT32_MAX + 1, -EOVERFLOW},
		{1, (uint64_t)UINT32_MAX + 1, 0},
		{1, ((uint64_t)1 << 48) - 1, 0},
		{1, (uint64_t)1 << 48, -EOVERFLOW},
	};
	static const struct plan plan = {"ids", 2, 2, 2 * SHARE, 3, 0, 1, 1, 0, 0, false};
	uint64_t key = 5;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct load load;

		load_begin(&load, &plan);
		assert_int_equal(dit_postings_push(load.postings, 0, cases[i].stream,
		                                   cases[i].id, &key, 1),
		                 cases[i].error);
		assert_int_equal(dit_postings_push(load.postings, 0, 0, 1, &key, 1),
		                 cases[i].error);
		assert_int_equal(dit_postings_push(load.postings, 1, 0, 1, &key, 1), 0);
		assert_int_equal(dit_postings_seal(load.postings), cases[i].error);
		load_end(&load);
	}
}

static void a_stream_opens_once_and_only_after_seal(void **state)
{
	static const struct plan plan = {"open", 1, 1, SHARE, 3, 10, 5, 1, 0, 0, false};
	struct dit_posting_cursor *cursor = NULL;
	struct load load;

	(void)state;
	load_begin(&load, &plan);
	assert_int_equal(dit_posting_cursor_open(&cursor, load.postings, 0, false),
	                 -EINVAL);
	run_jobs(&load, push_events, 1);
	assert_int_equal(dit_postings_seal(load.postings), 0);
	assert_int_equal(dit_posting_cursor_open(&cursor, load.postings, 1, false),
	                 -EINVAL);
	assert_int_equal(dit_posting_cursor_open(&cursor, load.postings, 0, false), 0);
	dit_posting_cursor_close(cursor);
	assert_int_equal(dit_posting_cursor_open(&cursor, load.postings, 0, false),
	                 -EINVAL);
	dit_posting_cursor_close(NULL);
	load_end(&load);
}

/** Push until something happens. */
static int push_much(struct dit_postings *postings)
{
	uint64_t keys[64];
	int r = 0;

	for (uint64_t id = 1; id < 2000 && r == 0; id++) {
		for (unsigned i = 0; i < 64; i++) {
			keys[i] = (uint32_t)((id * 64 + i) * 2654435761u);
		}
		r = dit_postings_push(postings, 0, 0, id, keys, 64);
	}
	return r;
}

static void a_missing_directory_is_reported_when_a_run_is_due(void **state)
{
	static const struct plan plan = {"missing", 1, 1, SHARE, 3, 0, 1, 1, 0, 0, false};
	struct load load;

	(void)state;
	load_begin(&load, &plan);
	load.postings->tmpdir[strlen(load.postings->tmpdir) - 1] = '/'; /* cut the name */
	load.postings->tmpdir[strlen(load.postings->tmpdir) - 2] = '!';
	assert_int_equal(push_much(load.postings), -ENOENT);
	assert_int_equal(push_much(load.postings), -ENOENT);
	assert_int_equal(dit_postings_seal(load.postings), -ENOENT);
	load_end(&load);
}

/* A limit of the file size stands in for a full disk: write() fails half-way. */
static void a_full_disk_is_reported(void **state)
{
	static const struct plan plan = {"full", 1, 1, SHARE, 3, 0, 1, 1, 0, 2, false};
	struct rlimit old = {0};
	struct rlimit limit = {0};

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	assert_true(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
	/* Too small for the first run; then for a run that is merged of two. */
	for (rlim_t size = 4096; size <= 32768; size *= 8) {
		struct load load;
		int r = 0;

		load_begin(&load, &plan);
		limit = old;
		limit.rlim_cur = size;
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
		r = push_much(load.postings);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
		assert_int_equal(r, -EFBIG);
		assert_int_equal(load.postings->producers[0]->nruns_written > 0,
		                 size > 4096);
		assert_int_equal(dit_postings_seal(load.postings), -EFBIG);
		load_end(&load);
	}
	assert_true(signal(SIGXFSZ, SIG_DFL) != SIG_ERR);
}

/** Read a stream to its end. @return 0 or the error */
static int read_all(struct dit_postings *postings)
{
	struct dit_posting_cursor *cursor = NULL;
	struct dit_posting_list list = {0};
	int r = dit_posting_cursor_open(&cursor, postings, 0, false);

	while (r == 0) {
		r = (int)dit_posting_cursor_next(cursor, &list, 1);
		if (r <= 0) {
			break;
		}
		r = 0;
	}
	dit_posting_cursor_close(cursor);
	return r;
}

static void damaged_runs_are_found(void **state)
{
	static const struct plan plan = {"damage", 1, 1, SHARE, 3, 0, 1, 1, 0, 0, false};

	(void)state;
	/* Head and payload of the first block, then bytes of later blocks. */
	for (off_t at = 0; at < 6000; at += at < 40 ? 1 : 397) {
		const struct dit_posting_run *run = NULL;
		struct load load;
		char byte = 0;

		load_begin(&load, &plan);
		assert_int_equal(push_much(load.postings), 0);
		assert_int_equal(dit_postings_seal(load.postings), 0);
		assert_true(load.postings->producers[0]->nruns >= 2);
		run = load.postings->producers[0]->runs[1];
		assert_int_equal(pread(run->fd, &byte, 1, at), 1);
		byte ^= 0x10;
		assert_int_equal(pwrite(run->fd, &byte, 1, at), 1);
		assert_int_equal(read_all(load.postings), DIT_E_CORRUPT);
		load_end(&load);
	}
}

static void blocks_that_changed_places_are_found(void **state)
{
	static const struct plan plan = {"places", 1, 1, SHARE, 3, 0, 1, 1, 0, 0, false};
	char blocks[2][1024];
	struct load load;
	int fd = -1;

	(void)state;
	load_begin(&load, &plan);
	assert_int_equal(push_much(load.postings), 0);
	assert_int_equal(dit_postings_seal(load.postings), 0);
	assert_int_equal(load.postings->block_bytes, sizeof(blocks[0]));
	fd = load.postings->producers[0]->runs[0]->fd;
	assert_int_equal(pread(fd, blocks, sizeof(blocks), 1024), sizeof(blocks));
	assert_int_equal(pwrite(fd, blocks[1], 1024, 1024), 1024);
	assert_int_equal(pwrite(fd, blocks[0], 1024, 2048), 1024);
	assert_int_equal(read_all(load.postings), DIT_E_CORRUPT);
	load_end(&load);
}

static void cut_and_closed_runs_are_found(void **state)
{
	static const struct plan plan = {"cut", 1, 1, SHARE, 3, 0, 1, 1, 0, 0, false};
	struct load load;

	(void)state;
	load_begin(&load, &plan);
	assert_int_equal(push_much(load.postings), 0);
	assert_int_equal(dit_postings_seal(load.postings), 0);
	assert_int_equal(ftruncate(load.postings->producers[0]->runs[0]->fd, 5000), 0);
	assert_int_equal(read_all(load.postings), DIT_E_CORRUPT);
	load_end(&load);

	load_begin(&load, &plan);
	assert_int_equal(push_much(load.postings), 0);
	assert_int_equal(dit_postings_seal(load.postings), 0);
	assert_int_equal(close(load.postings->producers[0]->runs[0]->fd), 0);
	load.postings->producers[0]->runs[0]->fd = -1;
	assert_int_equal(read_all(load.postings), -EBADF);
	load_end(&load);
}

static void damage_is_found_while_runs_are_merged(void **state)
{
	static const struct plan plan = {"merge", 1, 1, SHARE, 3, 0, 1, 1, 0, 8, false};
	struct load load;
	char byte = 0;
	int r = 0;

	(void)state;
	load_begin(&load, &plan);
	for (uint64_t id = 1; r == 0 && id < 100000; id++) {
		const struct dit_producer *p = load.postings->producers[0];
		uint64_t keys[32];

		for (unsigned i = 0; i < 32; i++) {
			keys[i] = (uint32_t)((id * 32 + i) * 2654435761u);
		}
		r = dit_postings_push(load.postings, 0, 0, id, keys, 32);
		if (p->nruns == 1 && byte == 0) {
			byte = 1;
			assert_int_equal(pwrite(p->runs[0]->fd, "?", 1, 3000), 1);
		}
	}
	assert_int_equal(r, DIT_E_CORRUPT);
	assert_int_equal(dit_postings_seal(load.postings), DIT_E_CORRUPT);
	load_end(&load);
}

static void memory_stays_within_the_budget(void **state)
{
	static const struct plan plan = {"memory", 4, 2, 8 << 20, 30,   40000,
	                                 9000,     4, 0, 0,       false};
	struct dit_postings_stats stats = {0};
	struct load load;

	(void)state;
	load_begin(&load, &plan);
	run_jobs(&load, push_events, 2);
	dit_postings_stats(load.postings, &stats);
	assert_true(stats.nruns >= 1);
	assert_true(stats.memory_bytes <= plan.memory_bytes + 2 * (256 << 10));
	assert_int_equal(dit_postings_seal(load.postings), 0);
	qsort(load.events, load.nevents, sizeof(*load.events), compare_events);
	run_jobs(&load, check_stream, 4);
	dit_postings_stats(load.postings, &stats);
	assert_true(stats.memory_bytes <= plan.memory_bytes);
	load_end(&load);
}

/** Push an entry: distinct keys, the same number to each of some streams. */
static void push_entry(struct load *load, unsigned first, unsigned step, uint64_t id,
                       unsigned nkeys)
{
	uint64_t keys[64];

	for (unsigned s = first; s < load->plan->nstreams; s += step) {
		for (unsigned i = 0; i < nkeys; i++) {
			keys[i] = key_of(s, id * 64 + i);
		}
		assert_int_equal(dit_postings_push(load->postings, 0, s, id, keys, nkeys),
		                 0);
	}
}

/* Odd streams are wide. Half a chunk of each stream may be empty. */
static void pairs_waiting_are_little_more_than_keys(void **state)
{
	static const struct {
		unsigned first;
		unsigned nkeys;
		double expected; /* bytes a pair */
	} cases[] = {
		{0, 1, 8.0},  {0, 10, 4.4}, {0, 50, 4.08},
		{1, 1, 12.0}, {1, 10, 8.4}, {1, 50, 8.08},
	};
	static const struct plan plan = {"compact", 4, 1, 256 << 20, 60,   0,
	                                 1,         1, 0, 0,         false};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dit_postings_stats stats = {0};
		uint64_t nentries = 1000000 / cases[i].nkeys;
		double each = 0;
		struct load load;

		load_begin(&load, &plan);
		for (uint64_t id = 1; id <= nentries; id++) {
			push_entry(&load, cases[i].first, 2, id, cases[i].nkeys);
		}
		dit_postings_stats(load.postings, &stats);
		each = (double)stats.memory_bytes / (double)stats.npushed;
		print_message("  %u keys: %.2f bytes\n", cases[i].nkeys, each);
		assert_int_equal(stats.nruns, 0);
		assert_true(each >= cases[i].expected && each < cases[i].expected + 0.1);
		load_end(&load);
	}
}

/** Memory held but for the buffer that runs are written through. */
static size_t held_bytes(const struct load *load)
{
	struct dit_postings_stats stats = {0};

	dit_postings_stats(load->postings, &stats);
	return stats.memory_bytes -
	       load->postings->producers[0]->writer.buffer.size_bytes;
}

/* Chunks and scratch together, after each push; and the share is made use of. */
static void a_share_is_used_up_but_not_exceeded(void **state)
{
	static const struct {
		const char *name;
		unsigned nstreams;
		unsigned first;
		unsigned step;
		unsigned nkeys;
		unsigned cost; /* of a pair, in bytes: units and scratch of the largest */
	} cases[] = {
		{"one stream, one key", 1, 0, 1, 1, 8 + 16},
		{"one stream", 1, 0, 1, 50, 4 + 16},
		{"one wide stream, one key", 2, 1, 2, 1, 12 + 32},
		{"one wide stream", 2, 1, 2, 50, 8 + 32},
		{"two streams", 4, 0, 2, 50, 4 + 16 / 2},
		{"all", 4, 0, 1, 50, 6 + 32 / 4},
		{"all, one key", 4, 0, 1, 1, 10 + 32 / 4},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct plan plan = {
			"share", cases[i].nstreams, 1, 1 << 20, 60, 0, 1, 1, 0, 0, false};
		struct dit_postings_stats stats = {0};
		size_t peak = 0;
		struct load load;

		print_message("  %s\n", cases[i].name);
		load_begin(&load, &plan);
		for (uint64_t id = 1; stats.npushed < 400000; id++) {
			push_entry(&load, cases[i].first, cases[i].step, id,
			           cases[i].nkeys);
			peak = held_bytes(&load) > peak ? held_bytes(&load) : peak;
			assert_true(peak <= plan.memory_bytes);
			dit_postings_stats(load.postings, &stats);
		}
		print_message("  %zu KiB, %lu runs of %lu pairs\n", peak >> 10,
		              (unsigned long)stats.nruns,
		              (unsigned long)(stats.npushed / stats.nruns));
		assert_true(stats.nruns >= 2);
		assert_true(peak > plan.memory_bytes * 9 / 10);
		assert_true(stats.nruns * plan.memory_bytes * 9 / 10 <=
		            stats.npushed * cases[i].cost);
		load_end(&load);
	}
}

/* Chunks of the time with many streams, scratch of the time with one. */
static void a_share_is_not_exceeded_when_streams_change(void **state)
{
	static const struct plan plan = {"change", 4, 1, 1 << 20, 60,   0,
	                                 1,        1, 0, 0,       false};
	struct dit_postings_stats stats = {0};
	size_t peak = 0;
	struct load load;

	(void)state;
	load_begin(&load, &plan);
	for (uint64_t id = 1; stats.npushed < 2000000; id++) {
		bool has_one_stream = stats.npushed / 400000 % 2 == 1;

		push_entry(&load, 0, has_one_stream ? 4 : 1, id, 50);
		peak = held_bytes(&load) > peak ? held_bytes(&load) : peak;
		dit_postings_stats(load.postings, &stats);
	}
	print_message("  %zu KiB, %lu runs\n", peak >> 10, (unsigned long)stats.nruns);
	assert_true(peak <= plan.memory_bytes);
	load_end(&load);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_streams_hold_what_was_pushed),
		cmocka_unit_test(pushes_may_be_split_among_chunks),
		cmocka_unit_test(groups_hold_any_ids_and_any_number_of_keys),
		cmocka_unit_test(wide_streams_hold_ids_of_48_bits),
		cmocka_unit_test(stream_counts_add_up),
		cmocka_unit_test(full_lists_collapse_when_touched_again),
		cmocka_unit_test(lists_in_memory_come_in_batches),
		cmocka_unit_test(late_ids_keep_their_input_order),
		cmocka_unit_test(options_out_of_range_are_refused),
		cmocka_unit_test(ids_out_of_range_are_refused_and_the_error_sticks),
		cmocka_unit_test(a_stream_opens_once_and_only_after_seal),
		cmocka_unit_test(a_missing_directory_is_reported_when_a_run_is_due),
		cmocka_unit_test(a_full_disk_is_reported),
		cmocka_unit_test(damaged_runs_are_found),
		cmocka_unit_test(blocks_that_changed_places_are_found),
		cmocka_unit_test(cut_and_closed_runs_are_found),
		cmocka_unit_test(damage_is_found_while_runs_are_merged),
		cmocka_unit_test(memory_stays_within_the_budget),
		cmocka_unit_test(pairs_waiting_are_little_more_than_keys),
		cmocka_unit_test(a_share_is_used_up_but_not_exceeded),
		cmocka_unit_test(a_share_is_not_exceeded_when_streams_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
