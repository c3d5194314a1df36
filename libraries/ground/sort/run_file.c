/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Run files.
 *
 * Writing fills a buffer of several blocks, which goes out in one piece: runs are
 * written by all threads at once, and large pieces keep each file contiguous. A reader
 * takes one block at a time; what it reads lies in order, so the system reads ahead.
 *
 * The place in the file is mixed into each checksum: a block that was written, or read,
 * at a wrong place is as bad as a damaged one.
 */
#include "sort/run_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xxhash.h>

#include "base/error.h"
#include "system/crypto_module.h"
#include "system/file_io.h"
#include "system/path.h"

#define BLOCK_HEAD   16
#define BUFFER_BYTES ((size_t)256 << 10)

/** Open a file that has no name, or no longer. @return the descriptor or -errno */
static int unnamed_file(const char *tmpdir)
{
	char path[64];
	int dir_fd = dit_path_open(tmpdir, NULL);
	int fd = -1;

	if (dir_fd < 0) {
		return dir_fd;
	}
	fd = openat(dir_fd, ".", O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0) {
		/* Not every file system knows O_TMPFILE; the ways to say so differ. */
		(void)snprintf(path, sizeof(path), "/proc/self/fd/%d/ditkit-run-XXXXXX",
		               dir_fd);
		fd = mkostemp(path, O_CLOEXEC);
		fd = fd < 0 ? -errno : fd;
		if (fd >= 0) {
			(void)unlink(path);
		}
	}
	(void)close(dir_fd);
	return fd;
}

static uint64_t place_of(const struct dit_run_writer *writer, const char *at)
{
	return writer->offset + (uint64_t)(at - (char *)writer->buffer.data);
}

/** Start a block at @p at, a place in the buffer with room for a whole one. */
static void block_start(struct dit_run_writer *writer, char *at)
{
	writer->block = at;
	writer->at = at + writer->head_bytes;
	writer->block_end = at + writer->block_bytes;
}

/** Write out what is in the buffer before @p end. */
static int buffer_flush(struct dit_run_writer *writer, const char *end)
{
	const char *data = writer->buffer.data;
	int r = dit_write_at(writer->fd, data, (size_t)(end - data), writer->offset);

	if (r < 0) {
		writer->error = r;
		return r;
	}
	writer->offset += (uint64_t)(end - data);
	return 0;
}

static size_t head_bytes(const struct dit_crypto *crypto)
{
	return BLOCK_HEAD + (crypto == NULL ? 0 : crypto->mac_bytes);
}

static struct dit_crypto_nonce nonce_of(uint32_t file, uint64_t place)
{
	return (struct dit_crypto_nonce){{file, place}};
}

/** The content of the block, after its head. */
static int encrypt(const struct dit_run_writer *writer, const char *end)
{
	char *payload = writer->block + writer->head_bytes;

	return dit_crypto_encrypt(
		writer->crypto, nonce_of(writer->number, place_of(writer, writer->block)),
		(struct dit_module_bytes){(size_t)(end - payload), payload},
		writer->block + BLOCK_HEAD);
}

/** The same of a block that was read and is whole. */
static int decrypt(const struct dit_run_reader *reader, size_t size)
{
	char *payload = reader->buffer + reader->head_bytes;
	uint32_t number = 0;

	memcpy(&number, reader->buffer + 12, sizeof(number));
	return dit_crypto_decrypt(
		reader->crypto, nonce_of(number, reader->offset),
		(struct dit_module_bytes){size - reader->head_bytes, payload},
		reader->buffer + BLOCK_HEAD);
}

/** Complete the block; the next one begins at @p end. */
static int block_end(struct dit_run_writer *writer, char *end)
{
	char *buffer_end = (char *)writer->buffer.data + writer->buffer.size_bytes;
	uint32_t payload = (uint32_t)(writer->at - writer->block - writer->head_bytes);
	uint64_t hash = 0;
	int r = 0;

	memcpy(writer->block + 8, &payload, sizeof(payload));
	memcpy(writer->block + 12, &writer->number, sizeof(writer->number));
	memset(writer->at, 0, (size_t)(end - writer->at));
	if (writer->crypto != NULL) {
		r = encrypt(writer, end);
	}
	if (r < 0) {
		writer->error = r;
		return r;
	}
	hash = XXH3_64bits_withSeed(writer->block + 8, (size_t)(end - writer->block) - 8,
	                            place_of(writer, writer->block));
	memcpy(writer->block, &hash, sizeof(hash));
	if ((size_t)(buffer_end - end) < writer->block_bytes) {
		r = buffer_flush(writer, end);
		end = writer->buffer.data;
	}
	block_start(writer, end);
	return r;
}

int dit_run_writer_begin(struct dit_run_writer *writer, const char *tmpdir,
                         size_t block_bytes, struct dit_run_cipher *cipher)
{
	int r = 0;

	assert(block_bytes >= DIT_RUN_BLOCK_MIN && block_bytes <= DIT_RUN_BLOCK_MAX);
	assert(writer->fd < 0);
	r = dit_buffer_reserve(&writer->buffer, BUFFER_BYTES);
	r = r < 0 ? r : unnamed_file(tmpdir);
	if (r < 0) {
		return r;
	}
	writer->fd = r;
	writer->crypto = cipher == NULL ? NULL : cipher->crypto;
	writer->number = cipher == NULL ? 0
	                                : atomic_fetch_add_explicit(&cipher->nfiles, 1,
	                                                            memory_order_relaxed);
	writer->head_bytes = head_bytes(writer->crypto);
	writer->block_bytes = block_bytes;
	writer->offset = 0;
	writer->segment = 0;
	writer->error = 0;
	block_start(writer, writer->buffer.data);
	return 0;
}

char *dit_run_next_block(struct dit_run_writer *writer)
{
	if (writer->error < 0 || block_end(writer, writer->block_end) < 0) {
		return NULL;
	}
	return writer->at;
}

int dit_run_write(struct dit_run_writer *writer, const char *data, size_t size)
{
	while (size > 0) {
		char *room = dit_run_room(writer, 1);
		size_t n = (size_t)(writer->block_end - writer->at);

		if (room == NULL) {
			return writer->error;
		}
		n = n < size ? n : size;
		memcpy(room, data, n);
		writer->at += n;
		data += n;
		size -= n;
	}
	return writer->error;
}

int dit_run_segment_end(struct dit_run_writer *writer, struct dit_run_segment *ret)
{
	if (writer->error < 0) {
		return writer->error;
	}
	if (writer->at > writer->block + writer->head_bytes &&
	    block_end(writer, writer->at) < 0) {
		return writer->error;
	}
	ret->offset = writer->segment;
	ret->bytes = place_of(writer, writer->block) - writer->segment;
	writer->segment += ret->bytes;
	return 0;
}

int dit_run_writer_finish(struct dit_run_writer *writer)
{
	int fd = writer->fd;

	assert(writer->at == writer->block + writer->head_bytes || writer->error < 0);
	if (writer->error < 0 || buffer_flush(writer, writer->block) < 0) {
		(void)close(fd); /* the data is lost anyway */
		fd = writer->error;
	}
	writer->fd = -1;
	return fd;
}

void dit_run_writer_deinit(struct dit_run_writer *writer)
{
	dit_close(writer->fd);
	dit_buffer_drop(&writer->buffer);
	*writer = DIT_RUN_WRITER_INIT;
}

int dit_run_reader_open(struct dit_run_reader *reader, int fd, size_t block_bytes,
                        const struct dit_run_segment *segment,
                        const struct dit_run_cipher *cipher)
{
	const struct dit_crypto *crypto = cipher == NULL ? NULL : cipher->crypto;
	char *buffer = malloc(block_bytes);

	if (buffer == NULL) {
		return -ENOMEM;
	}
	*reader = (struct dit_run_reader){
		.fd = fd,
		.crypto = crypto,
		.head_bytes = head_bytes(crypto),
		.block_bytes = block_bytes,
		.buffer = buffer,
	};
	dit_run_reader_move(reader, segment);
	return 0;
}

void dit_run_reader_close(struct dit_run_reader *reader)
{
	free(reader->buffer);
	*reader = (struct dit_run_reader){.fd = -1};
}

int dit_run_fill(struct dit_run_reader *reader)
{
	uint64_t left = reader->end - reader->offset;
	size_t size = left < reader->block_bytes ? (size_t)left : reader->block_bytes;
	uint64_t hash = 0;
	uint32_t payload = 0;
	ssize_t nread = 0;

	reader->limit = reader->at;
	if (left == 0) {
		return 0;
	}
	reader->loaded = UINT64_MAX;
	if (size < reader->head_bytes) {
		return DIT_E_CORRUPT;
	}
	nread = dit_read_at(reader->fd, reader->buffer, size, reader->offset);
	if (nread < 0) {
		return (int)nread;
	}
	if ((size_t)nread < size) {
		return DIT_E_CORRUPT; /* somebody cut the file */
	}
	memcpy(&hash, reader->buffer, sizeof(hash));
	memcpy(&payload, reader->buffer + 8, sizeof(payload));
	if (hash != XXH3_64bits_withSeed(reader->buffer + 8, size - 8, reader->offset) ||
	    payload == 0 || payload > size - reader->head_bytes) {
		return DIT_E_CORRUPT;
	}
	if (reader->crypto != NULL) {
		int r = decrypt(reader, size);

		if (r < 0) {
			return r;
		}
	}
	reader->loaded = reader->offset;
	reader->offset += size;
	reader->at = reader->buffer + reader->head_bytes;
	reader->limit = reader->at + payload;
	return 1;
}

int dit_run_reader_seek(struct dit_run_reader *reader,
                        const struct dit_run_segment *segment, uint64_t place)
{
	uint64_t offset = segment->offset + place - place % reader->block_bytes;
	uint32_t payload = 0;

	if (reader->loaded != offset) {
		int r = 0;

		reader->offset = offset;
		r = dit_run_fill(reader);
		if (r <= 0) {
			return r < 0 ? r : DIT_E_CORRUPT;
		}
	}
	memcpy(&payload, reader->buffer + 8, sizeof(payload));
	reader->offset = offset + reader->block_bytes;
	if (reader->offset > reader->end) {
		reader->offset = reader->end;
	}
	reader->at = reader->buffer + place % reader->block_bytes;
	reader->limit = reader->buffer + reader->head_bytes + payload;
	return reader->at < reader->limit ? 0 : DIT_E_CORRUPT;
}

int dit_run_read(struct dit_run_reader *reader, char *data, size_t size)
{
	while (size > 0) {
		size_t n = (size_t)(reader->limit - reader->at);

		if (n == 0) {
			int r = dit_run_fill(reader);

			if (r <= 0) {
				return r < 0 ? r : DIT_E_CORRUPT;
			}
			continue;
		}
		n = n < size ? n : size;
		memcpy(data, reader->at, n);
		reader->at += n;
		data += n;
		size -= n;
	}
	return 0;
}

void dit_run_segment_free(int fd, const struct dit_run_segment *segment)
{
	if (segment->bytes > 0) {
		(void)fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		                (off_t)segment->offset, (off_t)segment->bytes);
	}
}
