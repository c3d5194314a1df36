/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Run files: unnamed temporary files of checksummed blocks, written once, from front to
 * back, and read by segments.
 *
 *   dit_run_writer_begin();
 *   per segment:  dit_run_room() or dit_run_write()...;  dit_run_segment_end()
 *   dit_run_writer_finish();
 *   per segment:  dit_run_reader_open();  read;  dit_run_reader_close()
 *
 * On disk a segment is a row of blocks, all of the same size but the last:
 *
 *   offset  size  meaning (numbers in the byte order of the machine)
 *   0       8     XXH3 of the rest of the block, seeded with its place in the file
 *   8       4     bytes of payload
 *   12      4     the number of the file, if it is encrypted; else zero
 *   16      ..    MAC of the payload, if it is encrypted and the module has MACs
 *   ..      ..    payload, then zeros up to the block size
 *
 * A file can be encrypted, by a module for pages (system/crypto_module.h) with a key of
 * its own: numbers of files and places in them make each block different.
 *
 * Threads: a writer or reader belongs to one thread. Several readers may share a file.
 */
#ifndef DITKIT_RUN_FILE_H
#define DITKIT_RUN_FILE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slab.h"

struct dit_crypto; /* system/crypto_module.h */

/** The files of one key. NULL in place of it: files are not encrypted. */
struct dit_run_cipher {
	const struct dit_crypto *crypto; /* borrowed [const] */
	_Atomic uint32_t nfiles;         /* [atomic: each file takes a number; relaxed] */
};

#define DIT_RUN_BLOCK_MIN 512
#define DIT_RUN_BLOCK_MAX 65536
#define DIT_RUN_ROOM_MAX  64 /* most that dit_run_room() gives */
#define DIT_VARINT_MAX    10 /* bytes */

#define DIT_FAN_IN_MIN 4u

/**
 * How many runs to merge at once, so that all producers have some @p nwanted.
 *
 * A producer keeps a list of runs and merges its newest: as soon as there are fan_in runs
 * of one level, they become one run of the next level. Runs from memory have level 0. So
 * each byte is written once for each level, the number of levels is the logarithm of the
 * number of runs, and no level has more than fan_in - 1 runs, a descriptor each. Levels
 * never rise in the list: the newest fan_in runs have one level if the first and the last
 * of them have.
 */
static inline unsigned dit_fan_in(unsigned nproducers, unsigned nwanted, unsigned max)
{
	unsigned fan_in = nwanted / nproducers;

	fan_in = fan_in < DIT_FAN_IN_MIN ? DIT_FAN_IN_MIN : fan_in;
	return fan_in > max ? max : fan_in;
}

/** A place in a run file. */
struct dit_run_segment {
	uint64_t offset;
	uint64_t bytes;
};

struct dit_run_writer {
	int fd;                          /* owned until finish */
	const struct dit_crypto *crypto; /* NULL: not encrypted */
	uint32_t number;                 /* of the file, then */
	size_t head_bytes;
	size_t block_bytes;
	struct dit_buffer buffer; /* kept from file to file */
	char *block;              /* the block being filled; its head comes first */
	char *at;                 /* next byte of its payload */
	char *block_end;
	uint64_t offset;  /* of the buffer in the file */
	uint64_t segment; /* where the current segment begins */
	int error;        /* the first one; later calls return it */
};

#define DIT_RUN_WRITER_INIT ((struct dit_run_writer){.fd = -1})

/** Create an unnamed file in @p tmpdir. 0; -errno; -ENOMEM */
int dit_run_writer_begin(struct dit_run_writer *writer, const char *tmpdir,
                         size_t block_bytes, struct dit_run_cipher *cipher);

/** Slow path of dit_run_room(); do not call. */
char *dit_run_next_block(struct dit_run_writer *writer);

/**
 * @p size contiguous bytes of payload, at most DIT_RUN_ROOM_MAX; the caller fills some
 * of them and moves writer->at after them. NULL: writer->error.
 */
static inline char *dit_run_room(struct dit_run_writer *writer, size_t size)
{
	if ((size_t)(writer->block_end - writer->at) < size) {
		return dit_run_next_block(writer);
	}
	return writer->at;
}

/** Where in the segment writer->at is, block heads included. */
static inline uint64_t dit_run_writer_place(const struct dit_run_writer *writer)
{
	return writer->offset + (uint64_t)(writer->at - (char *)writer->buffer.data) -
	       writer->segment;
}

/** Any number of bytes, split over blocks. */
int dit_run_write(struct dit_run_writer *writer, const char *data, size_t size);
int dit_run_segment_end(struct dit_run_writer *writer, struct dit_run_segment *ret);
/** @return the finished file, owned by the caller, or a negative error */
int dit_run_writer_finish(struct dit_run_writer *writer);
/** Give up an unfinished file; free the buffer. */
void dit_run_writer_deinit(struct dit_run_writer *writer);

struct dit_run_reader {
	int fd;                          /* borrowed */
	const struct dit_crypto *crypto; /* NULL: not encrypted */
	size_t head_bytes;
	size_t block_bytes;
	uint64_t offset; /* of the next block */
	uint64_t end;
	uint64_t loaded; /* offset of the block in the buffer; UINT64_MAX: none */
	char *buffer;
	const char *at; /* next byte of the payload */
	const char *limit;
};

/** Opens nothing and reads nothing yet. 0 or -ENOMEM */
int dit_run_reader_open(struct dit_run_reader *reader, int fd, size_t block_bytes,
                        const struct dit_run_segment *segment,
                        const struct dit_run_cipher *cipher);
/** Go to another segment of the file, whose blocks are read next. */
static inline void dit_run_reader_move(struct dit_run_reader *reader,
                                       const struct dit_run_segment *segment)
{
	reader->offset = segment->offset;
	reader->end = segment->offset + segment->bytes;
	reader->loaded = UINT64_MAX;
	reader->at = reader->buffer;
	reader->limit = reader->buffer;
}

/** A zeroed reader is fine. */
void dit_run_reader_close(struct dit_run_reader *reader);
/**
 * Go to a place of the segment, as dit_run_writer_place() gave it when the writer was
 * there. 0; DIT_E_CORRUPT; -errno
 */
int dit_run_reader_seek(struct dit_run_reader *reader,
                        const struct dit_run_segment *segment, uint64_t place);
/** Load the next block. @return 1; 0: end of the segment; DIT_E_CORRUPT; -errno */
int dit_run_fill(struct dit_run_reader *reader);
/** Exactly @p size bytes, over block boundaries. 0; DIT_E_CORRUPT (too few); -errno */
int dit_run_read(struct dit_run_reader *reader, char *data, size_t size);

/** Give a segment's disk space back, if the file system can. Not to be read again. */
void dit_run_segment_free(int fd, const struct dit_run_segment *segment);

/** Append a number, seven bits a byte, low bits first. @return after it */
static inline char *dit_varint_put(char *at, uint64_t n)
{
	while (n >= 0x80) {
		*at++ = (char)(n | 0x80);
		n >>= 7;
	}
	*at++ = (char)n;
	return at;
}

/** Read a number and move @p at after it. False: it does not end before @p limit. */
static inline bool dit_varint_get(const char **at, const char *limit, uint64_t *ret)
{
	const char *p = *at;
	uint64_t n = 0;

	for (unsigned shift = 0; p < limit && shift < 64; shift += 7) {
		uint64_t byte = (unsigned char)*p++;

		n |= (byte & 0x7f) << shift;
		if (byte < 0x80) {
			*at = p;
			*ret = n;
			return true;
		}
	}
	return false;
}

#endif
