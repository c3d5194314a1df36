/* SPDX-License-Identifier: BSD-2-Clause */
#include "inputs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ditkit/path.h>
#include <ditkit/split.h>
#include <jansson.h>

#include "arguments.h"
#include "default_paths.h"
#include "run_facts.h"

/* ---- parts of a split: part-R-of-N.ldif*, and digests ---- */

#define NAME_BYTES        64
#define PART_DIGEST_BYTES 33 /* 32 digits and NUL */

#define TELL(format, ...) common_say(1, "%s: " format, directory, __VA_ARGS__)

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

static int compare_parts(const void *a, const void *b)
{
	return strverscmp((*(struct dirent *const *)a)->d_name,
	                  (*(struct dirent *const *)b)->d_name);
}

/* Put names of parts in order, and check that they are all parts of one split, each once.
 * 0; 1: told */
static int sort_parts(const char *directory, struct dirent **items, size_t n)
{
	unsigned all = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned number = 0;
		unsigned other = 0;

		if (read_name(items[i]->d_name, &number, &other) == 0) {
			return TELL(
				"%s is no part, but other files are: remove what does "
				"not belong there",
				items[i]->d_name);
		}
		if (i > 0 && other != all) {
			return TELL(
				"%s and %s come from different splits: remove the older one",
				items[0]->d_name, items[i]->d_name);
		}
		all = other;
	}
	qsort(items, n, sizeof(struct dirent *), compare_parts);
	for (unsigned i = 0; i < all || i < n; i++) {
		unsigned number = all;

		if (i < n) {
			(void)read_name(items[i]->d_name, &number, &all);
		}
		if (number > i) {
			return TELL("there is no " DIT_SPLIT_PART "*: run ditsplit "
			            "--part %u/%u again",
			            i, all, i, all);
		}
		if (number < i) {
			return TELL("%s and %s are the same part: remove the older one",
			            items[i - 1]->d_name, items[i]->d_name);
		}
	}
	return 0;
}

struct part_digests {
	char part[PART_DIGEST_BYTES];
	char map[PART_DIGEST_BYTES]; /* by which it was split; "": not told */
};

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

/* 0; 1: told */
static int read_digests(const char *directory, const char *name, struct part_digests *ret)
{
	const char *why = "no digest of this part";
	bool is_read = false;
	unsigned number = 0;
	unsigned n = 0;
	char *path = NULL;
	FILE *file = NULL;
	int fd = -1;

	*ret = (struct part_digests){.map = ""};
	if (asprintf(&path, "%s/%s" DIT_SPLIT_DIGESTS, directory, name) < 0) {
		return TELL("%s", strerror(ENOMEM));
	}
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	file = fd < 0 ? NULL : fdopen(fd, "r");
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

/* ---- files ---- */

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
static int add_parts(struct inputs *inputs, const char *directory, struct dirent **items,
                     size_t n)
{
	struct part_digests first = {.map = ""};
	int r = sort_parts(directory, items, n);

	for (size_t i = 0; i < n && r == 0; i++) {
		struct part_digests digests;

		if (read_digests(directory, items[i]->d_name, &digests) != 0) {
			return 1;
		}
		first = i == 0 ? digests : first;
		if (strcmp(digests.map, first.map) != 0) {
			return TELL(
				"%s and %s were split by two maps, of two inputs, or for "
				"two shards: run ditsplit again for all parts",
				items[0]->d_name, items[i]->d_name);
		}
		r = add_file(inputs, directory, items[i]->d_name, digests.part);
	}
	return r;
}

static int add_files(struct inputs *inputs, const char *directory, struct dirent **items,
                     size_t n)
{
	int r = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned number = 0;
		unsigned all = 0;

		if (read_name(items[i]->d_name, &number, &all) > 0) {
			return add_parts(inputs, directory, items, n);
		}
	}
	for (size_t i = 0; i < n && r == 0; i++) {
		r = add_file(inputs, directory, items[i]->d_name, NULL);
	}
	return r;
}

static int add_directory(struct inputs *inputs, const char *directory)
{
	struct dirent **items = NULL;
	int n = scandir(directory, &items, select_ldif, alphasort);
	int r = n < 0 ? -errno : n == 0 ? -ENOENT : 0;

	r = r ?: add_files(inputs, directory, items, (size_t)n);
	for (int i = 0; i < n; i++) {
		free(items[i]);
	}
	free(items);
	return r;
}

/* @return 0; -errno; 1: told */
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
		return add_path(inputs, NULL, NULL);
	}
	if (stat(text, &status) == 0 && S_ISDIR(status.st_mode)) {
		return add_directory(inputs, text);
	}
	path = strdup(text);
	return path == NULL ? -ENOMEM : add_path(inputs, path, NULL);
}

int inputs_add(struct inputs *inputs, const char *text)
{
	int r = add(inputs, text);

	switch (r) {
	case 0:
		return 0;
	case 1:
		return -1;
	case -EALREADY:
		(void)common_say(0, "standard input (-l -) can be read only once");
		return common_point_to_help();
	case -ENOENT:
		return common_fail_path(text, "a directory without files *.ldif*");
	default:
		return common_fail_path(text, strerror(-r));
	}
}

void inputs_tell_again(const char *path)
{
	const char *slash = path == NULL ? NULL : strrchr(path, '/');
	unsigned number = 0;
	unsigned n = 0;

	if (slash != NULL && read_name(slash + 1, &number, &n) > 0) {
		(void)common_say(0, "run ditsplit --part %u/%u again", number, n);
		return;
	}
	(void)common_say(0,
	                 "nothing was changed; if a part is damaged (xxh128sum -c "
	                 "tells), run ditsplit --part R/N again, with the R and N of its "
	                 "name");
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
		(void)common_say(0, "reading LDIF from the terminal; Ctrl-D ends it");
	}
}

/* @param path  NULL: standard input */
static bool is_file(const char *path, const struct stat *file)
{
	struct stat st;
	int r = path == NULL ? fstat(STDIN_FILENO, &st) : stat(path, &st);

	return r == 0 && S_ISREG(st.st_mode) && st.st_dev == file->st_dev &&
	       st.st_ino == file->st_ino;
}

/* The same name in the same directory, whether it is there or not. */
static bool is_one_name(const char *a, const char *b)
{
	const char *paths[] = {a, b};
	const char *names[2];
	struct stat directories[2];
	unsigned n = 0;

	for (int i = 0; i < 2; i++) {
		int fd = dit_path_open_parent(paths[i], &names[i], NULL);

		n += fd >= 0 && fstat(fd, &directories[i]) == 0;
		if (fd >= 0) {
			(void)close(fd);
		}
	}
	return n == 2 && strcmp(names[0], names[1]) == 0 &&
	       directories[0].st_dev == directories[1].st_dev &&
	       directories[0].st_ino == directories[1].st_ino;
}

/* @param before  other results
 * @return why a result is not written there; NULL: it is */
static const char *objection(const struct inputs *inputs,
                             const struct common_options *options, const char *path,
                             const char *const *before, size_t number)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash == NULL ? path : slash + 1;
	struct stat result;
	bool is_there = stat(path, &result) == 0;
	bool is_input = is_there && has_standard_input(inputs) && is_file(NULL, &result);

	for (size_t i = 0; i < inputs->n && is_there; i++) {
		is_input = is_input || is_file(inputs->paths[i], &result);
	}
	if (is_input) {
		return "this is an input, which would be lost";
	}
	/* Also where it is not there yet: the load is going to make it. */
	if (strcmp(name, "data.mdb") == 0 || strcmp(name, "lock.mdb") == 0) {
		return "this is a file of a database, which would be lost";
	}
	if (is_there &&
	    is_file(options->conf != NULL ? options->conf : DIT_DEFAULT_CONF, &result)) {
		return "this is the configuration, which would be lost";
	}
	for (size_t i = 0; i < number && strncmp(path, "/dev/", 5) != 0; i++) {
		if (is_one_name(before[i], path) ||
		    (is_there && is_file(before[i], &result))) {
			return "two results cannot go to one file";
		}
	}
	return NULL;
}

int inputs_keep(const struct inputs *inputs, const struct common_options *options)
{
	static const int results[] = {OPT_REJECTS, OPT_STATS, OPT_REPORT};
	const char *paths[sizeof(results) / sizeof(results[0])];
	size_t n = 0;

	for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++) {
		const char *path = common_text(options, results[i]);
		const char *reason =
			path == NULL ? NULL : objection(inputs, options, path, paths, n);

		if (reason != NULL) {
			return common_fail_path(path, reason);
		}
		paths[n] = path;
		n += path != NULL;
	}
	return 0;
}

/* A signal that comes just before the call does not end the wait, so that is short. */
static int drain(int pipe, int fd, const volatile sig_atomic_t *stop)
{
	struct pollfd input = {.fd = pipe, .events = POLLIN};
	ssize_t n = 1;

	while (n != 0 && *stop == 0) {
		n = poll(&input, 1, 100) != 1 ? 1
		                              : splice(pipe, NULL, fd, NULL, 1U << 20, 0);
		if (n < 0 && errno != EINTR) {
			return -1;
		}
	}
	return lseek(fd, 0, SEEK_SET) < 0 || dup2(fd, pipe) < 0 ? -1 : 0;
}

int inputs_pipe(const char *path)
{
	struct stat st;
	int fd = STDIN_FILENO;

	if (path != NULL && strcmp(path, "/dev/stdin") != 0 &&
	    sscanf(path, "/dev/fd/%d", &fd) != 1) {
		return -1;
	}
	return fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode) ? fd : -1;
}

static int drain_pipe(const char *path, const volatile sig_atomic_t *stop)
{
	int pipe = inputs_pipe(path);
	int fd = pipe < 0 ? -1 : memfd_create("input", MFD_CLOEXEC);
	int r = pipe < 0 ? 0 : fd < 0 ? -1 : drain(pipe, fd, stop);

	if (r < 0) {
		(void)common_fail_path(path == NULL ? "standard input" : path,
		                       strerror(errno));
	}
	if (fd >= 0) {
		(void)close(fd);
	}
	return r;
}

int inputs_drain_pipes(const struct inputs *inputs, const volatile sig_atomic_t *stop)
{
	int r = inputs->n == 0 ? drain_pipe(NULL, stop) : 0;

	for (size_t i = 0; i < inputs->n && r == 0; i++) {
		r = drain_pipe(inputs->paths[i], stop);
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
