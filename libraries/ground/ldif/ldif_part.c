/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The borders of parts. From a place in a file that is not its beginning, the first line
 * is unknown. So the search begins some bytes before the place: if a chunk begins there,
 * its blank line is among them.
 *
 *     sn: x \n \r \n d  n  :            3 bytes: LF CR LF
 *           |        place
 *           from here on lines are known
 *
 * A byte order mark is no part of the first line. Places near it are looked for from the
 * beginning on, so that all parts see the same lines.
 */
#include "ldif/ldif_source.h"

#include "base/error.h"
#include "system/file_io.h"

#define BLANK_BYTES 3 /* LF CR LF */
#define MARK_BYTES  3

struct walk {
	int fd;
	const struct dit_stop *stop;
	uint64_t offset; /* of the buffer's end in the file */
	size_t at;
	size_t fill;
	char buffer[65536];
};

struct line {
	uint64_t offset;
	char first;
	bool is_blank;
};

/* @return 1; 0: the file has ended; negative */
static int fill(struct walk *walk)
{
	ssize_t n = 0;

	if (walk->at < walk->fill) {
		return 1;
	}
	n = dit_stop_is_set(walk->stop) ? DIT_E_STOPPED
	                                : dit_read_at(walk->fd, walk->buffer,
	                                              sizeof(walk->buffer), walk->offset);
	walk->at = 0;
	walk->fill = n < 0 ? 0 : (size_t)n;
	walk->offset += walk->fill;
	return n < 0 ? (int)n : n > 0;
}

/* @return 1; 0: the file has ended; negative */
static int next_line(struct walk *walk, struct line *ret)
{
	const char *lf = NULL;
	uint64_t len = 0;
	int r = fill(walk);

	if (r <= 0) {
		return r;
	}
	ret->offset = walk->offset - (walk->fill - walk->at);
	ret->first = walk->buffer[walk->at];
	while (lf == NULL && r > 0) {
		const char *at = walk->buffer + walk->at;
		size_t left = walk->fill - walk->at;
		size_t n = left;

		lf = memchr(at, '\n', left);
		n = lf == NULL ? left : (size_t)(lf - at) + 1;
		walk->at += n;
		len += n;
		r = lf == NULL ? fill(walk) : r;
	}
	ret->is_blank = lf != NULL && (len == 1 || (len == 2 && ret->first == '\r'));
	return r < 0 ? r : 1;
}

/* @return 0 or negative */
static int begin(struct walk *walk, uint64_t offset)
{
	struct line line = {0};
	int r = 0;

	walk->offset = offset;
	walk->at = 0;
	walk->fill = 0;
	r = offset > 0 ? next_line(walk, &line) : fill(walk);
	if (r > 0 && offset == 0 && walk->fill >= MARK_BYTES &&
	    memcmp(walk->buffer, "\357\273\277", MARK_BYTES) == 0) {
		walk->at = MARK_BYTES;
	}
	return r < 0 ? r : 0;
}

/* The first chunk at a place or after it. */
static int find_chunk(struct walk *walk, uint64_t place, uint64_t size, uint64_t *ret)
{
	uint64_t from = place > MARK_BYTES + BLANK_BYTES ? place - BLANK_BYTES : 0;
	bool is_first = from == 0; /* of the lines of a chunk */
	struct line line = {0};
	int r = begin(walk, from);

	while (r >= 0) {
		r = next_line(walk, &line);
		if (r <= 0) {
			*ret = size;
			return r;
		}
		if (is_first && !line.is_blank && line.offset >= place) {
			*ret = line.offset < size ? line.offset : size;
			return 0;
		}
		is_first = line.is_blank;
	}
	return r;
}

/* The first line that is neither blank nor of a comment. */
static int find_content(struct walk *walk, uint64_t *ret)
{
	bool is_in_comment = false;
	struct line line = {0};
	int r = begin(walk, 0);

	while (r >= 0) {
		r = next_line(walk, &line);
		if (r <= 0) {
			*ret = UINT64_MAX;
			return r;
		}
		is_in_comment = line.first == '#' || (is_in_comment && line.first == ' ');
		if (!line.is_blank && !is_in_comment) {
			*ret = line.offset;
			return 0;
		}
	}
	return r;
}

static int find_border(struct walk *walk, uint64_t size, unsigned number, unsigned n,
                       uint64_t *ret)
{
	uint64_t place = size / n * number + size % n * number / n;

	if (place == 0 || number == n) {
		*ret = place;
		return 0;
	}
	return find_chunk(walk, place, size, ret);
}

int dit_ldif_part_find(int fd, uint64_t size, unsigned number, unsigned n,
                       const struct dit_stop *stop, struct dit_ldif_part *ret)
{
	struct walk walk = {.fd = fd, .stop = stop};
	uint64_t content = 0;
	int r = find_border(&walk, size, number, n, &ret->begin);

	r = r ?: find_border(&walk, size, number + 1, n, &ret->end);
	if (r == 0 && ret->begin > 0) {
		r = find_content(&walk, &content);
	}
	ret->is_at_start = ret->begin == 0 || ret->begin <= content;
	return r;
}

int dit_ldif_part_count_lines(int fd, uint64_t end, const struct dit_stop *stop,
                              uint64_t *ret)
{
	struct walk walk = {.fd = fd, .stop = stop};
	struct line line = {0};
	int r = begin(&walk, 0);

	*ret = 0;
	while (r >= 0) {
		r = next_line(&walk, &line);
		if (r <= 0 || line.offset >= end) {
			return r < 0 ? r : 0;
		}
		++*ret;
	}
	return r;
}
