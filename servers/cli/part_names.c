/* SPDX-License-Identifier: BSD-2-Clause */
#include "part_names.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ditkit/split.h>

#define NAME_BYTES 64

#define TELL(format, ...)                                                                \
 ((void)fprintf(stderr, "%s: %s: " format "\n", program, directory, __VA_ARGS__), -1)

/* @return how long the beginning is that tells the part; 0: it is none */
static size_t read_name(const char *name, unsigned *number, unsigned *n)
{
	char text[NAME_BYTES];
	int len = 0;

	if (sscanf(name, DIT_SPLIT_PART, number, n) != 2) {
		return 0;
	}
	/* Neither signs nor zeros in front. */
	len = snprintf(text, sizeof(text), DIT_SPLIT_PART, *number, *n);
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

int part_sort(const char *program, const char *directory, char **names, size_t n)
{
	unsigned all = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned number = 0;
		unsigned other = 0;

		if (read_name(names[i], &number, &other) == 0) {
			return TELL(
				"%s is no part, but other files are: remove what does "
				"not belong there",
				names[i]);
		}
		if (i > 0 && other != all) {
			return TELL("%s and %s are of two splits: remove the older one",
			            names[0], names[i]);
		}
		all = other;
	}
	qsort(names, n, sizeof(*names), compare);
	for (unsigned i = 0; i < all || i < n; i++) {
		unsigned number = all;

		if (i < n) {
			(void)read_name(names[i], &number, &all);
		}
		if (number > i) {
			return TELL("there is no " DIT_SPLIT_PART "*: run ditsplit "
			            "--part %u/%u again",
			            i, all, i, all);
		}
		if (number < i) {
			return TELL("%s and %s are the same part: remove the older one",
			            names[i - 1], names[i]);
		}
	}
	return 0;
}

/* "DIGEST  NAME" @return false: the file has no such line */
static bool read_line(FILE *file, const char *name, char ret[PART_DIGEST_BYTES])
{
	char line[PART_DIGEST_BYTES + NAME_MAX + 3] = "";
	size_t len = PART_DIGEST_BYTES - 1;

	if (fgets(line, sizeof(line), file) == NULL) {
		return false;
	}
	line[strcspn(line, "\n")] = '\0';
	if (strspn(line, "0123456789abcdef") != len ||
	    strncmp(line + len, "  ", 2) != 0 || strcmp(line + len + 2, name) != 0) {
		return false;
	}
	memcpy(ret, line, len);
	ret[len] = '\0';
	return true;
}

int part_read_digests(const char *program, const char *directory, const char *name,
                      struct part_digests *ret)
{
	const char *why = "no digest of this part";
	bool is_read = false;
	unsigned number = 0;
	unsigned n = 0;
	char *path = NULL;
	FILE *file = NULL;

	*ret = (struct part_digests){.map = ""};
	if (asprintf(&path, "%s/%s" DIT_SPLIT_DIGESTS, directory, name) < 0) {
		return TELL("%s", strerror(ENOMEM));
	}
	file = fopen(path, "re");
	free(path);
	if (file == NULL) {
		why = strerror(errno);
	} else {
		is_read = read_line(file, name, ret->part);
		(void)read_line(file, DIT_SPLIT_MAP, ret->map);
		(void)fclose(file);
	}
	if (!is_read) {
		(void)read_name(name, &number, &n);
		return TELL("%s" DIT_SPLIT_DIGESTS
		            ": %s: run ditsplit --part %u/%u again",
		            name, why, number, n);
	}
	return 0;
}

void part_tell_again(const char *program, const char *path)
{
	const char *slash = path == NULL ? NULL : strrchr(path, '/');
	unsigned number = 0;
	unsigned n = 0;

	if (slash != NULL && read_name(slash + 1, &number, &n) > 0) {
		(void)fprintf(stderr, "%s: run ditsplit --part %u/%u again\n", program,
		              number, n);
		return;
	}
	(void)fprintf(stderr,
	              "%s: nothing was changed; if a part is damaged (xxh128sum -c "
	              "tells), run ditsplit --part R/N again, with the R and N of its "
	              "name\n",
	              program);
}
