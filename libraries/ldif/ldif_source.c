/* SPDX-License-Identifier: BSD-2-Clause */
/* Inputs of the LDIF reader: pread or read, and a piece given back. */
#include "ldif/ldif_source.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/whole_io.h"

int dit_ldif_source_open(struct dit_ldif_source *source, int fd,
                         const struct dit_stop *stop)
{
	struct stat st;
	off_t offset = 0;

	*source = (struct dit_ldif_source){.fd = fd, .stop = stop};
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
	do {
		n = pread(source->fd, buffer, size, (off_t)source->offset);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

ssize_t dit_ldif_source_read(struct dit_ldif_source *source, char *buffer, size_t size)
{
	ssize_t n = (ssize_t)read_rest(source, buffer, size);

	if (n > 0) {
		return n;
	}
	n = source->is_regular ? read_regular(source, buffer, size)
	                       : dit_read_some(source->fd, buffer, size, source->stop);
	if (n < 0) {
		return n;
	}
	source->offset += (uint64_t)n;
	source->nread += (uint64_t)n;
	source->is_fresh = source->is_fresh || n > 0;
	return n;
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
	if (nbytes > source->rest_size) {
		char *rest = dit_grow(source->rest, &source->rest_size, nbytes, 1);

		if (rest == NULL) {
			return -ENOMEM;
		}
		source->rest = rest;
	}
	if (nbytes > 0) {
		memcpy(source->rest, bytes, nbytes);
	}
	source->rest_at = 0;
	source->rest_end = nbytes;
	source->is_fresh = false;
	return 0;
}
