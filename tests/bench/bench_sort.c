/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Throughput of the sort room, apart from everything else.
 *
 *   bench_sort [NPRODUCERS [MPAIRS [MEMORY_MIB [NSTREAMS [wide]]]]]
 *
 * Each producer is a thread that pushes its share of MPAIRS million pairs, 220 keys per
 * entry, half of the keys frequent and half rare, as substring indexes have them. Then
 * one thread reads all streams. Not part of the tests.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_util.h"
#include "sort/postings.h"

#define KEYS_PER_ENTRY 220
#define BATCH          1000 /* entries handed to one producer in a row */

struct job {
	struct dit_postings *postings;
	unsigned producer;
	unsigned nproducers;
	unsigned nstreams;
	uint64_t nentries; /* of all producers */
	int error;
};

static void push_entry(struct job *job, uint64_t id)
{
	uint64_t keys[KEYS_PER_ENTRY];
	unsigned each = KEYS_PER_ENTRY / job->nstreams;

	for (unsigned i = 0; i < KEYS_PER_ENTRY; i++) {
		uint64_t x = mix(id * KEYS_PER_ENTRY + i);

		keys[i] = mix(i % 2 == 0 ? x % 10000 : x) >> 32;
	}
	for (unsigned s = 0; s < job->nstreams && job->error == 0; s++) {
		job->error = dit_postings_push(job->postings, job->producer, s, id,
		                               keys + s * each, each);
	}
}

static void *produce(void *arg)
{
	struct job *job = arg;
	uint64_t step = (uint64_t)BATCH * job->nproducers;

	for (uint64_t at = (uint64_t)BATCH * job->producer; at < job->nentries;
	     at += step) {
		for (uint64_t id = at; id < at + BATCH && id < job->nentries; id++) {
			push_entry(job, id + 1);
		}
	}
	return NULL;
}

static int read_stream(struct dit_postings *postings, unsigned stream, uint64_t *nkeys,
                       uint64_t *nids)
{
	struct dit_posting_cursor *cursor = NULL;
	struct dit_posting_list lists[64];
	ptrdiff_t n = 0;
	int r = dit_posting_cursor_open(&cursor, postings, stream, 0);

	if (r < 0) {
		return r;
	}
	while ((n = dit_posting_cursor_next(cursor, lists, 64)) > 0) {
		*nkeys += (uint64_t)n;
		for (ptrdiff_t i = 0; i < n; i++) {
			*nids += lists[i].nids;
		}
	}
	dit_posting_cursor_close(cursor);
	return (int)n;
}

static unsigned long argument(int argc, char **argv, int i, unsigned long usual)
{
	return i < argc ? strtoul(argv[i], NULL, 10) : usual;
}

int main(int argc, char **argv)
{
	unsigned nproducers = (unsigned)argument(argc, argv, 1, 2);
	uint64_t npairs = argument(argc, argv, 2, 22) * 1000000;
	size_t memory = argument(argc, argv, 3, 1024) << 20;
	unsigned nstreams = (unsigned)argument(argc, argv, 4, 22);
	bool *is_64bit = calloc(nstreams + 1, sizeof(*is_64bit));
	struct job *jobs = calloc(nproducers, sizeof(*jobs));
	pthread_t *threads = calloc(nproducers, sizeof(*threads));
	struct dit_postings *postings = NULL;
	uint64_t npushed = 0;
	uint64_t nkeys = 0;
	uint64_t nids = 0;
	double start = 0;
	double pushed = 0;
	double end = 0;
	int r = 0;

	for (unsigned i = 0; i < nstreams && argc > 5 && strcmp(argv[5], "wide") == 0;
	     i++) {
		is_64bit[i] = true;
	}
	r = dit_postings_new(&postings,
	                     &(struct dit_postings_opts){
				     .nstreams = nstreams,
				     .is_64bit = is_64bit,
				     .shared = {.nthreads = nproducers,
	                                        .tmpdir = getenv("TMPDIR") ?: "/tmp"},
				     .memory_bytes = memory,
				     .list_max = 65535,
			     });
	if (r < 0) {
		fprintf(stderr, "bench_sort: error %d\n", r);
		return 1;
	}
	start = seconds();
	for (unsigned i = 0; i < nproducers; i++) {
		jobs[i] = (struct job){.postings = postings,
		                       .producer = i,
		                       .nproducers = nproducers,
		                       .nstreams = nstreams,
		                       .nentries = npairs / KEYS_PER_ENTRY};
		(void)pthread_create(&threads[i], NULL, produce, &jobs[i]);
	}
	for (unsigned i = 0; i < nproducers; i++) {
		(void)pthread_join(threads[i], NULL);
	}
	pushed = seconds();
	r = dit_postings_finish(postings);
	for (unsigned s = 0; s < nstreams && r == 0; s++) {
		npushed += dit_postings_stream_npushed(postings, s);
		r = read_stream(postings, s, &nkeys, &nids);
	}
	end = seconds();
	printf("%d producers, %.1f M pairs, result %d\n", nproducers,
	       (double)npushed * 1e-6, r);
	printf("make and push   %.3f s\n", pushed - start);
	printf("sort and merge  %.3f s, %.1f M pairs/s, %.2f M keys, %.2f M ids\n",
	       end - pushed, (double)npushed * 1e-6 / (end - pushed),
	       (double)nkeys * 1e-6, (double)nids * 1e-6);
	printf("runs            %.1f MB\n",
	       (double)dit_postings_run_bytes(postings) * 1e-6);
	dit_postings_free(postings);
	free(threads);
	free(jobs);
	free(is_64bit);
	return r == 0 ? 0 : 1;
}
