/* SPDX-License-Identifier: BSD-2-Clause */
#include "postings_fixture.h"

#include <pthread.h>

#include "sort/postings_private.h"
#include "test.h"

#define STREAMS_MAX   4
#define PRODUCERS_MAX 64
#define TINY_CHUNK    64 /* 12 units: two groups at most */

uint64_t postings_load_key(unsigned stream, uint64_t n)
{
	return stream % 2 == 0 ? (uint32_t)(n * 2654435761u) : n * 0x9e3779b97f4a7c15u;
}

static void add_entry(struct postings_load *load, uint64_t id, unsigned producer)
{
	const struct postings_plan *plan = load->plan;

	for (unsigned s = 0; s < plan->nstreams; s++) {
		for (unsigned i = 0; i < plan->per_entry; i++) {
			uint64_t n = test_random(&load->random) % plan->nkeys;

			/* Half of the keys are frequent: ranges and lists. */
			n = i % 2 == 0 ? n : n % 7;
			load->events[load->nevents] = (struct postings_event){
				.key = postings_load_key(s, n),
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
static void make_events(struct postings_load *load)
{
	const struct postings_plan *plan = load->plan;
	uint64_t holes[100] = {0};
	unsigned nholes = 0;
	uint64_t at_work = 0; /* bit n: producer n */

	load->events = calloc((size_t)plan->nentries * plan->nstreams * plan->per_entry,
	                      sizeof(*load->events));
	assert_non_null(load->events);
	for (uint64_t id = 1; id <= plan->nentries; id++) {
		/* Runs of entries go to one producer, as batches do. */
		unsigned producer = (unsigned)(id / 16 * 5 % plan->nproducers);

		if (plan->late > 0 && id < plan->nentries && nholes < 100 &&
		    test_random(&load->random) % plan->late == 0) {
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
		at_work |= UINT64_C(1) << producer;
	}
	assert_true(plan->nentries == 0 ||
	            __builtin_popcountll(at_work) == (int)plan->nproducers);
}

void *postings_load_push(void *arg)
{
	struct postings_job *job = arg;
	struct postings_load *load = job->load;
	size_t i = 0;

	while (i < load->nevents && job->error == 0) {
		const struct postings_event *e = &load->events[i];
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

void postings_load_run(struct postings_load *load, void *(*function)(void *), unsigned n)
{
	struct postings_job jobs[PRODUCERS_MAX] = {{0}};
	pthread_t threads[PRODUCERS_MAX];

	assert_true(n <= PRODUCERS_MAX);
	for (unsigned i = 0; i < n; i++) {
		jobs[i] = (struct postings_job){.load = load, .number = i};
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
	const struct postings_event *a = x;
	const struct postings_event *b = y;

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
static size_t model_list(const struct postings_load *load,
                         const struct postings_event *events, size_t n, uint64_t *ids,
                         size_t *nids)
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

void postings_load_cut(struct postings_load *load, unsigned nparts)
{
	load->nparts = nparts;
	for (unsigned i = 0; i < load->plan->nstreams; i++) {
		dit_postings_cut(load->postings, i, nparts);
		assert_int_equal(load->postings->streams[i].nparts, nparts);
	}
}

/* By quarters of the keys that a stream can have. */
static bool is_in_part(const struct postings_event *event, unsigned part, unsigned nparts)
{
	unsigned quarter = (unsigned)(event->key >> (event->stream % 2 == 1 ? 62 : 30));

	return quarter >= part * 4 / nparts && quarter < (part + 1) * 4 / nparts;
}

void *postings_load_check(void *arg)
{
	struct postings_job *job = arg;
	struct postings_load *load = job->load;
	uint64_t *ids = calloc((size_t)load->plan->list_max + 3, sizeof(*ids));
	unsigned stream = job->number / load->nparts;
	unsigned part = job->number % load->nparts;
	struct lists lists = {0};
	size_t i = 0;

	job->error = dit_posting_cursor_open(&lists.cursor, load->postings, stream, part);
	while (job->error == 0 && i < load->nevents) {
		const struct dit_posting_list *list = NULL;
		size_t nids = 0;

		if (load->events[i].stream != stream ||
		    !is_in_part(&load->events[i], part, load->nparts)) {
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

void postings_load_sort(struct postings_load *load)
{
	qsort(load->events, load->nevents, sizeof(*load->events), compare_events);
}

void postings_load_begin(struct postings_load *load, const struct postings_plan *plan)
{
	static const bool is_64bit[STREAMS_MAX] = {false, true, false, true};
	struct dit_postings_opts opts = {
		.nstreams = plan->nstreams,
		.is_64bit = is_64bit,
		.shared.nthreads = plan->nproducers,
		.memory_bytes = plan->memory_bytes,
		.list_max = plan->list_max,
	};

	*load = (struct postings_load){
		.plan = plan, .nparts = 1, .random = 88172645463325252u};
	load->tmpdir = test_scratch();
	opts.shared.tmpdir = load->tmpdir;
	assert_int_equal(dit_postings_new(&load->postings, &opts), 0);
	if (plan->fan_in > 0) {
		load->postings->fan_in = plan->fan_in;
	}
	make_events(load);
}

void postings_load_use_tiny_chunks(struct postings_load *load)
{
	for (unsigned i = 0; i < load->plan->nproducers; i++) {
		load->postings->producers[i]->chunk_bytes = TINY_CHUNK;
	}
}

struct postings_held postings_load_held(const struct postings_load *load)
{
	const struct dit_postings *postings = load->postings;
	struct postings_held held = {0};

	for (unsigned i = 0; i < postings->nstreams; i++) {
		held.npushed += dit_postings_stream_npushed(postings, i);
	}
	for (unsigned i = 0; i < postings->shared.nthreads; i++) {
		const struct dit_producer *producer = postings->producers[i];

		held.nruns += producer->nruns;
		held.memory_bytes += producer->nchunks * producer->chunk_bytes +
		                     producer->sorted.words.size_bytes +
		                     producer->sorted.spare.size_bytes +
		                     producer->writer.buffer.size_bytes;
	}
	return held;
}

void postings_load_end(struct postings_load *load)
{
	dit_postings_free(load->postings);
	free(load->events);
	test_scratch_remove(load->tmpdir);
}
