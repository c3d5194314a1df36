/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a fuzz target without a fuzzer: each corpus file as it is, and deterministic
 * mutations of it (bytes changed, removed, repeated). The number of mutations of a whole
 * corpus is fixed, so that more files cost little time.
 *
 *   fuzz_NAME FILE-OR-DIRECTORY...
 *
 *   DIT_LONG=yes   ten times as many mutations
 *
 * hours.sh gives this main another name: libFuzzer has its own.
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz/fuzz_target.h"

#define INPUT_MAX (64u << 10)
#ifndef MUTATIONS
# define MUTATIONS 400 /* of all files together; targets of whole runs have fewer */
#endif

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

/* An exact allocation each time, so that the address sanitizer sees any step outside. */
static void run_copy(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size == 0 ? 1 : size);

	if (copy == NULL) {
		abort();
	}
	memcpy(copy, data, size);
	(void)LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static size_t mutate(uint8_t *data, size_t size, uint64_t *state)
{
	size_t at = 0;

	if (size == 0) {
		return 0;
	}
	at = next_random(state) % size;
	switch (next_random(state) % 4) {
	case 0:
		data[at] = (uint8_t)next_random(state);
		return size;
	case 1:
		data[at] ^= (uint8_t)(1u << (next_random(state) % 8));
		return size;
	case 2:
		memmove(data + at, data + at + 1, size - at - 1);
		return size - 1;
	default:
		if (size < INPUT_MAX) {
			memmove(data + at + 1, data + at, size - at);
			return size + 1;
		}
		return size;
	}
}

static void run_mutations(const uint8_t *seed, size_t seed_size, unsigned nmutations)
{
	static uint8_t data[INPUT_MAX + 1];
	uint64_t state = seed_size;

	for (unsigned i = 0; i < nmutations; i++) {
		size_t size = seed_size;
		unsigned n = 1 + (unsigned)(next_random(&state) % 8);

		memcpy(data, seed, seed_size);
		while (n-- > 0) {
			size = mutate(data, size, &state);
		}
		run_copy(data, size);
	}
}

static bool run_file(const char *path, unsigned nmutations)
{
	static uint8_t data[INPUT_MAX];
	FILE *file = fopen(path, "r");
	size_t size = 0;

	if (file == NULL) {
		perror(path);
		return false;
	}
	size = fread(data, 1, sizeof(data), file);
	(void)fclose(file);
	run_copy(data, size);
	run_mutations(data, size, nmutations);
	return true;
}

struct paths {
	char **all;
	unsigned n;
};

static void add_path(struct paths *paths, char *path)
{
	paths->all = realloc(paths->all, (paths->n + 1) * sizeof(*paths->all));
	if (paths->all == NULL || path == NULL) {
		abort();
	}
	paths->all[paths->n++] = path;
}

static bool add_directory(struct paths *paths, const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *item = NULL;
	char *name = NULL;

	if (dir == NULL) {
		perror(path);
		return false;
	}
	while ((item = readdir(dir)) != NULL) {
		if (item->d_name[0] != '.') {
			if (asprintf(&name, "%s/%s", path, item->d_name) < 0) {
				abort();
			}
			add_path(paths, name);
		}
	}
	(void)closedir(dir);
	return true;
}

int main(int argc, char *argv[])
{
	struct paths paths = {NULL, 0};
	struct stat status;
	unsigned nmutations = 0;
	const char *length = getenv("DIT_LONG");
	bool is_long = length != NULL && strcmp(length, "yes") == 0;
	bool is_right = true;

	for (int i = 1; i < argc; i++) {
		if (stat(argv[i], &status) == 0 && S_ISDIR(status.st_mode)) {
			is_right = add_directory(&paths, argv[i]) && is_right;
		} else {
			add_path(&paths, strdup(argv[i]));
		}
	}
	is_right = is_right && paths.n > 0;
	nmutations = is_long ? 10 * MUTATIONS : MUTATIONS;
	nmutations = paths.n > 0 ? (nmutations + paths.n - 1) / paths.n : 0;
	for (unsigned i = 0; i < paths.n; i++) {
		is_right = run_file(paths.all[i], nmutations) && is_right;
		free(paths.all[i]);
	}
	free(paths.all);
	(void)printf("%u files, %u mutations of each\n", paths.n, nmutations);
	return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
