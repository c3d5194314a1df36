/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parallel scans: the values of one attribute are counted over a database.
 *
 *   bench_scan DIRECTORY [ATTRIBUTE [THREADS[,THREADS...] [ROUNDS]]]
 *
 * For each number of threads: pages in the page cache and not, with the read-ahead of the
 * system and without. Each line is the fastest of ROUNDS runs (3), and its speed in
 * relation to one thread under the same conditions; cpu s is that of all threads, so that
 * cpu s of one thread divided by cpu s / threads shows the scaling of a machine that is
 * busy with other things. One snapshot is held throughout.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <ditkit/scan.h>

#include "bench_util.h"

#define MEMBERS_MAX 1024
#define LINE_BYTES  64 /* counters of two threads share none */

struct counter {
	uint64_t nvalues;
	uint64_t nentries;
	char padding[LINE_BYTES - 2 * sizeof(uint64_t)];
};

struct counting {
	struct dit_span attribute;
	struct counter counters[MEMBERS_MAX];
};

struct cost {
	double wall_s;
	double cpu_s;
	uint64_t nvalues;
	uint64_t nentries;
};

static int count(void *ctx, struct dit_scan_range *range,
                 const struct dit_entry_view *entry)
{
	struct counting *counting = ctx;
	struct counter *counter = &counting->counters[range->member];

	counter->nentries += !entry->is_hole;
	for (uint32_t i = 0; i < entry->nattrs; i++) {
		if (dit_span_eq(entry->attrs[i].name, counting->attribute)) {
			counter->nvalues += entry->attrs[i].nvalues;
		}
	}
	return entry->record_error;
}

static double cpu_seconds(void)
{
	struct rusage usage;

	(void)getrusage(RUSAGE_SELF, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

/* ---- the page cache ---- */

/* Calls a function with each part of memory in which the data file is mapped. */
static void for_each_map(const char *path, void (*fn)(void *at, size_t len, int advice),
                         int advice)
{
	char line[8192];
	FILE *maps = fopen("/proc/self/maps", "r");

	while (maps != NULL && fgets(line, sizeof(line), maps) != NULL) {
		unsigned long first = 0;
		unsigned long end = 0;

		if (strstr(line, path) != NULL &&
		    sscanf(line, "%lx-%lx", &first, &end) == 2) {
			fn((void *)first, end - first, advice);
		}
	}
	if (maps != NULL) {
		(void)fclose(maps);
	}
}

static void advise(void *at, size_t len, int advice)
{
	(void)madvise(at, len, advice);
}

/* Pages that are mapped stay in the cache, so they are given up first. */
static void forget_pages(const char *path)
{
	int fd = open(path, O_RDONLY);

	for_each_map(path, advise, MADV_DONTNEED);
	if (fd >= 0) {
		(void)fsync(fd);
		(void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
		(void)close(fd);
	}
}

/* ---- runs ---- */

static struct cost run(struct dit_entry_scan *scan, const char *attribute)
{
	static const struct dit_entry_scan_ops ops = {.entry = count};
	static struct counting counting;
	struct cost cost = {0};
	double cpu = cpu_seconds();
	double wall = seconds();

	memset(&counting, 0, sizeof(counting));
	counting.attribute = dit_span_of(attribute);
	if (dit_entry_scan_run(scan, &ops, &counting) < 0) {
		(void)fputs("bench_scan: the scan failed\n", stderr);
		exit(1);
	}
	cost.wall_s = seconds() - wall;
	cost.cpu_s = cpu_seconds() - cpu;
	for (unsigned i = 0; i < dit_entry_scan_nthreads(scan); i++) {
		cost.nvalues += counting.counters[i].nvalues;
		cost.nentries += counting.counters[i].nentries;
	}
	return cost;
}

struct bench {
	char path[4200]; /* of the data file */
	const char *attribute;
	unsigned rounds;
	double one[2][2]; /* wall_s of one thread: warm or cold, read-ahead or not */
};

static void measure(struct bench *bench, struct dit_entry_scan *scan, unsigned is_cold,
                    unsigned is_random)
{
	struct cost best = {.wall_s = 1e9};
	unsigned nthreads = dit_entry_scan_nthreads(scan);
	double *one = &bench->one[is_cold][is_random];

	for_each_map(bench->path, advise, is_random ? MADV_RANDOM : MADV_NORMAL);
	for (unsigned i = 0; i < bench->rounds; i++) {
		struct cost cost;

		if (is_cold) {
			forget_pages(bench->path);
		}
		cost = run(scan, bench->attribute);
		best = cost.wall_s < best.wall_s ? cost : best;
	}
	if (nthreads == 1) {
		*one = best.wall_s;
	}
	(void)printf("| %u | %s | %s | %.3f | %.3f | %.2f | %llu | %llu |\n", nthreads,
	             is_cold ? "cold" : "warm", is_random ? "off" : "on", best.wall_s,
	             best.cpu_s, *one > 0 ? *one / best.wall_s : 0,
	             (unsigned long long)best.nentries, (unsigned long long)best.nvalues);
	(void)fflush(stdout);
}

static void measure_threads(struct bench *bench, const char *directory, unsigned nthreads)
{
	struct dit_entry_scan_opts opts = DIT_ENTRY_SCAN_OPTS_INIT;
	struct dit_entry_scan *scan = NULL;

	opts.path = directory;
	opts.threads = nthreads;
	opts.without_dn = true;
	if (nthreads == 0 || nthreads > MEMBERS_MAX ||
	    dit_entry_scan_open(&scan, &opts) < 0) {
		(void)fprintf(stderr, "bench_scan: %s: cannot be scanned\n", directory);
		exit(1);
	}
	(void)run(scan, bench->attribute); /* into the page cache */
	for (unsigned is_cold = 0; is_cold < 2; is_cold++) {
		for (unsigned is_random = 0; is_random < 2; is_random++) {
			measure(bench, scan, is_cold, is_random);
		}
	}
	dit_entry_scan_close(scan);
}

int main(int argc, char *argv[])
{
	struct bench bench = {.attribute = argc > 2 ? argv[2] : "cn", .rounds = 3};
	char *list = strdup(argc > 3 ? argv[3] : "1,2,4,8");
	char *rest = NULL;

	if (argc < 2 || list == NULL) {
		(void)fputs("usage: bench_scan DIRECTORY [ATTRIBUTE [THREADS,... "
		            "[ROUNDS]]]\n",
		            stderr);
		return 2;
	}
	if (argc > 4) {
		bench.rounds = (unsigned)strtoul(argv[4], NULL, 10);
	}
	if (realpath(argv[1], bench.path) == NULL) {
		perror(argv[1]);
		return 1;
	}
	(void)strncat(bench.path, "/data.mdb",
	              sizeof(bench.path) - strlen(bench.path) - 1);
	(void)puts("| threads | cache | read-ahead | wall s | cpu s | speed | entries | "
	           "values |\n|---|---|---|---|---|---|---|---|");
	for (char *word = strtok_r(list, ",", &rest); word != NULL;
	     word = strtok_r(NULL, ",", &rest)) {
		measure_threads(&bench, argv[1], (unsigned)strtoul(word, NULL, 10));
	}
	free(list);
	return 0;
}
