/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The promises of sort/sort.h:
 *
 *   - all records come out in key order, equal keys by producer, then by time;
 *   - with a merge function each key comes out once, its values combined in that order;
 *   - neither threads, nor memory, nor runs change any of that;
 *   - errors stick, damaged runs are found, and nothing is left.
 */
#include "sort/sort.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

#include "base/error.h"
#include "sort/sorter_private.h"
#include "sort_merges.h"
#include "test.h"

#define SHARE         65536
#define PRODUCERS_MAX 64
#define KEY_MAX       3000

struct event {
	struct dit_span key;
	unsigned producer;
	unsigned number; /* its value */
};

struct plan {
	const char *name;
	unsigned nproducers;
	size_t memory_bytes;
	unsigned nrecords;
	unsigned kind;   /* of keys: see make_key() */
	unsigned fan_in; /* 0: the usual */
	bool has_threads;
	bool has_runs; /* expected */
};

struct sort {
	const struct plan *plan;
	struct event *events; /* in the order of pushing */
	char *bytes;          /* of the keys */
	struct dit_sorter *sorter;
	char *tmpdir;
	uint64_t random;
};

struct job {
	struct sort *sort;
	unsigned producer;
	int error;
};

static size_t make_key(struct sort *s, char *key)
{
	uint64_t x = test_random(&s->random);
	size_t len = 0;

	switch (s->plan->kind) {
	case 0: /* short, few letters, zeros among them: equal keys and prefixes */
		len = x % 12;
		for (size_t i = 0; i < len; i++) {
			key[i] = (char)(test_random(&s->random) % 3);
		}
		return len;
	case 1: /* like dn2i: a number, then a name */
		memset(key, 0, 8);
		key[7] = (char)(x % 5);
		return 8 +
		       (size_t)sprintf(key + 8, "uid=user%u", (unsigned)(x >> 40) % 9000);
	case 2: /* random, as long as a word or longer */
		len = 6 + x % 20;
		for (size_t i = 0; i < len; i++) {
			key[i] = (char)test_random(&s->random);
		}
		return len;
	case 3: /* equal for long: past the depth of the radix sort */
		len = x % 4 == 0 ? x / 4 % 1100 : 1020 + x / 4 % 100;
		memset(key, 'a', len);
		if (len > 0) {
			key[len - 1] = (char)('a' + x / 64 % 3);
		}
		return len;
	default: /* one key */
		memcpy(key, "same", 4);
		return 4;
	}
}

static void sort_begin(struct sort *s, const struct plan *plan, dit_sort_merge_fn merge)
{
	struct dit_sorter_opts opts = {
		.size = sizeof(opts),
		.nproducers = plan->nproducers,
		.memory_bytes = plan->memory_bytes,
		.merge = merge,
		.fan_in = plan->fan_in,
	};
	size_t at = 0;

	*s = (struct sort){.plan = plan, .random = 88172645463325252u};
	s->tmpdir = test_scratch();
	opts.tmpdir = s->tmpdir;
	assert_int_equal(dit_sorter_new(&s->sorter, &opts), 0);
	s->events = calloc(plan->nrecords + 1, sizeof(*s->events));
	s->bytes =
		malloc((size_t)plan->nrecords * (plan->kind == 3 ? 1200 : 40) + KEY_MAX);
	assert_non_null(s->events);
	assert_non_null(s->bytes);
	for (unsigned i = 0; i < plan->nrecords; i++) {
		size_t len = make_key(s, s->bytes + at);

		s->events[i].key = (struct dit_span){s->bytes + at, len};
		s->events[i].producer =
			(unsigned)(test_random(&s->random) >> 20) % plan->nproducers;
		s->events[i].number = i;
		at += len;
	}
}

static void sort_end(struct sort *s)
{
	dit_sorter_free(s->sorter);
	free(s->events);
	free(s->bytes);
	test_scratch_remove(s->tmpdir);
}

/** The value is the record's number, as text with a comma, sometimes a long one. */
static size_t make_value(unsigned number, char *value)
{
	size_t len = (size_t)sprintf(value, "%u,", number);

	if (number % 100 == 7) {
		memset(value + len, '.', 300);
		len += 300;
	}
	return len;
}

static void *push_records(void *arg)
{
	struct job *job = arg;
	struct sort *s = job->sort;

	for (unsigned i = 0; i < s->plan->nrecords && job->error == 0; i++) {
		const struct event *e = &s->events[i];
		char value[400];

		if (e->producer == job->producer) {
			size_t len = make_value(e->number, value);

			job->error = dit_sorter_push(s->sorter, e->producer, e->key,
			                             (struct dit_span){value, len});
		}
	}
	return NULL;
}

static void push_all(struct sort *s)
{
	struct job jobs[PRODUCERS_MAX] = {{0}};
	pthread_t threads[PRODUCERS_MAX];

	for (unsigned i = 0; i < s->plan->nproducers; i++) {
		jobs[i] = (struct job){.sort = s, .producer = i};
		if (s->plan->has_threads) {
			assert_int_equal(
				pthread_create(&threads[i], NULL, push_records, &jobs[i]),
				0);
		} else {
			push_records(&jobs[i]);
		}
	}
	for (unsigned i = 0; i < s->plan->nproducers; i++) {
		if (s->plan->has_threads) {
			assert_int_equal(pthread_join(threads[i], NULL), 0);
		}
		assert_int_equal(jobs[i].error, 0);
	}
}

static int compare_keys(struct dit_span a, struct dit_span b)
{
	size_t n = a.len < b.len ? a.len : b.len;
	int order = memcmp(a.data, b.data, n);

	return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

static int compare_events(const void *x, const void *y)
{
	const struct event *a = x;
	const struct event *b = y;
	int order = compare_keys(a->key, b->key);

	if (order != 0) {
		return order;
	}
	if (a->producer != b->producer) {
		return a->producer < b->producer ? -1 : 1;
	}
	return a->number < b->number ? -1 : a->number > b->number;
}

static int take_older(void *ctx, struct dit_span key, struct dit_span older,
                      struct dit_span newer, struct dit_arena *arena,
                      struct dit_span *ret)
{
	(void)ctx;
	(void)key;
	(void)newer;
	(void)arena;
	*ret = older;
	return 0;
}

static int refuse(void *ctx, struct dit_span key, struct dit_span older,
                  struct dit_span newer, struct dit_arena *arena, struct dit_span *ret)
{
	(void)ctx;
	(void)key;
	(void)older;
	(void)newer;
	(void)arena;
	(void)ret;
	return DIT_E_DUPLICATE;
}

/** Compare the output with the sorted events. @p merge as given to the sorter */
static void check_output(struct sort *s, dit_sort_merge_fn merge)
{
	char *expected = malloc((size_t)s->plan->nrecords * 310 + 1);
	size_t nrecords = s->plan->nrecords;
	struct dit_sort_record record = {0};

	assert_non_null(expected);
	qsort(s->events, nrecords, sizeof(*s->events), compare_events);
	for (size_t i = 0; i < nrecords;) {
		size_t len = 0;
		size_t end = i;

		assert_int_equal(dit_sorter_next(s->sorter, &record), 1);
		assert_true(dit_span_eq(record.key, s->events[i].key));
		while (end < nrecords &&
		       (end == i || (merge != NULL && dit_span_eq(s->events[end].key,
		                                                  s->events[i].key)))) {
			if (end == i || merge == merge_join) {
				len += make_value(s->events[end].number, expected + len);
			} else if (merge == merge_newer) {
				len = make_value(s->events[end].number, expected);
			}
			end++;
		}
		assert_int_equal(record.value.len, len);
		assert_memory_equal(record.value.data, expected, len);
		i = end;
	}
	assert_int_equal(dit_sorter_next(s->sorter, &record), 0);
	assert_int_equal(dit_sorter_next(s->sorter, &record), 0);
	free(expected);
}

/* as in struct plan */
/* clang-format off */
static const struct plan plans[] = {
	{"nothing", 1, SHARE, 0, 0, 0, false, false},
	{"one record", 2, 2 * SHARE, 1, 2, 0, false, false},
	{"few letters, in memory", 1, 64 << 20, 20000, 0, 0, false, false},
	{"names, in memory", 3, 64 << 20, 20000, 1, 0, true, false},
	{"random, in memory", 2, 64 << 20, 20000, 2, 0, false, false},
	{"equal for long, in memory", 1, 64 << 20, 3000, 3, 0, false, false},
	{"one key, in memory", 1, 64 << 20, 2000, 4, 0, false, false},
	{"few letters, runs", 2, 2 * SHARE, 20000, 0, 0, true, true},
	{"names, runs and cascades", 1, SHARE, 30000, 1, 2, false, true},
	{"random, runs and cascades", 3, 3 * SHARE, 20000, 2, 3, true, true},
	{"equal for long, runs", 2, 2 * SHARE, 2000, 3, 0, false, true},
	{"one key, runs and cascades", 2, 2 * SHARE, 6000, 4, 4, false, true},
	{"many producers", 64, 64 * SHARE, 30000, 1, 0, false, false},
};
/* clang-format on */

TEST(all_records_come_out_in_order)
{
	static const dit_sort_merge_fn merges[] = {NULL, merge_join, merge_newer,
	                                           take_older};

	for (size_t i = 0; i < sizeof(plans) / sizeof(plans[0]); i++) {
		print_message("  %s\n", plans[i].name);
		for (size_t m = 0; m < sizeof(merges) / sizeof(merges[0]); m++) {
			struct sort s;

			sort_begin(&s, &plans[i], merges[m]);
			push_all(&s);
			assert_int_equal(dit_sorter_seal(s.sorter), 0);
			if (plans[i].has_runs) {
				assert_true(dit_sorter_run_bytes(s.sorter) > 0);
			} else {
				assert_int_equal(dit_sorter_run_bytes(s.sorter), 0);
			}
			check_output(&s, merges[m]);
			sort_end(&s);
		}
	}
}

TEST(records_larger_than_the_budget_pass)
{
	static const struct plan plan = {"huge", 1, SHARE, 0, 0, 0, false, true};
	struct dit_sort_record record = {0};
	char *huge = test_alloc(300000);
	struct sort s;

	memset(huge, 'x', 300000);
	sort_begin(&s, &plan, NULL);
	for (int i = 5; i > 0; i--) {
		char key[] = {(char)i};

		assert_int_equal(
			dit_sorter_push(s.sorter, 0, (struct dit_span){key, 1},
		                        (struct dit_span){huge, 300000 - (size_t)i}),
			0);
		assert_int_equal(dit_sorter_push(s.sorter, 0,
		                                 (struct dit_span){huge, 1000},
		                                 DIT_SPAN("")),
		                 0);
	}
	assert_int_equal(dit_sorter_seal(s.sorter), 0);
	for (int i = 1; i <= 5; i++) {
		assert_int_equal(dit_sorter_next(s.sorter, &record), 1);
		assert_int_equal(record.key.data[0], i);
		assert_int_equal(record.value.len, 300000 - i);
		assert_memory_equal(record.value.data, huge, record.value.len);
	}
	for (int i = 1; i <= 5; i++) {
		assert_int_equal(dit_sorter_next(s.sorter, &record), 1);
		assert_int_equal(record.key.len, 1000);
		assert_int_equal(record.value.len, 0);
	}
	assert_int_equal(dit_sorter_next(s.sorter, &record), 0);
	sort_end(&s);
}

/* Records that leave nearly half of each slab unused: that counts, too. */
TEST(slabs_stay_within_the_share)
{
	static const struct plan plan = {"wasteful", 1, SHARE, 0, 0, 0, false, true};
	char value[SHARE / 16 / 2 + 100] = {0};
	struct sort s;

	sort_begin(&s, &plan, NULL);
	for (int i = 0; i < 200; i++) {
		assert_int_equal(dit_sorter_push(s.sorter, 0,
		                                 (struct dit_span){(char *)&i, sizeof(i)},
		                                 (struct dit_span){value, sizeof(value)}),
		                 0);
		assert_true(s.sorter->producers[0]->batch->records.total_bytes <= SHARE);
	}
	assert_true(dit_sorter_nruns(s.sorter) > 0);
	sort_end(&s);
}

TEST(wrong_calls_are_refused)
{
	struct dit_sorter_opts opts = {.size = sizeof(opts),
	                               .nproducers = 2,
	                               .memory_bytes = 2 * SHARE,
	                               .tmpdir = test_tmp_dir()};
	struct dit_sorter *sorter = NULL;
	struct dit_sort_record record = {0};

	opts.memory_bytes--;
	assert_int_equal(dit_sorter_new(&sorter, &opts), -EINVAL);
	opts.memory_bytes++;
	opts.nproducers = 0;
	assert_int_equal(dit_sorter_new(&sorter, &opts), -EINVAL);
	opts.nproducers = 2;
	opts.fan_in = 1;
	assert_int_equal(dit_sorter_new(&sorter, &opts), -EINVAL);
	opts.fan_in = 2;
	assert_int_equal(dit_sorter_new(&sorter, &opts), 0);
	assert_int_equal(dit_sorter_next(sorter, &record), -EINVAL);
	assert_int_equal(dit_sorter_push(sorter, 2, DIT_SPAN("a"), DIT_SPAN("")),
	                 -EINVAL);
	assert_int_equal(dit_sorter_seal(sorter), 0);
	assert_int_equal(dit_sorter_push(sorter, 0, DIT_SPAN("a"), DIT_SPAN("")),
	                 -EINVAL);
	assert_int_equal(dit_sorter_seal(sorter), -EINVAL);
	assert_int_equal(dit_sorter_next(sorter, &record), 0);
	dit_sorter_free(sorter);
	dit_sorter_free(NULL);
}

TEST(runs_to_merge_at_once_have_bounds)
{
	static const struct {
		unsigned nproducers;
		unsigned fan_in;
	} cases[] = {{1, 64}, {4, 64}, {16, 16}, {100, 4}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dit_sorter_opts opts = {.size = sizeof(opts),
		                               .nproducers = cases[i].nproducers,
		                               .memory_bytes = 100 * SHARE};
		struct dit_sorter *sorter = NULL;

		assert_int_equal(dit_sorter_new(&sorter, &opts), 0);
		assert_int_equal(sorter->opts.fan_in, cases[i].fan_in);
		dit_sorter_free(sorter);
	}
}

TEST(empty_tmpdir_counts_as_none)
{
	struct dit_sorter_opts opts = {
		.size = sizeof(opts), .nproducers = 1, .memory_bytes = SHARE};
	const char *tmpdir = getenv("TMPDIR");
	char *before = tmpdir == NULL ? NULL : strdup(tmpdir);
	struct dit_sorter *sorter = NULL;

	assert_int_equal(setenv("TMPDIR", "", 1), 0);
	assert_int_equal(dit_sorter_new(&sorter, &opts), 0);
	assert_string_equal(sorter->opts.tmpdir, "/tmp");
	dit_sorter_free(sorter);
	assert_int_equal(
		before == NULL ? unsetenv("TMPDIR") : setenv("TMPDIR", before, 1), 0);
	free(before);
}

TEST(too_long_keys_are_refused_and_the_error_sticks)
{
	static const struct plan plan = {"long", 2, 2 * SHARE, 0, 0, 0, false, false};
	struct sort s;

	sort_begin(&s, &plan, NULL);
	assert_int_equal(dit_sorter_push(s.sorter, 1,
	                                 (struct dit_span){"a", DIT_SORT_PART_MAX + 1},
	                                 DIT_SPAN("")),
	                 DIT_E_TOOLONG);
	assert_int_equal(dit_sorter_push(s.sorter, 1, DIT_SPAN("a"), DIT_SPAN("")),
	                 DIT_E_TOOLONG);
	assert_int_equal(dit_sorter_push(s.sorter, 0, DIT_SPAN("a"), DIT_SPAN("")), 0);
	assert_int_equal(dit_sorter_seal(s.sorter), DIT_E_TOOLONG);
	sort_end(&s);
}

/** Push records until something happens. */
static int push_much(struct dit_sorter *sorter, unsigned nrecords)
{
	int r = 0;

	for (unsigned i = 0; i < nrecords && r == 0; i++) {
		char key[32];
		int len = sprintf(key, "%08x%u", i * 2654435761u, i);

		r = dit_sorter_push(sorter, 0, (struct dit_span){key, (size_t)len},
		                    DIT_SPAN("value"));
	}
	return r;
}

static int read_all(struct dit_sorter *sorter)
{
	struct dit_sort_record record = {0};
	int r = 1;

	while (r > 0) {
		r = dit_sorter_next(sorter, &record);
	}
	return r;
}

TEST(errors_of_the_merge_function_end_the_sort)
{
	static const struct plan plan = {"refuse", 1, SHARE, 6000, 0, 0, false, false};
	struct sort s;
	int r = 0;

	/* in memory */
	sort_begin(&s, &plan, refuse);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(
			dit_sorter_push(s.sorter, 0, DIT_SPAN("k"), DIT_SPAN("v")), 0);
	}
	assert_int_equal(dit_sorter_seal(s.sorter), 0);
	assert_int_equal(read_all(s.sorter), DIT_E_DUPLICATE);
	sort_end(&s);
	/* while a run is written */
	sort_begin(&s, &plan, refuse);
	for (unsigned i = 0; i < 6000 && r == 0; i++) {
		r = dit_sorter_push(s.sorter, 0, DIT_SPAN("k"), DIT_SPAN("v"));
	}
	assert_int_equal(r, DIT_E_DUPLICATE);
	assert_int_equal(dit_sorter_seal(s.sorter), DIT_E_DUPLICATE);
	sort_end(&s);
}

TEST(a_missing_directory_is_reported_when_a_run_is_due)
{
	static const struct plan plan = {"missing", 1, SHARE, 0, 0, 0, false, false};
	struct sort s;
	char *dir = NULL;

	sort_begin(&s, &plan, NULL);
	dir = (char *)s.sorter->opts.tmpdir;
	dir[strlen(dir) - 2] = '!'; /* another name */
	assert_int_equal(push_much(s.sorter, 5000), -ENOENT);
	assert_int_equal(push_much(s.sorter, 1), -ENOENT);
	assert_int_equal(dit_sorter_seal(s.sorter), -ENOENT);
	sort_end(&s);
}

/* A limit of the file size stands in for a full disk: write() fails half-way. */
TEST(a_full_disk_is_reported)
{
	static const struct plan plan = {"full", 1, SHARE, 0, 0, 2, false, false};
	struct rlimit old = {0};

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	assert_true(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
	/* Too small for the first run; then for a run that is merged of two. */
	for (rlim_t size = 4096; size <= 65536; size *= 16) {
		struct rlimit limit = old;
		struct sort s;
		int r = 0;

		sort_begin(&s, &plan, NULL);
		limit.rlim_cur = size;
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
		r = push_much(s.sorter, 20000);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
		assert_int_equal(r, -EFBIG);
		assert_int_equal(s.sorter->producers[0]->nruns > 0, size > 4096);
		sort_end(&s);
	}
	assert_true(signal(SIGXFSZ, SIG_DFL) != SIG_ERR);
}

TEST(damaged_runs_are_found)
{
	static const struct plan plan = {"damage", 1, SHARE, 0, 0, 0, false, false};
	struct sort s;
	int r = 0;

	for (off_t at = 0; at < 5000; at += at < 40 ? 1 : 307) {
		char byte = 0;

		sort_begin(&s, &plan, NULL);
		assert_int_equal(push_much(s.sorter, 3000), 0);
		assert_true(s.sorter->producers[0]->nruns >= 2);
		assert_int_equal(pread(s.sorter->producers[0]->runs[1]->fd, &byte, 1, at),
		                 1);
		byte ^= 1;
		assert_int_equal(
			pwrite(s.sorter->producers[0]->runs[1]->fd, &byte, 1, at), 1);
		r = dit_sorter_seal(s.sorter);
		r = r ?: read_all(s.sorter);
		assert_int_equal(r, DIT_E_CORRUPT);
		sort_end(&s);
	}
}

TEST(damage_is_found_while_runs_are_merged)
{
	static const struct plan plan = {"merge", 1, SHARE, 0, 0, 3, false, false};
	struct sort s;

	sort_begin(&s, &plan, NULL);
	while (s.sorter->producers[0]->nruns == 0) {
		assert_int_equal(push_much(s.sorter, 100), 0);
	}
	assert_int_equal(ftruncate(s.sorter->producers[0]->runs[0]->fd, 2000), 0);
	assert_int_equal(push_much(s.sorter, 20000), DIT_E_CORRUPT);
	sort_end(&s);
}
