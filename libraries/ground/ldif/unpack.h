/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packed input, unpacked as it is read: gzip, zstd, xz and bzip2.
 *
 *   dit_unpack_new();  dit_unpack_read() ...;  dit_unpack_free()
 *
 * A thread of its own reads and unpacks ahead, into four slots of 256 KiB; when they are
 * full it waits. So data of any size takes 1 MiB, and what the format needs
 * (128 MiB at most). Without the thread, reading unpacks.
 *
 * Members that follow each other make one text. Only whole members count: data that is
 * cut off or damaged ends with an error, after the text before the place. A checksum
 * that is wrong shows at the end of its block or member only, when text of it was read
 * already.
 *
 * Threads: new, read and free belong to one thread; the callback is called by the
 * unpacker's thread, if it has one.
 */
#ifndef DITKIT_UNPACK_H
#define DITKIT_UNPACK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/span.h"

struct dit_unpack;

/** Read packed bytes. @return count; 0: end of input; negative: an error, passed on */
typedef ssize_t (*dit_unpack_read_fn)(void *ctx, char *buffer, size_t size);

struct dit_unpack_opts {
	dit_unpack_read_fn read;
	void *ctx; /* borrowed until dit_unpack_free() */
	/* The first bytes, read already, 64 KiB at most; borrowed for the call. */
	struct dit_span start;
	bool is_threaded; /* start a thread, "unpack" */
};

/** @return 0; -ENOMEM; -EAGAIN and other codes of pthread_create() */
int dit_unpack_new(struct dit_unpack **ret, const struct dit_unpack_opts *opts);

/** Waits for the callback. NULL is fine. */
void dit_unpack_free(struct dit_unpack *unpack);

/**
 * Take up to @p size unpacked bytes.
 *
 * @param ret_packed  how many packed bytes all that was unpacked so far was
 *
 * @return count; 0: the end; DIT_E_INVALID: damaged or cut off, and DIT_E_UNSUPPORTED:
 *         needs too much memory, see dit_unpack_error(); -ENOMEM; an error of the
 *         callback
 */
ssize_t dit_unpack_read(struct dit_unpack *unpack, char *buffer, size_t size,
                        uint64_t *ret_packed);

/** After DIT_E_INVALID and DIT_E_UNSUPPORTED: what is wrong, and where ("the gzip data is
 * damaged at byte 4711"); points into the unpacker. */
const char *dit_unpack_error(const struct dit_unpack *unpack);

#endif
