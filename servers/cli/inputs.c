/* SPDX-License-Identifier: BSD-2-Clause */
#include "inputs.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* @param path  taken, also on failure; NULL: standard input */
static int add_path(struct inputs *inputs, char *path)
{
	const char **paths = reallocarray(inputs->paths, inputs->n + 1, sizeof(*paths));

	if (paths == NULL) {
		free(path);
		return -ENOMEM;
	}
	inputs->paths = paths;
	paths[inputs->n++] = path;
	return 0;
}

static int select_ldif(const struct dirent *item)
{
	return fnmatch("*.ldif*", item->d_name, FNM_PERIOD) == 0 &&
	       fnmatch("*.xxh128", item->d_name, 0) != 0;
}

static int compare_names(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int add_directory(struct inputs *inputs, const char *directory)
{
	struct dirent **items = NULL;
	int n = scandir(directory, &items, select_ldif, compare_names);
	int r = n < 0 ? -errno : n == 0 ? -ENOENT : 0;

	for (int i = 0; i < n; i++) {
		char *path = NULL;

		if (r == 0) {
			r = asprintf(&path, "%s/%s", directory, items[i]->d_name) < 0
			            ? -ENOMEM
			            : add_path(inputs, path);
		}
		free(items[i]);
	}
	free(items);
	return r;
}

/* @return 0; -errno */
static int add(struct inputs *inputs, const char *text)
{
	struct stat status;
	char *path = NULL;

	if (strcmp(text, "-") == 0) {
		for (size_t i = 0; i < inputs->n; i++) {
			if (inputs->paths[i] == NULL) {
				return -EALREADY;
			}
		}
		return add_path(inputs, NULL);
	}
	if (stat(text, &status) == 0 && S_ISDIR(status.st_mode)) {
		return add_directory(inputs, text);
	}
	path = strdup(text);
	return path == NULL ? -ENOMEM : add_path(inputs, path);
}

int inputs_add(struct inputs *inputs, const char *program, const char *text)
{
	int r = add(inputs, text);

	switch (r) {
	case 0:
		return 0;
	case -EALREADY:
		(void)fprintf(stderr,
		              "%s: standard input (-l -) can be read only once\n"
		              "%s --help says more\n",
		              program, program);
		return -1;
	case -ENOENT:
		(void)fprintf(stderr, "%s: %s: a directory without files *.ldif*\n",
		              program, text);
		return -1;
	default:
		(void)fprintf(stderr, "%s: %s: %s\n", program, text, strerror(-r));
		return -1;
	}
}

void inputs_deinit(struct inputs *inputs)
{
	for (size_t i = 0; i < inputs->n; i++) {
		free((void *)inputs->paths[i]);
	}
	free((void *)inputs->paths);
}

bool inputs_wait_for_terminal(const struct inputs *inputs)
{
	bool has_standard_input = inputs->n == 0;

	for (size_t i = 0; i < inputs->n; i++) {
		has_standard_input = has_standard_input || inputs->paths[i] == NULL;
	}
	return has_standard_input && isatty(STDIN_FILENO) == 1;
}
