/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Merge "sum": the values of a key are added up. Words of a text, counted
 * by two threads under a budget so small that most of them go through
 * temporary files.
 */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <ditkit/sort.h>

#define NTHREADS 2
#define NROUNDS  5000 /* how often each thread counts its part */

static const char *const words[] = {
	"the", "sea",  "and", "the", "ship", "and",
	"the", "wind", "of",  "the", "sea",
};

#define NWORDS (sizeof(words) / sizeof(words[0]))

static int sum(void *ctx, struct dit_span key, struct dit_span older,
               struct dit_span newer, struct dit_arena *arena,
               struct dit_span *ret)
{
	uint64_t *result = (uint64_t *)dit_sort_alloc(arena, sizeof(*result));
	uint64_t a;
	uint64_t b;

	(void)ctx;
	(void)key;
	if (result == NULL) {
		return -ENOMEM;
	}
	memcpy(&a, older.data, sizeof(a)); /* values lie at any address */
	memcpy(&b, newer.data, sizeof(b));
	*result = a + b;
	ret->data = (const char *)result;
	ret->len = sizeof(*result);
	return 0;
}

struct counter {
	pthread_t thread;
	struct dit_sorter *sorter;
	unsigned producer;
	int error;
};

static void *count(void *arg)
{
	struct counter *c = (struct counter *)arg;
	uint64_t one = 1;
	struct dit_span value = {(const char *)&one, sizeof(one)};

	for (unsigned n = 0; n < NROUNDS; n++) {
		for (size_t i = c->producer; i < NWORDS && c->error == 0;
		     i += NTHREADS) {
			c->error =
				dit_sorter_push(c->sorter, c->producer,
			                        dit_span_of(words[i]), value);
		}
	}
	return NULL;
}

static int count_all(struct dit_sorter *sorter)
{
	struct counter counters[NTHREADS];
	int r = 0;

	for (unsigned i = 0; i < NTHREADS; i++) {
		counters[i].sorter = sorter;
		counters[i].producer = i;
		counters[i].error = 0;
		if (pthread_create(&counters[i].thread, NULL, count,
		                   &counters[i]) != 0) {
			return -EAGAIN; /* the program ends */
		}
	}
	for (unsigned i = 0; i < NTHREADS; i++) {
		(void)pthread_join(counters[i].thread, NULL);
		r = r == 0 ? counters[i].error : r;
	}
	return r;
}

static int print_all(struct dit_sorter *sorter)
{
	struct dit_sort_record record;
	int r = dit_sorter_seal(sorter);

	while (r == 0 && (r = dit_sorter_next(sorter, &record)) > 0) {
		uint64_t n;

		memcpy(&n, record.value.data, sizeof(n));
		printf("%7llu %.*s\n", (unsigned long long)n,
		       DIT_SPAN_ARGS(record.key));
		r = 0;
	}
	return r;
}

int main(void)
{
	struct dit_sorter_opts opts = DIT_SORTER_OPTS_INIT;
	struct dit_sorter *sorter = NULL;
	int r = 0;

	opts.nproducers = NTHREADS;
	opts.memory_bytes = NTHREADS * DIT_SORT_SHARE_MIN;
	opts.merge = sum;
	r = dit_sorter_new(&sorter, &opts);
	if (r == 0) {
		r = count_all(sorter);
	}
	if (r == 0) {
		printf("temporary files: %s\n",
		       dit_sorter_run_bytes(sorter) > 0 ? "yes" : "no");
		r = print_all(sorter);
	}
	if (r < 0) {
		fprintf(stderr, "sort_sum: %s\n", dit_strerror(r));
	}
	dit_sorter_free(sorter);
	return r < 0 ? 1 : 0;
}
