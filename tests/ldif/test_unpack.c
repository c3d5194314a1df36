/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of the unpacker:
 * - what the four libraries pack comes back, in pieces of any size, with and without a
 *   thread; members that follow each other are one text;
 * - data that is cut off anywhere is an error, after the text before it;
 * - a changed byte never gives another text without an error;
 * - data that asks for much memory is refused; lack of memory and a failed read are told.
 */
#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "base/error.h"
#include "ldif/unpack.h"
#include "nomem.h"
#include "test.h"

#define NFORMATS  4
#define TEXT_SIZE 1500000 /* some slots */

static const char *const names[NFORMATS] = {"gzip", "zstd", "xz", "bzip2"};

struct bytes {
	char *data;
	size_t len;
};

/* ---- packing ---- */

static struct bytes pack_gzip(struct dit_span text)
{
	z_stream z = {0};
	struct bytes ret = {0};
	size_t size = text.len + 1000;

	assert_int_equal(deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY),
	                 Z_OK);
	ret.data = malloc(size);
	z.next_in = (Bytef *)(uintptr_t)text.data;
	z.avail_in = (uInt)text.len;
	z.next_out = (Bytef *)ret.data;
	z.avail_out = (uInt)size;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	ret.len = size - z.avail_out;
	assert_int_equal(deflateEnd(&z), Z_OK);
	return ret;
}

static struct bytes pack_zstd(struct dit_span text)
{
	struct bytes ret = {malloc(ZSTD_compressBound(text.len)), 0};
	ZSTD_CCtx *zstd = ZSTD_createCCtx();

	(void)ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
	ret.len = ZSTD_compress2(zstd, ret.data, ZSTD_compressBound(text.len), text.data,
	                         text.len);
	assert_false(ZSTD_isError(ret.len));
	(void)ZSTD_freeCCtx(zstd);
	return ret;
}

static struct bytes pack_xz(struct dit_span text)
{
	size_t size = lzma_stream_buffer_bound(text.len);
	struct bytes ret = {malloc(size), 0};

	assert_int_equal(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, NULL,
	                                         (const uint8_t *)text.data, text.len,
	                                         (uint8_t *)ret.data, &ret.len, size),
	                 LZMA_OK);
	return ret;
}

static struct bytes pack_bzip2(struct dit_span text)
{
	unsigned size = (unsigned)text.len + (unsigned)text.len / 100 + 600;
	struct bytes ret = {malloc(size), 0};

	assert_int_equal(BZ2_bzBuffToBuffCompress(ret.data, &size,
	                                          (char *)(uintptr_t)text.data,
	                                          (unsigned)text.len, 1, 0, 0),
	                 BZ_OK);
	ret.len = size;
	return ret;
}

static struct bytes pack(int format, struct dit_span text)
{
	static struct bytes (*const packers[NFORMATS])(struct dit_span text) = {
		pack_gzip, pack_zstd, pack_xz, pack_bzip2};
	struct bytes ret = packers[format](text);

	assert_non_null(ret.data);
	return ret;
}

static struct dit_span make_text(char *buffer, size_t len)
{
	uint32_t random = 1;

	for (size_t i = 0; i < len; i++) {
		random = random * 1103515245 + 12345;
		buffer[i] = (char)('a' + (random >> 16) % 20);
	}
	return (struct dit_span){buffer, len};
}

/* ---- unpacking ---- */

struct packed_input {
	const char *data;
	size_t len;
	size_t at;
	size_t piece;
	int end; /* what comes after the last byte */
};

static ssize_t read_input(void *ctx, char *buffer, size_t size)
{
	struct packed_input *input = ctx;
	size_t n = input->len - input->at;

	if (n == 0) {
		return input->end;
	}
	n = n < size ? n : size;
	n = n < input->piece ? n : input->piece;
	memcpy(buffer, input->data + input->at, n);
	input->at += n;
	return (ssize_t)n;
}

struct result {
	char *text;
	size_t len;
	uint64_t packed;
	int end;
	char error[128];
};

struct how {
	size_t piece; /* of packed bytes in a read */
	size_t size;  /* of text in a read */
	bool is_threaded;
	int end;
};

static struct result unpack(const char *data, size_t len, struct how how)
{
	size_t start = len < 600 ? len : 600;
	struct packed_input input = {data, len, start, how.piece, how.end};
	struct dit_unpack_opts opts = {.read = read_input,
	                               .ctx = &input,
	                               .start = {data, start},
	                               .is_threaded = how.is_threaded};
	struct dit_unpack *unpack = NULL;
	struct result result = {.text = malloc(2 * TEXT_SIZE)};
	ssize_t n = dit_unpack_new(&unpack, &opts);

	assert_non_null(result.text);
	if (n < 0) {
		result.end = (int)n;
		return result;
	}
	while ((n = dit_unpack_read(unpack, result.text + result.len, how.size,
	                            &result.packed)) > 0) {
		assert_in_range(n, 1, how.size);
		result.len += (size_t)n;
		assert_true(result.len + how.size <= 2 * TEXT_SIZE);
	}
	result.end = (int)n;
	assert_int_equal(dit_unpack_read(unpack, result.text, how.size, &result.packed),
	                 n);
	(void)snprintf(result.error, sizeof(result.error), "%s",
	               dit_unpack_error(unpack));
	dit_unpack_free(unpack);
	return result;
}

static void assert_text(const struct result *result, struct dit_span text)
{
	assert_int_equal(result->end, 0);
	assert_int_equal(result->len, text.len);
	assert_memory_equal(result->text, text.data, text.len);
}

TEST(packed_text_is_unpacked_unchanged)
{
	static const size_t lengths[] = {0, 1, 1000, TEXT_SIZE};
	char *buffer = malloc(TEXT_SIZE);

	for (int format = 0; format < NFORMATS; format++) {
		for (size_t i = 0; i < 4; i++) {
			struct dit_span text = make_text(buffer, lengths[i]);
			struct bytes packed = pack(format, text);

			for (int way = 0; way < 4; way++) {
				struct how how = {.piece = way < 2 ? SIZE_MAX : 777,
				                  .size = way < 2 ? 500000 : 4099,
				                  .is_threaded = way % 2 == 1};
				struct result result =
					unpack(packed.data, packed.len, how);

				assert_text(&result, text);
				assert_true(text.len == 0 || result.packed == packed.len);
				free(result.text);
			}
			free(packed.data);
		}
	}
	free(buffer);
}

/* cat a.gz b.zst c.xz d.bz2, an empty one of each between; zeros after xz and gzip. */
TEST(several_members_are_one_text)
{
	static const struct how how = {.piece = 13, .size = 1000, .is_threaded = true};
	char buffer[4000];
	struct dit_span text = make_text(buffer, sizeof(buffer));
	char *all = calloc(1, 100000);
	size_t len = 0;
	struct result result;

	for (int format = 0; format < NFORMATS; format++) {
		struct bytes part =
			pack(format, (struct dit_span){text.data + 1000 * format, 1000});
		struct bytes none = pack(format, (struct dit_span){text.data, 0});

		memcpy(all + len, part.data, part.len);
		memcpy(all + len + part.len, none.data, none.len);
		len += part.len + none.len + (format % 2 == 0 ? 8 : 0);
		free(part.data);
		free(none.data);
	}
	result = unpack(all, len, how);
	assert_text(&result, text);
	free(result.text);
	free(all);
}

TEST(other_bytes_after_a_member_are_an_error)
{
	static const struct how how = {.piece = 100, .size = 100};
	char buffer[1000];
	struct dit_span text = make_text(buffer, sizeof(buffer));

	for (int format = 0; format < NFORMATS; format++) {
		struct bytes packed = pack(format, text);
		char *data = malloc(packed.len + 3);
		char expected[128];
		struct result result;

		memcpy(data, packed.data, packed.len);
		memcpy(data + packed.len, "dn:", 3);
		result = unpack(data, packed.len + 3, how);
		assert_int_equal(result.len, text.len);
		assert_int_equal(result.end, DIT_E_INVALID);
		(void)snprintf(expected, sizeof(expected),
		               "after its %s data, at byte %zu, comes something else",
		               names[format], packed.len);
		assert_string_equal(result.error, expected);
		free(result.text);
		free(data);
		free(packed.data);
	}
}

TEST(data_cut_off_anywhere_is_an_error)
{
	char buffer[2000];
	struct dit_span text = make_text(buffer, sizeof(buffer));

	for (int format = 0; format < NFORMATS; format++) {
		struct bytes packed = pack(format, text);

		for (size_t len = 10; len < packed.len; len++) {
			struct how how = {
				.piece = 50, .size = 1000, .is_threaded = len % 64 == 0};
			struct result result = unpack(packed.data, len, how);
			char expected[128];

			assert_int_equal(result.end, DIT_E_INVALID);
			assert_in_range(result.len, 0, text.len);
			assert_memory_equal(result.text, text.data, result.len);
			(void)snprintf(expected, sizeof(expected),
			               "its %s data is cut off at byte %zu",
			               names[format], len);
			assert_string_equal(result.error, expected);
			free(result.text);
		}
		free(packed.data);
	}
}

TEST(a_changed_byte_gives_no_other_text)
{
	static const struct how how = {.piece = SIZE_MAX, .size = 1000};
	char buffer[2000];
	struct dit_span text = make_text(buffer, sizeof(buffer));
	unsigned ndamaged = 0;

	for (int format = 0; format < NFORMATS; format++) {
		struct bytes packed = pack(format, text);

		for (size_t at = 0; at < packed.len; at++) {
			struct result result;

			packed.data[at] ^= 0x10;
			result = unpack(packed.data, packed.len, how);
			if (result.end == 0) { /* a time, the name of a system */
				assert_text(&result, text);
			} else {
				assert_true(strlen(result.error) > 0);
				ndamaged += strstr(result.error, "damaged") != NULL;
			}
			free(result.text);
			packed.data[at] ^= 0x10;
		}
		free(packed.data);
	}
	assert_true(ndamaged > NFORMATS * 1000);
}

/* A frame that asks for a window of 2 GiB; a block of xz for a dictionary of 4 GiB. */
TEST(data_that_needs_much_memory_is_refused)
{
	static const struct how how = {.piece = SIZE_MAX, .size = 1000};
	static const char zstd[] = "\50\265\57\375\0\250aaaaaaaaaaaa";
	char buffer[100];
	struct bytes xz = pack_xz(make_text(buffer, sizeof(buffer)));
	uint8_t *header = (uint8_t *)xz.data + 12;
	size_t header_len = ((size_t)header[0] + 1) * 4;
	uint32_t crc = 0;
	struct result result = unpack(zstd, sizeof(zstd) - 1, how);

	assert_int_equal(result.end, DIT_E_UNSUPPORTED);
	assert_string_equal(result.error,
	                    "its zstd data needs more than 128 MiB of memory");
	free(result.text);

	for (size_t i = 2; i + 2 < header_len; i++) { /* LZMA2, one byte: the size */
		if (header[i] == 0x21 && header[i + 1] == 1) {
			header[i + 2] = 40;
			break;
		}
	}
	crc = lzma_crc32(header, header_len - 4, 0);
	memcpy(header + header_len - 4, &crc, 4);
	result = unpack(xz.data, xz.len, how);
	assert_int_equal(result.end, DIT_E_UNSUPPORTED);
	assert_string_equal(result.error,
	                    "its xz data needs more than 128 MiB of memory");
	free(result.text);
	free(xz.data);
}

TEST(a_failed_read_is_told_after_the_text_before_it)
{
	char *buffer = malloc(TEXT_SIZE);
	struct dit_span text = make_text(buffer, TEXT_SIZE);
	struct bytes packed = pack_gzip(text);

	for (int threaded = 0; threaded < 2; threaded++) {
		struct how how = {.piece = 5000,
		                  .size = 10000,
		                  .is_threaded = threaded != 0,
		                  .end = -EIO};
		struct result result = unpack(packed.data, packed.len - 1, how);

		assert_int_equal(result.end, -EIO);
		assert_string_equal(result.error, "");
		assert_true(result.len > TEXT_SIZE - 100000);
		assert_memory_equal(result.text, text.data, result.len);
		free(result.text);
	}
	free(packed.data);
	free(buffer);
}

TEST(an_unpacker_can_be_freed_in_the_middle)
{
	char *buffer = malloc(TEXT_SIZE);
	struct bytes packed = pack_zstd(make_text(buffer, TEXT_SIZE));

	for (int threaded = 0; threaded < 2; threaded++) {
		struct packed_input input = {packed.data, packed.len, 10, 1000, 0};
		struct dit_unpack_opts opts = {.read = read_input,
		                               .ctx = &input,
		                               .start = {packed.data, 10},
		                               .is_threaded = threaded != 0};
		struct dit_unpack *unpacker = NULL;
		char text[1000];
		uint64_t npacked = 0;

		assert_int_equal(dit_unpack_new(&unpacker, &opts), 0);
		assert_int_equal(dit_unpack_read(unpacker, text, sizeof(text), &npacked),
		                 sizeof(text));
		assert_memory_equal(text, buffer, sizeof(text));
		dit_unpack_free(unpacker);
	}
	dit_unpack_free(NULL);
	free(packed.data);
	free(buffer);
}

TEST(lack_of_memory_is_told)
{
	char buffer[100];
	struct bytes packed = pack_gzip(make_text(buffer, sizeof(buffer)));
	struct dit_unpack_opts opts = {.start = {packed.data, packed.len}};
	struct dit_unpack *unpacker = NULL;

	assert_true(calls_until_memory(dit_unpack_new(&unpacker, &opts)) > 6);
	dit_unpack_free(unpacker);
	free(packed.data);
}
