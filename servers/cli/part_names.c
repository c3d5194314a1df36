/* SPDX-License-Identifier: BSD-2-Clause */
#include "part_names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_BYTES 64

/* @return how long the beginning is that tells the part; 0: it is none */
static size_t read_name(const char *name, unsigned *number, unsigned *n)
{
	char text[NAME_BYTES];
	int len = 0;

	if (sscanf(name, "part-%u-of-%u.ldif", number, n) != 2) {
		return 0;
	}
	/* Neither signs nor zeros in front. */
	len = snprintf(text, sizeof(text), "part-%u-of-%u.ldif", *number, *n);
	return *number < *n && strncmp(name, text, (size_t)len) == 0 ? (size_t)len : 0;
}

bool part_is_name(const char *name)
{
	unsigned number = 0;
	unsigned n = 0;

	return read_name(name, &number, &n) > 0;
}

static int compare(const void *a, const void *b)
{
	unsigned numbers[2] = {0, 0};
	unsigned n = 0;

	(void)read_name(*(char *const *)a, &numbers[0], &n);
	(void)read_name(*(char *const *)b, &numbers[1], &n);
	return (numbers[0] > numbers[1]) - (numbers[0] < numbers[1]);
}

static int tell_missing(const char *program, const char *directory, unsigned number,
                        unsigned n)
{
	(void)fprintf(stderr,
	              "%s: %s: there is no part-%u-of-%u.ldif*: run ditsplit --part "
	              "%u/%u again\n",
	              program, directory, number, n, number, n);
	return -1;
}

int part_sort(const char *program, const char *directory, char **names, size_t n)
{
	unsigned all = 0;
	unsigned number = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned other = 0;

		if (read_name(names[i], &number, &other) == 0) {
			(void)fprintf(
				stderr,
				"%s: %s: %s is no part, but other files are: remove "
				"what does not belong there\n",
				program, directory, names[i]);
			return -1;
		}
		if (i > 0 && other != all) {
			(void)fprintf(stderr,
			              "%s: %s: %s and %s are of two splits: remove the "
			              "older one\n",
			              program, directory, names[0], names[i]);
			return -1;
		}
		all = other;
	}
	qsort(names, n, sizeof(*names), compare);
	for (size_t i = 0; i < n; i++) {
		(void)read_name(names[i], &number, &all);
		if (number > i) {
			return tell_missing(program, directory, (unsigned)i, all);
		}
		if (number < i) {
			(void)fprintf(stderr,
			              "%s: %s: %s and %s are the same part: remove the "
			              "older one\n",
			              program, directory, names[i - 1], names[i]);
			return -1;
		}
	}
	return n < all ? tell_missing(program, directory, (unsigned)n, all) : 0;
}

/* "DIGEST  NAME" */
static bool is_line(const char *line, const char *name)
{
	size_t len = PART_DIGEST_BYTES - 1;

	return strspn(line, "0123456789abcdef") == len &&
	       strncmp(line + len, "  ", 2) == 0 && strcmp(line + len + 2, name) == 0;
}

int part_read_digest(const char *program, const char *directory, const char *name,
                     char ret[PART_DIGEST_BYTES])
{
	char line[PART_DIGEST_BYTES + 512] = "";
	const char *why = "no digest of this part";
	unsigned number = 0;
	unsigned n = 0;
	char *path = NULL;
	FILE *file = NULL;

	if (asprintf(&path, "%s/%s.xxh128", directory, name) < 0) {
		(void)fprintf(stderr, "%s: %s\n", program, strerror(ENOMEM));
		return -1;
	}
	file = fopen(path, "re");
	if (file == NULL) {
		why = strerror(errno);
	} else if (fgets(line, sizeof(line), file) != NULL) {
		line[strcspn(line, "\n")] = '\0';
	}
	if (file != NULL) {
		(void)fclose(file);
	}
	if (!is_line(line, name)) {
		(void)read_name(name, &number, &n);
		(void)fprintf(stderr, "%s: %s: %s: run ditsplit --part %u/%u again\n",
		              program, path, why, number, n);
		free(path);
		return -1;
	}
	free(path);
	memcpy(ret, line, PART_DIGEST_BYTES - 1);
	ret[PART_DIGEST_BYTES - 1] = '\0';
	return 0;
}
