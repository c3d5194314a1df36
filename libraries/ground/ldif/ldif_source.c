/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inputs of the LDIF reader: pread or read, what the first bytes tell, and a piece given
 * back.
 *
 * The first bytes are read apart from the others. Those of the text, which may be packed,
 * are given back, so they come again with the first read of the caller.
 */
#include "ldif/ldif_source.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cut.h"
#include "base/error.h"
#include "base/grow.h"
#include "ldif/input_kind.h"
#include "system/file_io.h"

int dit_ldif_source_open(struct dit_ldif_source *source, int fd,
                         const struct dit_stop *stop, bool is_threaded)
{
	struct stat st;
	off_t offset = 0;

	*source = (struct dit_ldif_source){
		.fd = fd, .stop = stop, .is_threaded = is_threaded, .end = UINT64_MAX};
	if (fstat(fd, &st) < 0) {
		int r = -errno;

		dit_ldif_source_close(source);
		return r;
	}
	offset = S_ISREG(st.st_mode) ? lseek(fd, 0, SEEK_CUR) : -1;
	if (offset >= 0) {
		source->is_regular = true;
		source->size = (uint64_t)st.st_size;
		source->offset = (uint64_t)offset;
	}
	return 0;
}

void dit_ldif_source_close(struct dit_ldif_source *source)
{
	dit_unpack_free(source->unpack); /* joins its thread, which reads */
	dit_digest_free(source->digest);
	free(source->rest);
	(void)close(source->fd);
	*source = (struct dit_ldif_source){.fd = -1};
}

static size_t read_rest(struct dit_ldif_source *source, char *buffer, size_t size)
{
	size_t n = source->rest_end - source->rest_at;

	n = n < size ? n : size;
	if (n > 0) {
		memcpy(buffer, source->rest + source->rest_at, n);
	}
	source->rest_at += n;
	return n;
}

static ssize_t read_regular(const struct dit_ldif_source *source, char *buffer,
                            size_t size)
{
	ssize_t n = 0;

	if (dit_stop_is_set(source->stop)) {
		return DIT_E_STOPPED;
	}
	if (size > source->end - source->offset) {
		size = (size_t)(source->end - source->offset);
	}
	do {
		n = pread(source->fd, buffer, size, (off_t)source->offset);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

/* The next bytes from the descriptor. */
static ssize_t read_raw(struct dit_ldif_source *source, char *buffer, size_t size)
{
	ssize_t n = source->is_regular
	                    ? read_regular(source, buffer, size)
	                    : dit_read_some(source->fd, buffer, size, source->stop);

	if (n > 0) {
		source->offset += (uint64_t)n;
		if (source->digest != NULL) {
			dit_digest_add(source->digest, buffer, (size_t)n);
		}
	}
	return n;
}

/* A callback of the unpacker. */
static ssize_t read_packed(void *ctx, char *buffer, size_t size)
{
	return read_raw(ctx, buffer, size);
}

/* The next bytes of the text: unpacked, if they are packed. */
static ssize_t read_text(struct dit_ldif_source *source, char *buffer, size_t size)
{
	struct dit_unpack *unpack = source->unpack;
	ssize_t n = unpack == NULL
	                    ? read_raw(source, buffer, size)
	                    : dit_unpack_read(unpack, buffer, size, &source->nread);

	if (n == DIT_E_INVALID || n == DIT_E_UNSUPPORTED) {
		(void)snprintf(source->why, sizeof(source->why), "%s",
		               dit_unpack_error(unpack));
	}
	if (n > 0) {
		source->nread += unpack == NULL ? (uint64_t)n : 0;
		source->is_fresh = true;
	}
	return n;
}

/* ---- the first bytes ---- */

/*
 * Enough for the look: a line, or DIT_INPUT_KIND_BYTES, or all there is. A person who
 * types is not kept waiting. An error after some bytes is met again by the next read.
 *
 * @return 1; 0: there are none; negative
 */
static int read_start(struct dit_ldif_source *source, char *buffer, struct dit_span *ret)
{
	size_t len = 0;
	ssize_t n = 0;

	do {
		n = read_text(source, buffer + len, DIT_INPUT_KIND_BYTES - len);
		len += n > 0 ? (size_t)n : 0;
	} while (n > 0 && len < DIT_INPUT_KIND_BYTES &&
	         memchr(buffer, '\n', len) == NULL);
	*ret = (struct dit_span){buffer, len};
	return len > 0 ? 1 : (int)n;
}

static int refuse_start(struct dit_ldif_source *source, const char *what)
{
	(void)snprintf(source->why, sizeof(source->why), "no LDIF, but %s", what);
	return DIT_E_INVALID;
}

/* How long the byte order mark is that is passed over. */
static size_t mark_bytes(const struct dit_ldif_source *source, struct dit_span start)
{
	static const struct dit_span mark = {"\357\273\277", 3};

	return !source->keeps_mark && start.len >= mark.len &&
	                       memcmp(start.data, mark.data, mark.len) == 0
	               ? mark.len
	               : 0;
}

/* The text begins with what the packed data is unpacked to. @return as read_start() */
static int begin_unpack(struct dit_ldif_source *source, char *buffer,
                        struct dit_span *start)
{
	struct dit_unpack_opts opts = {.read = read_packed,
	                               .ctx = source,
	                               .start = *start,
	                               .is_threaded = source->is_threaded};
	int r = dit_unpack_new(&source->unpack, &opts);

	r = r < 0 ? r : read_start(source, buffer, start);
	return r > 0 && dit_pack_format_of(*start) != DIT_PACK_NONE
	               ? refuse_start(source, "compressed twice")
	               : r;
}

/* Look at the first bytes. @return 1; 0: there are none; negative */
static int begin(struct dit_ldif_source *source)
{
	char bytes[DIT_INPUT_KIND_BYTES];
	struct dit_span start = {0};
	const char *other = NULL;
	int r = read_start(source, bytes, &start);

	source->is_begun = r > 0;
	if (r > 0 && dit_pack_format_of(start) != DIT_PACK_NONE) {
		r = begin_unpack(source, bytes, &start);
	}
	if (r <= 0) {
		return r;
	}
	other = dit_input_other_than_ldif(start);
	if (other != NULL) {
		return refuse_start(source, other);
	}
	dit_cut(&start, mark_bytes(source, start));
	r = dit_ldif_source_unread(source, start.data, start.len);
	return r < 0 ? r : 1;
}

ssize_t dit_ldif_source_read(struct dit_ldif_source *source, char *buffer, size_t size)
{
	ssize_t n = source->is_begun ? 1 : begin(source);

	if (n <= 0) {
		return n;
	}
	n = (ssize_t)read_rest(source, buffer, size);
	return n > 0 ? n : read_text(source, buffer, size);
}

int dit_ldif_source_unread(struct dit_ldif_source *source, const char *bytes,
                           size_t nbytes)
{
	if (!source->is_fresh) {
		/* It all came from the rest, and lies there still. */
		assert(nbytes <= source->rest_at);
		source->rest_at -= nbytes;
		return 0;
	}
	if (nbytes > source->rest_size &&
	    DIT_GROW(source->rest, source->rest_size, nbytes) < 0) {
		return -ENOMEM;
	}
	if (nbytes > 0) {
		memcpy(source->rest, bytes, nbytes);
	}
	source->rest_at = 0;
	source->rest_end = nbytes;
	source->is_fresh = false;
	return 0;
}

bool dit_ldif_source_can_skip(const struct dit_ldif_source *source)
{
	char start[DIT_PACK_MAGIC_BYTES];
	ssize_t n = source->is_regular ? pread(source->fd, start, sizeof(start), 0) : -1;

	return n >= 0 &&
	       dit_pack_format_of((struct dit_span){start, (size_t)n}) == DIT_PACK_NONE;
}

void dit_ldif_source_skip(struct dit_ldif_source *source, uint64_t offset)
{
	source->offset = offset;
	source->nread = offset;
	source->is_begun = true;
	source->rest_at = 0;
	source->rest_end = 0;
	source->is_fresh = false;
}
