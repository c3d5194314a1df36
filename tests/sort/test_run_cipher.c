/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of run files that are encrypted (sort/run_file.h):
 * - what was written is read, from the beginning or from a place, with MACs and without;
 * - the file has none of it in clear, and two files of the same bytes have no block in
 *   common;
 * - another key and another bit are told; a module that fails ends the writing.
 */
#include "sort/run_file.h"

#include <sys/stat.h>

#include "base/error.h"
#include "test.h"

#include "system/xor_crypto.h"

#define BLOCK  512
#define LENGTH 5000

static char key[XOR_KEY_BYTES];
static struct dit_crypto crypto;
static char text[LENGTH];

static int set_up(void **state)
{
	(void)state;
	crypto = xor_crypto("secret", key);
	for (size_t i = 0; i < LENGTH; i++) {
		text[i] = "a name that nobody shall read, "[i % 31];
	}
	return 0;
}

/* @return its descriptor, or an error */
static int write_run(struct dit_run_cipher *cipher, struct dit_run_segment *ret)
{
	struct dit_run_writer writer = DIT_RUN_WRITER_INIT;
	int r = 0;

	assert_int_equal(dit_run_writer_begin(&writer, test_tmp_dir(), BLOCK, cipher), 0);
	r = dit_run_write(&writer, text, LENGTH);
	r = r ?: dit_run_segment_end(&writer, ret);
	r = r ?: dit_run_writer_finish(&writer);
	dit_run_writer_deinit(&writer);
	return r;
}

static int read_run(int fd, const struct dit_run_segment *segment,
                    const struct dit_run_cipher *cipher)
{
	struct dit_run_reader reader;
	char found[LENGTH];
	int r = 0;

	assert_int_equal(dit_run_reader_open(&reader, fd, BLOCK, segment, cipher), 0);
	r = dit_run_read(&reader, found, LENGTH);
	if (r == 0) {
		assert_memory_equal(found, text, LENGTH);
		assert_int_equal(dit_run_fill(&reader), 0);
	}
	dit_run_reader_close(&reader);
	return r;
}

static char *bytes_of(int fd, size_t *ret_len)
{
	struct stat st;
	char *bytes = NULL;

	assert_int_equal(fstat(fd, &st), 0);
	bytes = malloc((size_t)st.st_size);
	assert_non_null(bytes);
	assert_int_equal(pread(fd, bytes, (size_t)st.st_size, 0), st.st_size);
	*ret_len = (size_t)st.st_size;
	return bytes;
}

TEST(what_is_written_is_read)
{
	for (int has_mac = 0; has_mac < 2; has_mac++) {
		struct dit_crypto with = crypto;
		struct dit_run_cipher cipher = {.crypto = &with};
		struct dit_run_segment segment;
		char *bytes = NULL;
		size_t len = 0;
		int fd = -1;

		with.mac_bytes = has_mac ? XOR_MAC_BYTES : 0;
		fd = write_run(&cipher, &segment);
		assert_true(fd >= 0);
		assert_int_equal(read_run(fd, &segment, &cipher), 0);
		bytes = bytes_of(fd, &len);
		assert_null(memmem(bytes, len, "nobody", 6));
		free(bytes);
		assert_int_equal(close(fd), 0);
	}
}

TEST(places_are_found)
{
	struct dit_run_cipher cipher = {.crypto = &crypto};
	struct dit_run_segment segment;
	struct dit_run_reader reader;
	size_t head = 16 + XOR_MAC_BYTES;
	int fd = write_run(&cipher, &segment);
	char found[8];

	assert_true(fd >= 0);
	assert_int_equal(dit_run_reader_open(&reader, fd, BLOCK, &segment, &cipher), 0);
	assert_int_equal(dit_run_reader_seek(&reader, &segment, 3 * BLOCK + head + 7), 0);
	assert_int_equal(dit_run_read(&reader, found, sizeof(found)), 0);
	assert_memory_equal(found, text + 3 * (BLOCK - head) + 7, sizeof(found));
	dit_run_reader_close(&reader);
	assert_int_equal(close(fd), 0);
}

TEST(equal_files_have_no_block_in_common)
{
	struct dit_run_cipher cipher = {.crypto = &crypto};
	struct dit_run_segment segments[2];
	const int fds[] = {write_run(&cipher, &segments[0]),
	                   write_run(&cipher, &segments[1])};
	size_t lens[2];
	char *const bytes[] = {bytes_of(fds[0], &lens[0]), bytes_of(fds[1], &lens[1])};

	assert_int_equal(lens[0], lens[1]);
	for (size_t i = 0; i + 64 <= lens[0]; i += BLOCK) {
		for (size_t k = 0; k + 64 <= lens[1]; k += BLOCK) {
			assert_memory_not_equal(bytes[0] + i + 32, bytes[1] + k + 32, 32);
		}
		assert_true(i == 0 || memcmp(bytes[0] + i + 32, bytes[0] + 32, 32) != 0);
	}
	for (unsigned i = 0; i < 2; i++) {
		free(bytes[i]);
		assert_int_equal(close(fds[i]), 0);
	}
}

TEST(another_key_and_another_bit_are_told)
{
	static char other_key[XOR_KEY_BYTES];
	struct dit_crypto other = xor_crypto("Secret", other_key);
	struct dit_run_cipher cipher = {.crypto = &crypto};
	struct dit_run_cipher wrong = {.crypto = &other};
	struct dit_run_segment segment;
	int fd = write_run(&cipher, &segment);
	char byte = 0;

	assert_true(fd >= 0);
	assert_int_equal(read_run(fd, &segment, &wrong), DIT_E_CORRUPT);
	assert_int_equal(pread(fd, &byte, 1, 2 * BLOCK + 100), 1);
	byte ^= 4;
	assert_int_equal(pwrite(fd, &byte, 1, 2 * BLOCK + 100), 1);
	assert_int_equal(read_run(fd, &segment, &cipher), DIT_E_CORRUPT);
	assert_int_equal(close(fd), 0);
}

static int refuse(const struct dit_module_bytes *in, struct dit_module_bytes *out,
                  const struct dit_module_bytes keys[3], int encrypts)
{
	(void)in, (void)out, (void)keys, (void)encrypts;
	return 1;
}

TEST(a_failing_module_ends_the_writing)
{
	struct dit_module_table table = xor_table;
	struct dit_crypto failing = crypto;
	struct dit_run_cipher cipher = {.crypto = &failing};
	struct dit_run_segment segment;

	table.crypt = refuse;
	failing.table = &table;
	assert_int_equal(write_run(&cipher, &segment), -EIO);
}

MAIN_WITH(set_up, NULL)
