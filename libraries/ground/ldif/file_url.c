/* SPDX-License-Identifier: BSD-2-Clause */
/* "file:" URLs: percent escapes, open, read. */
#include "ldif/file_url.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/cut.h"
#include "system/file_io.h"

/* First guess for what has no known size: a pipe, or a file of /proc. */
#define READ_BYTES_MIN ((size_t)4096)

/* The still escaped path after "file:" or "file://". */
static int split_url(struct dit_span url, struct dit_span *ret)
{
	struct dit_span rest = url;

	if (!dit_cut_prefix(&rest, DIT_SPAN("file:"))) {
		return -EINVAL;
	}
	if (dit_cut_prefix(&rest, DIT_SPAN("//")) &&
	    (rest.len == 0 || rest.data[0] != '/')) {
		return -EINVAL;
	}
	*ret = rest;
	return 0;
}

/* @return 0, or why the rules refuse the open file */
static int check_rules(int fd, const struct dit_file_rules *rules)
{
	int r = rules != NULL && rules->allow_special ? 1 : dit_regular_file_check(fd);
	struct stat st;

	/* Reading a directory fails by itself. */
	if (r == 0 && fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
		return 0;
	}
	return r == 0 ? -ENOTSUP : r < 0 ? r : 0;
}

static int open_checked(const char *path, const struct dit_file_rules *rules)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	return dit_fd_checked(fd, fd < 0 ? -errno : check_rules(fd, rules));
}

int dit_file_url_open(struct dit_span url, const struct dit_file_rules *rules)
{
	struct dit_span escaped = {NULL, 0};
	char *path = NULL;
	ptrdiff_t len = 0;
	int r = 0;

	if (rules != NULL && rules->refuse_all) {
		return -EPERM;
	}
	r = split_url(url, &escaped);
	if (r < 0) {
		return r;
	}
	path = malloc(escaped.len + 1);
	if (path == NULL) {
		return -ENOMEM;
	}
	len = memchr(escaped.data, '\0', escaped.len) != NULL
	              ? -1
	              : dit_ascii_unescape_url(escaped, path);
	if (len < 0) {
		r = -EINVAL;
	} else {
		path[len] = '\0';
		r = open_checked(path, rules);
	}
	free(path);
	return r;
}

const char *dit_file_url_reason(int error, const struct dit_file_rules *rules)
{
	if (rules != NULL && rules->refuse_all && error == -EPERM) {
		return ": --no-urls is given";
	}
	if (rules != NULL && rules->value_max > 0 && error == -EFBIG) {
		return ": the files of the record are longer than --max-record allows";
	}
	return error == -ENOTSUP ? ": a pipe, a device or a file of the kernel, and "
	                           "--special-urls is not given"
	                         : "";
}

/* Size of a regular file and one more, so that the first round meets its end. */
static size_t first_size(int fd)
{
	struct stat st;

	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    (uint64_t)st.st_size < SIZE_MAX / 4 &&
	    (size_t)st.st_size + 1 > READ_BYTES_MIN) {
		return (size_t)st.st_size + 1;
	}
	return READ_BYTES_MIN;
}

static int read_to_end(int fd, const struct dit_file_rules *rules,
                       struct dit_arena *arena, struct dit_span *ret)
{
	const struct dit_stop *stop = rules == NULL ? NULL : rules->stop;
	size_t max = rules == NULL || rules->value_max == 0 ? SIZE_MAX - 1
	                                                    : (size_t)rules->value_max;
	size_t first = first_size(fd);
	size_t size = 0;
	size_t len = 0;
	char *buffer = NULL;

	if (first > max + 1 && first > READ_BYTES_MIN) {
		return -EFBIG;
	}
	while (len == size) {
		ssize_t n = 0;

		if (DIT_ARENA_DOUBLE(arena, buffer, len, size, first) < 0) {
			return -ENOMEM;
		}
		n = dit_read_full(fd, buffer + len, size - len, stop);
		if (n < 0) {
			return (int)n;
		}
		len += (size_t)n;
		if (len > max) {
			return -EFBIG;
		}
	}
	dit_arena_trim(arena, buffer, len);
	ret->data = buffer;
	ret->len = len;
	return 0;
}

/* Read an open file, unless it is an error, and close it. */
static int read_and_close(int fd, const struct dit_file_rules *rules,
                          struct dit_arena *arena, struct dit_span *ret)
{
	int r = fd < 0 ? fd : read_to_end(fd, rules, arena, ret);

	dit_close(fd);
	return r;
}

int dit_file_url_read(struct dit_span url, const struct dit_file_rules *rules,
                      struct dit_arena *arena, struct dit_span *ret)
{
	return read_and_close(dit_file_url_open(url, rules), rules, arena, ret);
}

int dit_file_read(const char *path, struct dit_arena *arena, struct dit_span *ret)
{
	return read_and_close(open_checked(path, NULL), NULL, arena, ret);
}
