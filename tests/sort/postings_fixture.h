/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pushes by a plan, and a model of what the streams hold then: it plays the insertions
 * one by one, as slapadd would (storage.md 5.4).
 *
 *   postings_load_begin();  postings_load_run(push);  dit_postings_finish();
 *   postings_load_sort();  postings_load_run(check);  postings_load_end()
 */
#ifndef DITKIT_POSTINGS_FIXTURE_H
#define DITKIT_POSTINGS_FIXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sort/postings.h"

#define POSTINGS_SHARE 65536 /* the smallest share of a producer */

struct postings_event {
	uint64_t key;
	uint64_t id;
	size_t sequence;
	unsigned stream;
	unsigned producer;
};

struct postings_plan {
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

struct postings_load {
	const struct postings_plan *plan;
	unsigned nparts;               /* of each stream; 1 at first */
	struct postings_event *events; /* in input order */
	size_t nevents;
	struct dit_postings *postings;
	char *tmpdir;
	uint64_t random;
};

struct postings_job {
	struct postings_load *load;
	unsigned number; /* producer, or part of a stream */
	int error;
};

/** Make the events of a plan, and the postings. Odd streams are wide. */
void postings_load_begin(struct postings_load *load, const struct postings_plan *plan);
/** The smallest chunks there can be: hardly a push that fits into one. */
void postings_load_use_tiny_chunks(struct postings_load *load);
void postings_load_end(struct postings_load *load);

/** Run a function once per producer or part, at once or one after the other. */
void postings_load_run(struct postings_load *load, void *(*function)(void *), unsigned n);
/** Push the events of one producer, those of one entry and stream in two calls. */
void *postings_load_push(void *job);
/** Events by stream, key and input order, as postings_load_check() wants them. */
void postings_load_sort(struct postings_load *load);
/** Cut all streams. After finish. */
void postings_load_cut(struct postings_load *load, unsigned nparts);
/** Compare a part with the model. Part p of stream s has the number s * nparts + p. */
void *postings_load_check(void *job);

/** The content of a load. Producers are at rest. */
struct postings_held {
	uint64_t npushed; /* pairs, repeats included */
	size_t memory_bytes;
	size_t nruns;
};
struct postings_held postings_load_held(const struct postings_load *load);

/** The n-th key of a stream. */
uint64_t postings_load_key(unsigned stream, uint64_t n);

#endif
