/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records per second of <ditkit/sort.h>, for records of 8 + 8 bytes, next to qsort() of
 * the same records in one array and sort(1) of the same records as text.
 *
 *   bench_records [THOUSANDS [MEMORY_MIB [PRODUCERS]]]       (4000, 32, 1)
 *
 * Each sort gets its records from memory and hands all of them out in order; sort(1)
 * reads a file that is in the page cache, and writes to /dev/null. "in memory" means a
 * budget of 120 bytes per record, "spilled" MEMORY_MIB for all producers together;
 * sort(1) gets the same (-S) and as many threads as there are producers. Keys are random;
 * "summed" has ten records per key, and a merge that adds up their values.
 *
 * Look-ups are of random keys, in a view opened when all has been pushed. Not part of the
 * tests.
 */
#include <endian.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ditkit/sort.h>

#include "bench_util.h"

#define NLOOKUPS 20000u

struct record {
	uint64_t key; /* big-endian */
	uint64_t value;
};

struct bench {
	size_t nrecords;
	size_t memory_bytes;
	unsigned nproducers;
	const char *tmpdir;
	struct record *records;
	struct dit_sorter *sorter;
	size_t nread;
};

struct job {
	struct bench *bench;
	unsigned producer;
	int error;
};

static void fill(struct bench *b, size_t nkeys)
{
	for (size_t i = 0; i < b->nrecords; i++) {
		b->records[i] = (struct record){htobe64(mix(mix(i) % nkeys + 1)), i};
	}
}

static void check(int r, const char *what)
{
	if (r < 0) {
		fprintf(stderr, "bench_records: %s: %s\n", what, dit_strerror(r));
		exit(1);
	}
}

static void print_row(const char *name, size_t n, double start, double end)
{
	printf("%-30s %8.3f s %10.1f k/s\n", name, end - start,
	       (double)n * 1e-3 / (end - start));
	(void)fflush(stdout);
}

static int add_up(void *ctx, struct dit_span key, struct dit_span older,
                  struct dit_span newer, struct dit_arena *arena, struct dit_span *ret)
{
	uint64_t *sum = dit_sort_alloc(arena, sizeof(*sum));
	uint64_t other = 0;

	(void)ctx;
	(void)key;
	if (sum == NULL) {
		return -ENOMEM;
	}
	memcpy(sum, older.data, sizeof(*sum));
	memcpy(&other, newer.data, sizeof(other));
	*sum += other;
	*ret = (struct dit_span){(const char *)sum, sizeof(*sum)};
	return 0;
}

static void *push_share(void *arg)
{
	struct job *job = arg;
	const struct bench *b = job->bench;
	size_t from = b->nrecords / b->nproducers * job->producer;
	size_t to = job->producer + 1 == b->nproducers
	                    ? b->nrecords
	                    : from + b->nrecords / b->nproducers;

	for (size_t i = from; i < to && job->error == 0; i++) {
		const char *at = (const char *)&b->records[i];

		job->error = dit_sorter_push(b->sorter, job->producer,
		                             (struct dit_span){at, 8},
		                             (struct dit_span){at + 8, 8});
	}
	return NULL;
}

static void push_all(struct bench *b)
{
	struct job *jobs = calloc(b->nproducers, sizeof(*jobs));
	pthread_t *threads = calloc(b->nproducers, sizeof(*threads));

	check(jobs == NULL || threads == NULL ? -ENOMEM : 0, "threads");
	for (unsigned i = 0; i < b->nproducers; i++) {
		jobs[i] = (struct job){.bench = b, .producer = i};
		check(-pthread_create(&threads[i], NULL, push_share, &jobs[i]),
		      "threads");
	}
	for (unsigned i = 0; i < b->nproducers; i++) {
		(void)pthread_join(threads[i], NULL);
		check(jobs[i].error, "push");
	}
	free(threads);
	free(jobs);
}

static void look_up(struct bench *b, const char *name)
{
	struct dit_sort_view *view = NULL;
	struct dit_sort_cursor *cursor = NULL;
	struct dit_sort_record record = {0};
	double start = 0;

	check(dit_sort_view_open(&view, b->sorter), "view");
	check(dit_sort_cursor_open(&cursor, view), "view");
	start = seconds();
	for (unsigned i = 0; i < NLOOKUPS; i++) {
		const char *key = (const char *)&b->records[mix(i) % b->nrecords];

		check(dit_sort_cursor_get(cursor, (struct dit_span){key, 8}, &record),
		      "look-up");
	}
	print_row(name, NLOOKUPS, start, seconds());
	dit_sort_cursor_close(cursor);
	dit_sort_view_close(view);
}

static void bench_sorter(struct bench *b, const char *name, dit_sort_merge_fn merge,
                         size_t memory_bytes, const char *lookups)
{
	struct dit_sorter_opts opts = DIT_SORTER_OPTS_INIT;
	struct dit_sort_record record = {0};
	double start = seconds();
	double pause = 0;
	int r = 0;

	opts.nproducers = b->nproducers;
	opts.memory_bytes = memory_bytes;
	opts.tmpdir = b->tmpdir;
	opts.merge = merge;
	check(dit_sorter_new(&b->sorter, &opts), "new");
	push_all(b);
	if (lookups != NULL) {
		pause = seconds();
		look_up(b, lookups);
		start += seconds() - pause;
	}
	check(dit_sorter_seal(b->sorter), "seal");
	while ((r = dit_sorter_next(b->sorter, &record)) > 0) {
		b->nread++;
	}
	check(r, "read");
	print_row(name, b->nrecords, start, seconds());
	dit_sorter_free(b->sorter);
}

static int compare(const void *x, const void *y)
{
	uint64_t a = be64toh(((const struct record *)x)->key);
	uint64_t b = be64toh(((const struct record *)y)->key);

	return (a > b) - (a < b);
}

static void bench_qsort(struct bench *b)
{
	double start = seconds();
	struct record *copy = malloc(b->nrecords * sizeof(*copy));

	check(copy == NULL ? -ENOMEM : 0, "qsort");
	memcpy(copy, b->records, b->nrecords * sizeof(*copy));
	qsort(copy, b->nrecords, sizeof(*copy), compare);
	for (size_t i = 0; i < b->nrecords; i++) {
		b->nread += copy[i].key != 0;
	}
	print_row("qsort, in memory", b->nrecords, start, seconds());
	free(copy);
}

static void bench_sort_1(struct bench *b, const char *name, const char *path,
                         size_t memory_bytes)
{
	char command[4500];
	double start = seconds();

	(void)snprintf(command, sizeof(command),
	               "LC_ALL=C sort -S %zuK --parallel=%u -T '%s' '%s' >/dev/null",
	               memory_bytes >> 10, b->nproducers, b->tmpdir, path);
	check(system(command) != 0 ? -EIO : 0, "sort");
	print_row(name, b->nrecords, start, seconds());
}

static void write_text(const struct bench *b, char *path, size_t size)
{
	FILE *file = NULL;
	int fd = -1;

	(void)snprintf(path, size, "%s/ditkit-bench-XXXXXX", b->tmpdir);
	fd = mkstemp(path);
	file = fd < 0 ? NULL : fdopen(fd, "w");
	check(file == NULL ? -errno : 0, path);
	for (size_t i = 0; i < b->nrecords; i++) {
		fprintf(file, "%016llx %016llx\n",
		        (unsigned long long)be64toh(b->records[i].key),
		        (unsigned long long)b->records[i].value);
	}
	check(fclose(file) != 0 ? -errno : 0, path);
}

static unsigned long argument(int argc, char **argv, int i, unsigned long usual)
{
	return i < argc ? strtoul(argv[i], NULL, 10) : usual;
}

int main(int argc, char **argv)
{
	struct bench b = {
		.nrecords = argument(argc, argv, 1, 4000) * 1000,
		.memory_bytes = argument(argc, argv, 2, 32) << 20,
		.nproducers = (unsigned)argument(argc, argv, 3, 1),
		.tmpdir = getenv("TMPDIR") == NULL ? "/tmp" : getenv("TMPDIR"),
	};
	size_t plenty = b.nrecords * 120 + ((size_t)b.nproducers << 20);
	char path[4096];

	check(b.nrecords == 0 || b.nproducers == 0 ? -EINVAL : 0, "arguments");
	b.records = malloc(b.nrecords * sizeof(*b.records));
	check(b.records == NULL ? -ENOMEM : 0, "records");
	printf("%zu records of 8 + 8 bytes, %u producers, spilled: %zu MiB\n", b.nrecords,
	       b.nproducers, b.memory_bytes >> 20);
	fill(&b, SIZE_MAX);
	bench_qsort(&b);
	bench_sorter(&b, "sorter, in memory", NULL, plenty, NULL);
	bench_sorter(&b, "sorter, spilled", NULL, b.memory_bytes,
	             "  look-ups before the seal");
	write_text(&b, path, sizeof(path));
	bench_sort_1(&b, "sort(1), in memory", path, plenty);
	bench_sort_1(&b, "sort(1), spilled", path, b.memory_bytes);
	(void)unlink(path);
	fill(&b, b.nrecords / 10 + 1);
	bench_sorter(&b, "sorter, summed, in memory", add_up, plenty, NULL);
	bench_sorter(&b, "sorter, summed, spilled", add_up, b.memory_bytes, NULL);
	free(b.records);
	return 0;
}
