/* SPDX-License-Identifier: BSD-2-Clause */
/* Compressed texts are what zlib and libzstd make the same text of again. */
#include "test.h"

#include <zlib.h>
#include <zstd.h>

#include "nomem.h"
#include "result/export_pack.h"

#define BIG ((size_t)3 << 20)

static void fill(struct dit_ldif_text *text, size_t len, unsigned seed)
{
	char line[64];

	text->len = 0;
	while (text->len < len) {
		size_t left = len - text->len;
		int n = snprintf(line, sizeof(line), "cn: number %u\n", seed++);

		assert_int_equal(
			dit_ldif_write_raw(text,
		                           (struct dit_span){line, left < (size_t)n
		                                                           ? left
		                                                           : (size_t)n}),
			0);
	}
}

static size_t unpack(enum dit_export_compression kind, const struct dit_ldif_text *text,
                     char *out, size_t size)
{
	z_stream z = {.next_in = (Bytef *)text->data,
	              .avail_in = (uInt)text->len,
	              .next_out = (Bytef *)out,
	              .avail_out = (uInt)size};

	if (kind == DIT_EXPORT_ZSTD) {
		return ZSTD_decompress(out, size, text->data, text->len);
	}
	assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	assert_int_equal(z.avail_in, 0);
	(void)inflateEnd(&z);
	return z.total_out;
}

TEST(each_text_is_a_whole_of_its_own)
{
	static const size_t lengths[] = {0, 1, 100, 65536, BIG};
	struct dit_ldif_text plain;
	struct dit_ldif_text text;
	char *out = test_alloc(BIG + 1);

	dit_ldif_text_init(&plain, 78);
	dit_ldif_text_init(&text, 78);
	for (unsigned kind = DIT_EXPORT_GZIP; kind <= DIT_EXPORT_ZSTD; kind++) {
		struct dit_packer *packer = NULL;

		assert_int_equal(dit_packer_new(&packer, kind), 0);
		for (unsigned i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
			fill(&plain, lengths[i], i);
			fill(&text, lengths[i], i);
			assert_int_equal(dit_packer_pack(packer, &text), 0);
			assert_true(text.len > 0);
			assert_true(text.len < 100 + lengths[i] / 2);
			assert_int_equal(unpack(kind, &text, out, BIG + 1), lengths[i]);
			assert_memory_equal(out, plain.data, lengths[i]);
		}
		dit_packer_free(packer);
	}
	dit_ldif_text_deinit(&plain);
	dit_ldif_text_deinit(&text);
}

TEST(a_changed_text_is_told)
{
	char out[200];

	for (unsigned kind = DIT_EXPORT_GZIP; kind <= DIT_EXPORT_ZSTD; kind++) {
		struct dit_packer *packer = NULL;
		struct dit_ldif_text text;
		z_stream z = {.next_out = (Bytef *)out, .avail_out = sizeof(out)};

		dit_ldif_text_init(&text, 78);
		assert_int_equal(dit_packer_new(&packer, kind), 0);
		fill(&text, 100, 0);
		assert_int_equal(dit_packer_pack(packer, &text), 0);
		/* The checksum is in the last bytes: of gzip before the length. */
		text.data[text.len - (kind == DIT_EXPORT_ZSTD ? 1 : 5)] ^= 1;
		if (kind == DIT_EXPORT_ZSTD) {
			assert_true(ZSTD_isError(
				ZSTD_decompress(out, sizeof(out), text.data, text.len)));
		} else {
			z.next_in = (Bytef *)text.data;
			z.avail_in = (uInt)text.len;
			assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
			assert_int_equal(inflate(&z, Z_FINISH), Z_DATA_ERROR);
			(void)inflateEnd(&z);
		}
		dit_packer_free(packer);
		dit_ldif_text_deinit(&text);
	}
}

TEST(no_memory_leaves_the_text_alone)
{
	for (unsigned kind = DIT_EXPORT_GZIP; kind <= DIT_EXPORT_ZSTD; kind++) {
		struct dit_packer *packer = NULL;
		struct dit_ldif_text text;

		assert_no_memory(dit_packer_new(&packer, kind));
		assert_int_equal(dit_packer_new(&packer, kind), 0);
		dit_ldif_text_init(&text, 78);
		fill(&text, 100, 1);
		assert_no_memory(dit_packer_pack(packer, &text));
		assert_int_equal(text.len, 100);
		assert_memory_equal(text.data, "cn: number 1\n", 13);
		dit_ldif_text_deinit(&text);
		dit_packer_free(packer);
	}
}
