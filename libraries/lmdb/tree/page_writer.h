/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chunks of finished pages on their way into the data file.
 *
 *   tool threads   make pages │ hand over a chunk │ make pages │ ...
 *   page writer                 write it            │ wait     │ ...
 *
 * Chunks are written past the page cache, if the file system can do that
 * (system/file_io.h): pages of the cache cost a load a fifth of its processor time.
 * Such a write waits for the disk, and the thread waits in place of its caller.
 *
 * Threads: any, at once; a chunk belongs to one of them at a time. A file is handed to
 * dit_page_file_close() after its last chunk.
 */
#ifndef DITKIT_PAGE_WRITER_H
#define DITKIT_PAGE_WRITER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "system/file_io.h"

/** A block of base/slab.h. */
#define DIT_CHUNK_BYTES DIT_DIRECT_BYTES

/** The thread that waits for the disk, and its queue; chunks of all files share it. */
struct dit_page_writer;

/** @param has_thread  false: *ret is NULL. @return 0, -ENOMEM, -EAGAIN */
int dit_page_writer_new(struct dit_page_writer **ret, bool has_thread);
/** All files must be closed. NULL is fine. */
void dit_page_writer_free(struct dit_page_writer *writer);

/** Where chunks go. */
struct dit_page_file {
	/* [const] */
	int fd;        /* borrowed */
	int direct_fd; /* for writes past the page cache; -1: there are none */
	/* Borrowed; NULL: the thread that puts a chunk writes it. */
	struct dit_page_writer *writer;

	/*
	 * [atomic: the first error; relaxed, whoever reads it gives up sooner or later]
	 */
	_Atomic int error;
	/* [atomic: until the file system refuses; relaxed] */
	_Atomic bool is_direct;
	/* [atomic: chunks on their way; the writer's lock orders their data] */
	_Atomic size_t npending;
};

/**
 * @param fd         open for reading and writing; borrowed until the file is closed
 * @param writer     as above
 * @param is_direct  past the page cache, if possible
 */
void dit_page_file_open(struct dit_page_file *file, int fd,
                        struct dit_page_writer *writer, bool is_direct);
/** Wait until all chunks are written. 0 or the first error of any. */
int dit_page_file_drain(struct dit_page_file *file);
/** Drain, close. Closing twice is fine. */
void dit_page_file_close(struct dit_page_file *file);

/**
 * Write a chunk, or the first part of one.
 *
 * @param chunk  of DIT_CHUNK_BYTES, of base/slab.h; taken, also after an error
 * @param len    a multiple of the page size
 *
 * @return 0; or why an earlier chunk, or this one, could not be written: -ENOSPC,
 *         -EDQUOT, -EFBIG, other -errno
 */
int dit_page_file_put(struct dit_page_file *file, char *chunk, size_t len, uint64_t at);

/** Write more than a chunk holds, at once. Errors as above. */
int dit_page_file_write(struct dit_page_file *file, const char *data, size_t len,
                        uint64_t at);

#endif
