/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_stores: the entries and postings of a finished database, written through LMDB,
 * RocksDB and LevelDB, and read again. stores.sh runs it; it is never part of ditkit.
 *
 *   bench_stores extract DATABASE-DIR INPUT-DIR
 *   bench_stores write STORE METHOD SYNC BATCH DIR INPUT-DIR [OPTION...]
 *   bench_stores read STORE DIR INPUT-DIR LOOKUPS [OPTION...]
 *   bench_stores count STORE DIR [OPTION...]
 *   bench_stores list
 *
 *   --cache SIZE       bytes for RocksDB's and LevelDB's caches and memory tables
 *   --compress         LZ4, Snappy; LMDB has none
 *   --compact          merge everything at the end
 *   --kill-after N     write N records, then die by SIGKILL
 *
 * Each prints one line of key=value words. "read" looks up LOOKUPS entries by ID, reads
 * the first LIST_IDS of LOOKUPS lists, and SCAN_ROWS rows from each of LOOKUPS / 100
 * places, all drawn by the same random numbers in every store; checks= depends on all
 * that was read, so it is the same for stores with the same content. "count" walks
 * through everything: orphans are postings whose entry is not there.
 */
#include "stores.h"

#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LIST_IDS      100
#define SCAN_ROWS     10000
#define LOOKUPS_SCAN  100 /* look-ups for one scan */
#define CACHE_DEFAULT (64u << 20)

static const struct store_ops *const stores[] = {
	&store_lmdb,
	&store_rocksdb,
	&store_leveldb,
};

#define NSTORES (sizeof(stores) / sizeof(stores[0]))

_Noreturn void stores_die(const char *what, const char *why)
{
	(void)fprintf(stderr, "bench_stores: %s: %s\n", what, why);
	exit(1);
}

double stores_now(void)
{
	struct timespec t = {0};

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void stores_count(struct store_job *job, uint64_t n)
{
	job->nwritten += n;
	if (job->kill_after > 0 && job->nwritten >= job->kill_after) {
		(void)raise(SIGKILL);
	}
}

/* ---- write ---- */

/** Is @p word one of the words of @p list? */
static bool is_word(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = list; (at = strstr(at, word)) != NULL; at += len) {
		if ((at == list || at[-1] == ' ') &&
		    (at[len] == ' ' || at[len] == '\0')) {
			return len > 0;
		}
	}
	return false;
}

static void run_write(const struct store_ops *ops, struct store_job *job,
                      const char *input)
{
	struct stores_input in;

	if (!is_word(ops->methods, job->method)) {
		stores_die(job->method, "no method of this store");
	}
	if (!is_word(ops->syncs, job->sync)) {
		stores_die(job->sync, "no sync policy of this store");
	}
	stores_input_open(input, &in);
	ops->write(job, &in);
	printf("records=%" PRIu64 " entries=%zu postings=%zu write_s=%.3f settle_s=%.3f "
	       "compact_s=%.3f\n",
	       job->nwritten, in.nentries, in.npostings, job->write_s, job->settle_s,
	       job->compact_s);
}

/* ---- read ---- */

static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static void mix(uint64_t *sum, uint64_t value)
{
	*sum = (*sum ^ value) * 0x9e3779b97f4a7c15u;
	*sum ^= *sum >> 32;
}

/** Microseconds each. */
static double look_up_entries(const struct store_ops *ops, void *store,
                              const struct stores_input *in, uint64_t n, uint64_t *sum)
{
	uint64_t *ids = malloc((in->nentries + 1) * sizeof(*ids));
	uint64_t state = 1;
	size_t i = 0;

	if (ids == NULL || in->nentries == 0) {
		stores_die("reading", "no entries, or no memory");
	}
	for (size_t offset = 0; offset < in->entries_bytes;) {
		ids[i++] = stores_entry_at(in, &offset)->id;
	}
	double start = stores_now();
	for (uint64_t k = 0; k < n; k++) {
		uint64_t id = ids[next_random(&state) % in->nentries];
		uint8_t first = 0;
		size_t len = 0;

		if (ops->get_entry(store, id, &first, &len) == 0) {
			stores_die("reading", "an entry is not there");
		}
		mix(sum, id);
		mix(sum, len << 8 | first);
	}
	double each = (stores_now() - start) * 1e6 / (double)n;
	free(ids);
	return each;
}

/** The first IDs of the lists of random postings; microseconds for each list. */
static double look_up_lists(const struct store_ops *ops, void *store,
                            const struct stores_input *in, uint64_t n, uint64_t *sum)
{
	uint64_t state = 2;
	double start = stores_now();

	for (uint64_t k = 0; k < n; k++) {
		struct posting from = in->sorted[next_random(&state) % in->npostings];
		struct posting got;

		from.id = 0;
		int r = ops->seek(store, &from, &got);
		if (r == 0 || !stores_same_key(&from, &got)) {
			stores_die("reading", "a list is not there");
		}
		for (int i = 0; i < LIST_IDS && r > 0 && stores_same_key(&from, &got);
		     i++) {
			mix(sum, got.id);
			r = ops->next(store, &got);
		}
	}
	return (stores_now() - start) * 1e6 / (double)n;
}

/** Rows in key order from random places on; rows a second. */
static double scan(const struct store_ops *ops, void *store,
                   const struct stores_input *in, uint64_t n, uint64_t *sum)
{
	uint64_t state = 3;
	uint64_t nrows = 0;
	double start = stores_now();

	for (uint64_t k = 0; k < n; k++) {
		const struct posting *from =
			&in->sorted[next_random(&state) % in->npostings];
		struct posting got;
		int r = ops->seek(store, from, &got);

		for (int i = 0; i < SCAN_ROWS && r > 0; i++) {
			mix(sum, got.id);
			nrows++;
			r = ops->next(store, &got);
		}
	}
	return (double)nrows / (stores_now() - start);
}

static void run_read(const struct store_ops *ops, const struct store_job *job,
                     const char *input, uint64_t n)
{
	struct stores_input in;
	uint64_t sum = 0;

	stores_input_open(input, &in);
	if (in.npostings == 0) {
		stores_die("reading", "no postings");
	}
	void *store = ops->open(job);
	double entry_us = look_up_entries(ops, store, &in, n, &sum);
	double list_us = look_up_lists(ops, store, &in, n, &sum);
	double scan_rows = scan(ops, store, &in, n / LOOKUPS_SCAN + 1, &sum);
	ops->close(store);
	printf("entry_us=%.2f list_us=%.2f scan_rows_s=%.0f checks=%016" PRIx64 "\n",
	       entry_us, list_us, scan_rows, sum);
}

/* ---- count ---- */

struct id_set {
	uint8_t *bits;
	uint64_t nbits;
};

static void add_id(struct id_set *set, uint64_t id)
{
	if (id >= set->nbits) {
		uint64_t nbits = (id + 1) * 2 + 64;
		uint8_t *bits = realloc(set->bits, nbits / 8 + 1);

		if (bits == NULL) {
			stores_die("counting", "out of memory");
		}
		memset(bits + (set->nbits + 7) / 8, 0,
		       nbits / 8 + 1 - (set->nbits + 7) / 8);
		*set = (struct id_set){bits, nbits};
	}
	set->bits[id / 8] |= (uint8_t)(1u << (id % 8));
}

static bool has_id(const struct id_set *set, uint64_t id)
{
	return id < set->nbits && (set->bits[id / 8] >> (id % 8) & 1) != 0;
}

static void run_count(const struct store_ops *ops, const struct store_job *job)
{
	struct id_set ids = {NULL, 0};
	struct posting from = {.db = 0};
	struct posting posting;
	uint64_t nentries = 0;
	uint64_t npostings = 0;
	uint64_t norphans = 0;
	uint64_t id = 0;
	void *store = ops->open(job);

	for (int r = ops->seek_entry(store, 0, &id); r > 0;
	     r = ops->next_entry(store, &id)) {
		add_id(&ids, id);
		nentries++;
	}
	for (int r = ops->seek(store, &from, &posting); r > 0;
	     r = ops->next(store, &posting)) {
		npostings++;
		/* 0 is no entry's: it marks a range. */
		norphans += posting.id != 0 && !has_id(&ids, posting.id);
	}
	ops->close(store);
	free(ids.bits);
	printf("entries=%" PRIu64 " postings=%" PRIu64 " orphans=%" PRIu64 "\n", nentries,
	       npostings, norphans);
}

/* ---- options ---- */

static _Noreturn void usage(void)
{
	(void)fputs(
		"usage: bench_stores extract DATABASE-DIR INPUT-DIR\n"
		"       bench_stores write STORE METHOD SYNC BATCH DIR INPUT-DIR\n"
		"                    [--cache SIZE] [--compress] [--compact]\n"
		"                    [--kill-after N]\n"
		"       bench_stores read STORE DIR INPUT-DIR LOOKUPS [--cache SIZE]\n"
		"       bench_stores count STORE DIR [--cache SIZE]\n"
		"       bench_stores list\n",
		stderr);
	exit(2);
}

static uint64_t number(const char *text)
{
	char *end = NULL;
	unsigned long long value = strtoull(text, &end, 10);

	if (text[0] < '0' || text[0] > '9' || *end != '\0') {
		usage();
	}
	return value;
}

static const struct store_ops *store_named(const char *name)
{
	for (size_t i = 0; i < NSTORES; i++) {
		if (strcmp(stores[i]->name, name) == 0) {
			return stores[i];
		}
	}
	stores_die(name, "no such store");
}

static void list(void)
{
	for (size_t i = 0; i < NSTORES; i++) {
		printf("%s: %s; %s\n", stores[i]->name, stores[i]->methods,
		       stores[i]->syncs);
	}
}

static void parse(int argc, char **argv, struct store_job *job)
{
	static const struct option options[] = {
		{"cache", required_argument, NULL, 'c'},
		{"compress", no_argument, NULL, 'z'},
		{"compact", no_argument, NULL, 'm'},
		{"kill-after", required_argument, NULL, 'k'},
		{NULL, 0, NULL, 0},
	};
	int c = 0;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 'c':
			job->cache_bytes = number(optarg);
			break;
		case 'z':
			job->compress = true;
			break;
		case 'm':
			job->compact = true;
			break;
		case 'k':
			job->kill_after = number(optarg);
			break;
		default:
			usage();
		}
	}
}

int main(int argc, char **argv)
{
	struct store_job job = {.cache_bytes = CACHE_DEFAULT};

	parse(argc, argv, &job);
	char **arg = argv + optind;
	int n = argc - optind;
	if (n == 1 && strcmp(arg[0], "list") == 0) {
		list();
	} else if (n == 3 && strcmp(arg[0], "extract") == 0) {
		stores_extract(arg[1], arg[2]);
	} else if (n == 7 && strcmp(arg[0], "write") == 0) {
		job.method = arg[2];
		job.sync = arg[3];
		job.batch = number(arg[4]);
		job.dir = arg[5];
		run_write(store_named(arg[1]), &job, arg[6]);
	} else if (n == 5 && strcmp(arg[0], "read") == 0) {
		job.dir = arg[2];
		run_read(store_named(arg[1]), &job, arg[3], number(arg[4]));
	} else if (n == 3 && strcmp(arg[0], "count") == 0) {
		job.dir = arg[2];
		run_count(store_named(arg[1]), &job);
	} else {
		usage();
	}
	return fflush(stdout) == 0 ? 0 : 1;
}
