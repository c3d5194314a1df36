/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * LDIF input cut into batches of whole records (values.md 1.1).
 *
 *   dit_ldif_reader_open();  while (dit_ldif_reader_next(batch) > 0) use the batch;
 *   dit_ldif_reader_close()
 *
 * The reader reads large pieces into the buffer of the batch, files with pread, pipes
 * with read; packed ones are unpacked by a thread of their own (unpack.h). The buffer is
 * reused. The unfinished record at its end moves to the front of the next batch's
 * buffer. No file is mapped. Several inputs are read one after the other, as one: the
 * end of each ends its last record, and lines are counted on. An "include:" record makes
 * the reader go on with another file and then return; the caller does not see such a
 * record. A line "version: 1" (RFC 2849) belongs to no record if only comments and blank
 * lines stand before it in its file.
 *
 * Threads: the reader, and a batch while it is filled, belong to one thread. A filled
 * batch may be given to others.
 */
#ifndef DITKIT_LDIF_READER_H
#define DITKIT_LDIF_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"
#include "ldif/file_url.h"

struct dit_ldif_digest; /* ldif_source.h */
struct dit_ldif_reader;

struct dit_ldif_record {
	struct dit_span text; /* physical lines, points into the batch's buffer */
	uint64_t line;      /* as slapadd counts: 1 + last line of the previous record */
	const char *file;   /* that it is from; points into the reader */
	uint64_t file_line; /* line of that file that the text begins with, from 1 */
};

/** Zero is an empty batch. Buffers grow to the largest batch seen and are kept. */
struct dit_ldif_batch {
	char *buffer;                    /* owned; a block of base/slab.h */
	size_t size;                     /* of the buffer, bytes */
	struct dit_ldif_record *records; /* owned */
	size_t nrecords;
	size_t records_size; /* allocated, records */
	uint64_t bytes_read; /* of the inputs so far, packed as they are; for progress */
};

struct dit_ldif_reader_opts {
	const char *path; /* the input; NULL: standard input */
	/* With npaths > 0 these are the inputs, in this order; path is not looked at. */
	const char *const *paths;
	size_t npaths;
	bool is_threaded;     /* packed input is unpacked by a thread of its own */
	size_t batch_bytes;   /* piece to read at a time; at least 1 */
	size_t batch_records; /* at most this many records in a batch; at least 1 */
	uint64_t first_line;  /* -j: records that start before it are skipped */
	uint64_t record_max;  /* dit_ldif_record_cost() at most; 0: any record */
	bool keep_version;    /* "version: 1" is a line like any other */
	bool keep_digests;    /* see dit_ldif_reader_digests() */
	bool keep_mark;       /* a byte order mark belongs to the first line of a file */
	/*
	 * For "include:", and what ends reading. Borrowed as long as the reader lives;
	 * NULL: any regular file.
	 */
	const struct dit_file_rules *files;
};

/* Memory of a line in addition to its bytes, measured: 160 to 220 when it is read and
 * stored, up to 380 with a message about it. */
#define DIT_LDIF_LINE_BYTES 200

/** Memory of a record, about: one of five million empty values has 14 MiB, and
 * takes 1 GiB. */
static inline uint64_t dit_ldif_record_cost(uint64_t len, uint64_t nlines)
{
	return len + nlines * DIT_LDIF_LINE_BYTES;
}

#define DIT_LDIF_READER_OPTS_INIT                                                        \
 {                                                                                       \
  .batch_bytes = 1 << 20, .batch_records = 2048                                          \
 }

/**
 * Opens all inputs.
 *
 * @param opts        borrowed for the call
 * @param ret_failed  gets the path that could not be opened, NULL if that was standard
 *                    input; may be NULL
 *
 * @return 0 or -errno (a file cannot be opened)
 */
int dit_ldif_reader_open(struct dit_ldif_reader **ret,
                         const struct dit_ldif_reader_opts *opts,
                         const char **ret_failed);
void dit_ldif_reader_close(struct dit_ldif_reader *reader);

/** Size of all inputs in bytes, 0 if unknown (one is a pipe). */
uint64_t dit_ldif_reader_size(const struct dit_ldif_reader *reader);

/**
 * Fill the batch with the next records; its previous contents are overwritten.
 *
 * @return 1: at least one record; 0: end of input; DIT_E_STOPPED; DIT_E_TOOLONG: a record
 *         costs more than record_max; DIT_E_INVALID,
 *         DIT_E_UNSUPPORTED: an input is no LDIF, or cannot be unpacked; -errno: reading
 *         failed, or an included file could not be opened. dit_ldif_reader_error() then
 *         has slapadd's message; earlier batches had the records before the failure.
 */
int dit_ldif_reader_next(struct dit_ldif_reader *reader, struct dit_ldif_batch *batch);

/**
 * With keep_digests, after dit_ldif_reader_next() has returned 0: a digest for each
 * input, in their order. Without keep_digests NULL. Points into the reader.
 */
const struct dit_ldif_digest *dit_ldif_reader_digests(
	const struct dit_ldif_reader *reader);

/** Are all inputs regular files that are not packed? */
bool dit_ldif_reader_can_skip(const struct dit_ldif_reader *reader);
/**
 * Read on after byte @p position of the inputs, one after the other; at once, if that
 * byte was read already. The record in which the position lies is left out; if it lies
 * between two records, the second one is. Line numbers are wrong from then on.
 *
 * @param position  the reader can skip
 */
void dit_ldif_reader_skip(struct dit_ldif_reader *reader, uint64_t position);

/**
 * Before the first record: read part @p number of @p n alone (ldif_source.h). Lines are
 * counted from its first one.
 *
 * @param reader  has one input, and can skip
 *
 * @return 0; -errno; DIT_E_STOPPED
 */
int dit_ldif_reader_cut(struct dit_ldif_reader *reader, unsigned number, unsigned n);

/** After that: how many lines the file has before the part. The same results. */
int dit_ldif_reader_count_before(const struct dit_ldif_reader *reader, uint64_t *ret);

/** The last failure ("ldif_read_record: include ... failed"); points into the reader. */
const char *dit_ldif_reader_error(const struct dit_ldif_reader *reader);

/** Release the buffers; the batch is empty afterwards. */
void dit_ldif_batch_deinit(struct dit_ldif_batch *batch);

#endif
