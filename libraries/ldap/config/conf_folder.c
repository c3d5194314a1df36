/* SPDX-License-Identifier: BSD-2-Clause */
/* Folders and files of a cn=config tree (config.md 6.2 and 6.3). */
#include "config/conf_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/regular_file.h"
#include "base/whole_io.h"

#define NAME_MIN      7 /* slapd looks at no shorter one */
#define ENDING_LEN    (sizeof(DIT_CONF_ENDING) - 1)
#define CHECKSUM_LEN  8
#define CHECKSUM_MARK "# CRC32 "

/* ---- folders ---- */

/*
 * First by the text before '{', then by the number after '{', then by the rest. Bytes
 * compare unsigned.
 */
static int compare_names(const void *left, const void *right)
{
	const char *a = *(char *const *)left;
	const char *b = *(char *const *)right;
	size_t a_len = strcspn(a, "{");
	size_t b_len = strcspn(b, "{");
	int order = memcmp(a, b, a_len < b_len ? a_len : b_len);
	long a_number = 0;
	long b_number = 0;

	if (order != 0 || a_len != b_len) {
		return order != 0 ? order : a_len < b_len ? -1 : 1;
	}
	a_number = a[a_len] == '{' ? strtol(a + a_len + 1, NULL, 10) : 0;
	b_number = b[b_len] == '{' ? strtol(b + b_len + 1, NULL, 10) : 0;
	if (a_number != b_number) {
		return a_number < b_number ? -1 : 1;
	}
	return strcmp(a, b);
}

void dit_conf_listing_deinit(struct dit_conf_listing *listing)
{
	for (size_t i = 0; i < listing->nnames; i++) {
		free(listing->names[i]);
	}
	free(listing->names);
	*listing = (struct dit_conf_listing){0};
}

static int add_name(struct dit_conf_listing *listing, const char *name, size_t len)
{
	char **names = dit_grow(listing->names, &listing->names_size, listing->nnames + 1,
	                        sizeof(*names));

	if (names == NULL) {
		return -ENOMEM;
	}
	listing->names = names;
	names[listing->nnames] = strndup(name, len);
	if (names[listing->nnames] == NULL) {
		return -ENOMEM;
	}
	listing->nnames++;
	return 0;
}

int dit_conf_listing_init(struct dit_conf_listing *listing, const char *dir)
{
	DIR *stream = opendir(dir);
	const struct dirent *item = NULL;
	int r = 0;

	*listing = (struct dit_conf_listing){0};
	if (stream == NULL) {
		return errno == ENOENT ? 0 : -errno;
	}
	errno = 0;
	while (r == 0 && (item = readdir(stream)) != NULL) {
		size_t len = strlen(item->d_name);

		if (len >= NAME_MIN &&
		    strcmp(item->d_name + len - ENDING_LEN, DIT_CONF_ENDING) == 0) {
			r = add_name(listing, item->d_name, len - ENDING_LEN);
		}
		errno = 0;
	}
	r = r == 0 ? -errno : r;
	(void)closedir(stream);
	if (r < 0) {
		dit_conf_listing_deinit(listing);
		return r;
	}
	if (listing->nnames > 1) {
		qsort(listing->names, listing->nnames, sizeof(*listing->names),
		      compare_names);
	}
	return 0;
}

/* ---- files ---- */

/* 0, or -errno. */
static int read_text(int fd, size_t size, struct dit_arena *arena, struct dit_span *ret)
{
	char *text = dit_arena_bytes(arena, size + 1);
	ssize_t len = 0;

	if (text == NULL) {
		return -ENOMEM;
	}
	len = dit_read_full(fd, text, size, NULL);
	if (len < 0) {
		return (int)len;
	}
	text[len] = '\0';
	*ret = (struct dit_span){text, (size_t)len};
	return 0;
}

static int read_file(const char *path, struct dit_arena *arena, struct dit_span *ret)
{
	struct stat st;
	/* Not to wait for whoever writes to a pipe of this name. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int r = 0;

	if (fd < 0) {
		return -errno;
	}
	r = fstat(fd, &st) < 0 ? -errno : dit_regular_file_check(fd);
	if (r > 0) {
		r = read_text(fd, (size_t)st.st_size, arena, ret);
	} else if (r == 0) {
		r = S_ISDIR(st.st_mode) ? -EISDIR : DIT_E_INVALID;
	}
	(void)close(fd);
	return r;
}

/* A second line "# CRC32 xxxxxxxx" is the checksum of the lines after that line. */
static bool has_bad_sum(struct dit_span text)
{
	const size_t mark_len = strlen(CHECKSUM_MARK);
	const char *end = text.data + text.len;
	const char *line = memchr(text.data, '\n', text.len);
	const char *rest = NULL;
	char digits[CHECKSUM_LEN + 1];

	if (line == NULL || (size_t)(end - line) <= mark_len ||
	    memcmp(line + 1, CHECKSUM_MARK, mark_len) != 0) {
		return false;
	}
	rest = memchr(line + 1, '\n', (size_t)(end - line - 1));
	rest = rest == NULL ? end : rest + 1;
	(void)snprintf(digits, sizeof(digits), "%.*s", CHECKSUM_LEN, line + 1 + mark_len);
	return strtoul(digits, NULL, 16) != crc32_z(crc32_z(0, NULL, 0),
	                                            (const unsigned char *)rest,
	                                            (size_t)(end - rest));
}

/* One file holds one record, which ends at an empty line. */
static struct dit_span first_record(struct dit_span text)
{
	const char *line = text.data;
	const char *end = text.data + text.len;

	while (line < end) {
		const char *next = memchr(line, '\n', (size_t)(end - line));
		size_t len = next == NULL ? (size_t)(end - line) : (size_t)(next - line);

		if (len == 0 || (len == 1 && *line == '\r')) {
			break;
		}
		line = next == NULL ? end : next + 1;
	}
	return (struct dit_span){text.data, (size_t)(line - text.data)};
}

int dit_conf_read_record(const char *path, struct dit_arena *arena, struct dit_span *ret,
                         bool *ret_has_bad_sum)
{
	struct dit_span text = {"", 0};
	int r = read_file(path, arena, &text);

	if (r == 0) {
		*ret_has_bad_sum = has_bad_sum(text);
		*ret = first_record(text);
	}
	return r;
}
