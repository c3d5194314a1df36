/* SPDX-License-Identifier: BSD-2-Clause */
#include "inputs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>

#include "arguments.h"
#include "part_names.h"
#include "run_facts.h"

/* Room for one more. 0 or -ENOMEM */
static int grow(const char ***list, size_t n)
{
	const char **larger = reallocarray(*list, n + 1, sizeof(*larger));

	if (larger == NULL) {
		return -ENOMEM;
	}
	*list = larger;
	return 0;
}

/* @param path  taken, also on failure; NULL: standard input
 * @param digest  NULL: not known */
static int add_path(struct inputs *inputs, char *path, const char *digest)
{
	char *copy = digest == NULL ? NULL : strdup(digest);

	if (grow(&inputs->paths, inputs->n) < 0 ||
	    grow(&inputs->digests, inputs->n) < 0 || (digest != NULL && copy == NULL)) {
		free(path);
		free(copy);
		return -ENOMEM;
	}
	inputs->has_digests = inputs->has_digests || copy != NULL;
	inputs->digests[inputs->n] = copy;
	inputs->paths[inputs->n++] = path;
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

/* @param digest  NULL: not known. @return 0; -errno */
static int add_file(struct inputs *inputs, const char *directory, const char *name,
                    const char *digest)
{
	char *path = NULL;

	return asprintf(&path, "%s/%s", directory, name) < 0
	               ? -ENOMEM
	               : add_path(inputs, path, digest);
}

/* @return 0; -errno; 1: told */
static int add_parts(struct inputs *inputs, const char *program, const char *directory,
                     char **names, size_t n)
{
	struct part_digests first = {.map = ""};
	int r = part_sort(program, directory, names, n) < 0 ? 1 : 0;

	for (size_t i = 0; i < n && r == 0; i++) {
		struct part_digests digests;

		if (part_read_digests(program, directory, names[i], &digests) < 0) {
			return 1;
		}
		first = i == 0 ? digests : first;
		if (strcmp(digests.map, first.map) != 0) {
			(void)fprintf(stderr,
			              "%s: %s: %s and %s were split by two maps: run "
			              "ditsplit again for all parts, by one map\n",
			              program, directory, names[0], names[i]);
			return 1;
		}
		r = add_file(inputs, directory, names[i], digests.part);
	}
	return r;
}

static int add_files(struct inputs *inputs, const char *program, const char *directory,
                     char **names, size_t n)
{
	int r = 0;

	for (size_t i = 0; i < n; i++) {
		if (part_is_name(names[i])) {
			return add_parts(inputs, program, directory, names, n);
		}
	}
	for (size_t i = 0; i < n && r == 0; i++) {
		r = add_file(inputs, directory, names[i], NULL);
	}
	return r;
}

static int add_directory(struct inputs *inputs, const char *program,
                         const char *directory)
{
	struct dirent **items = NULL;
	int n = scandir(directory, &items, select_ldif, compare_names);
	char **names = n <= 0 ? NULL : calloc((size_t)n, sizeof(*names));
	int r = n < 0 ? -errno : n == 0 ? -ENOENT : names == NULL ? -ENOMEM : 0;

	for (int i = 0; i < n && r == 0; i++) {
		names[i] = items[i]->d_name;
	}
	r = r ?: add_files(inputs, program, directory, names, (size_t)n);
	for (int i = 0; i < n; i++) {
		free(items[i]);
	}
	free(items);
	free(names);
	return r;
}

/* @return 0; -errno; 1: told */
static int add(struct inputs *inputs, const char *program, const char *text)
{
	struct stat status;
	char *path = NULL;

	if (strcmp(text, "-") == 0) {
		for (size_t i = 0; i < inputs->n; i++) {
			if (inputs->paths[i] == NULL) {
				return -EALREADY;
			}
		}
		return add_path(inputs, NULL, NULL);
	}
	if (stat(text, &status) == 0 && S_ISDIR(status.st_mode)) {
		return add_directory(inputs, program, text);
	}
	path = strdup(text);
	return path == NULL ? -ENOMEM : add_path(inputs, path, NULL);
}

int inputs_add(struct inputs *inputs, const char *program, const char *text)
{
	int r = add(inputs, program, text);

	switch (r) {
	case 0:
		return 0;
	case 1:
		return -1;
	case -EALREADY:
		(void)fprintf(stderr,
		              "%s: standard input (-l -) can be read only once\n"
		              "%s --help says more\n",
		              program, program);
		return -1;
	case -ENOENT:
		return common_fail_path(program, text,
		                        "a directory without files *.ldif*");
	default:
		return common_fail_path(program, text, strerror(-r));
	}
}

void inputs_deinit(struct inputs *inputs)
{
	for (size_t i = 0; i < inputs->n; i++) {
		free((void *)inputs->paths[i]);
		free((void *)inputs->digests[i]);
	}
	free((void *)inputs->digests);
	free((void *)inputs->paths);
}

static bool has_standard_input(const struct inputs *inputs)
{
	bool is_read = inputs->n == 0;

	for (size_t i = 0; i < inputs->n; i++) {
		is_read = is_read || inputs->paths[i] == NULL;
	}
	return is_read;
}

void inputs_tell_terminal(const struct inputs *inputs,
                          const struct common_options *options)
{
	if (has_standard_input(inputs) && isatty(STDIN_FILENO) == 1 &&
	    !options->is_silent) {
		(void)fprintf(stderr,
		              "%s: reading LDIF from the terminal; Ctrl-D ends it\n",
		              options->program);
	}
}

/* A signal that comes just before the call does not end the wait, so that is short. */
static int drain(int fd, const volatile sig_atomic_t *stop)
{
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
	ssize_t n = 1;

	while (n != 0 && *stop == 0) {
		n = poll(&input, 1, 100) != 1
		            ? 1
		            : splice(STDIN_FILENO, NULL, fd, NULL, 1U << 20, 0);
		if (n < 0 && errno != EINTR) {
			return -1;
		}
	}
	return lseek(fd, 0, SEEK_SET) < 0 || dup2(fd, STDIN_FILENO) < 0 ? -1 : 0;
}

int inputs_drain_pipe(const struct inputs *inputs, const char *program,
                      const volatile sig_atomic_t *stop)
{
	struct stat st;
	int fd = -1;
	int r = 0;

	if (!has_standard_input(inputs) || fstat(STDIN_FILENO, &st) < 0 ||
	    !S_ISFIFO(st.st_mode)) {
		return 0;
	}
	fd = memfd_create("input", MFD_CLOEXEC);
	r = fd < 0 ? -1 : drain(fd, stop);
	if (r < 0) {
		(void)common_fail_path(program, "standard input", strerror(errno));
	}
	if (fd >= 0) {
		(void)close(fd);
	}
	return r;
}

struct json_t *inputs_json(const struct inputs *inputs, uint64_t bytes)
{
	json_t *files = json_array();

	for (size_t i = 0; i < inputs->n; i++) {
		const char *path = inputs->paths[i];

		(void)json_array_append_new(files, json_text(path == NULL ? "-" : path));
	}
	if (inputs->n == 0) {
		(void)json_array_append_new(files, json_string("-"));
	}
	return json_pack("{s:o, s:o}", "files", files, "bytes", json_number(bytes));
}
