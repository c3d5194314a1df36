/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a fuzz target without a fuzzer: each corpus file as it is, and a few thousand
 * deterministic mutations of it (bytes changed, removed, repeated).
 *
 *   fuzz_NAME FILE-OR-DIRECTORY...
 *
 * hours.sh gives this main another name: libFuzzer has its own.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define INPUT_MAX (64u << 10)
#ifndef MUTATIONS
# define MUTATIONS 300 /* of each file; targets of whole runs have fewer */
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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

static void run_mutations(const uint8_t *seed, size_t seed_size)
{
	static uint8_t data[INPUT_MAX + 1];
	uint64_t state = seed_size;

	for (int i = 0; i < MUTATIONS; i++) {
		size_t size = seed_size;
		unsigned n = 1 + (unsigned)(next_random(&state) % 8);

		memcpy(data, seed, seed_size);
		while (n-- > 0) {
			size = mutate(data, size, &state);
		}
		run_copy(data, size);
	}
}

static int run_file(const char *path)
{
	static uint8_t data[INPUT_MAX];
	FILE *file = fopen(path, "r");
	size_t size = 0;

	if (file == NULL) {
		perror(path);
		return 1;
	}
	size = fread(data, 1, sizeof(data), file);
	(void)fclose(file);
	run_copy(data, size);
	run_mutations(data, size);
	return 0;
}

static int run_directory(const char *path, unsigned *nfiles)
{
	DIR *dir = opendir(path);
	struct dirent *item = NULL;
	char name[4096];
	int failed = 0;

	if (dir == NULL) {
		perror(path);
		return 1;
	}
	while ((item = readdir(dir)) != NULL) {
		if (item->d_name[0] != '.') {
			(void)snprintf(name, sizeof(name), "%s/%s", path, item->d_name);
			failed |= run_file(name);
			(*nfiles)++;
		}
	}
	(void)closedir(dir);
	return failed;
}

int main(int argc, char *argv[])
{
	struct stat status;
	unsigned nfiles = 0;
	int failed = 0;

	for (int i = 1; i < argc; i++) {
		if (stat(argv[i], &status) == 0 && S_ISDIR(status.st_mode)) {
			failed |= run_directory(argv[i], &nfiles);
		} else {
			failed |= run_file(argv[i]);
			nfiles++;
		}
	}
	(void)printf("%u files, %d mutations of each\n", nfiles, MUTATIONS);
	return failed != 0 || nfiles == 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
