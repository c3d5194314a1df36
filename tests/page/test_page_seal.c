/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of sealed pages (page_seal.h), with pages of each kind and size:
 * - number and transaction stay as they are, nothing else can be read;
 * - what was sealed is opened, by the page source as well, alone or in rows;
 * - one other bit anywhere, another key, another number or another transaction, and it
 *   is told;
 * - checksums of pages that are not encrypted are told apart from those that are none;
 * - limits of pages become smaller by the tail, and tails that leave no room are refused.
 */
#include "page/page_seal.h"

#include "base/error.h"
#include "page/page_nodes.h"
#include "page/page_source.h"
#include "page/page_view.h"
#include "test.h"

#include "system/xor_crypto.h"

#define PAGE_MAX 65536u
#define UNIT_MAX ((size_t)3 * PAGE_MAX)

static char key[XOR_KEY_BYTES];
static char other_key[XOR_KEY_BYTES];
static struct dit_crypto crypto;
static struct dit_crypto other;
static struct dit_crypto mac_alone;
static struct dit_crypto sum_alone;

static int set_up(void **state)
{
	(void)state;
	crypto = xor_crypto("secret", key);
	other = xor_crypto("Secret", other_key);
	mac_alone = crypto;
	mac_alone.sum_bytes = 0;
	sum_alone = (struct dit_crypto){.table = &xor_table, .sum_bytes = XOR_SUM_BYTES};
	return 0;
}

static const struct dit_crypto *const kinds[] = {&crypto, &mac_alone, &sum_alone};

#define NKINDS (sizeof(kinds) / sizeof(kinds[0]))

/* ---- units ---- */

enum unit_kind {
	LEAF,
	BRANCH,
	PACKED,
	LONG_VALUE,
	NUNIT_KINDS,
};

/* @return its bytes */
static size_t make_unit(char *unit, enum unit_kind kind,
                        const struct dit_page_format *format, unsigned page_bytes)
{
	static const unsigned flags[] = {DIT_PAGE_LEAF, DIT_PAGE_BRANCH,
	                                 DIT_PAGE_LEAF | DIT_PAGE_LEAF2,
	                                 DIT_PAGE_OVERFLOW};
	size_t len = kind == LONG_VALUE ? (size_t)3 * page_bytes : page_bytes;
	uint64_t head[2] = {12, 34};

	memset(unit, 'x', len);
	if (kind == LEAF) {
		static char page[PAGE_MAX];
		char *value = NULL;

		dit_page_begin(format, page, page_bytes, flags[kind]);
		(void)dit_page_add_node(format, page, DIT_SPAN("key"), 5, &value);
		memcpy(value, "value", 5);
		dit_page_copy(format, unit, page, page_bytes);
	} else {
		dit_page_words(format, unit)->flags = (uint16_t)flags[kind];
		dit_page_words(format, unit)->lower = 3;
		dit_page_words(format, unit)->upper = 0;
	}
	memcpy(unit, head, sizeof(head));
	return len;
}

TEST(units_are_sealed_and_opened)
{
	static char unit[UNIT_MAX];
	static char sealed[UNIT_MAX];

	for (size_t i = 0; i < NKINDS * NUNIT_KINDS; i++) {
		const struct dit_crypto *with = kinds[i % NKINDS];
		struct dit_page_format format = dit_page_format_sealed(with);

		for (unsigned bytes = 256; bytes <= PAGE_MAX; bytes *= 2) {
			size_t len = make_unit(unit, i / NKINDS, &format, bytes);
			size_t end = len - format.tail_bytes;

			memcpy(sealed, unit, len);
			assert_int_equal(dit_page_seal(&format, sealed, len), 0);
			assert_memory_equal(sealed, unit, 16);
			if (dit_crypto_encrypts(with)) {
				assert_memory_not_equal(sealed + 16, unit + 16, 16);
				assert_memory_not_equal(sealed + end - 16,
				                        unit + end - 16, 16);
			} else {
				assert_memory_equal(sealed, unit, end);
			}
			assert_int_equal(dit_page_unseal(&format, sealed, len), 0);
			assert_memory_equal(sealed, unit, end);
			assert_true(dit_page_sum_is_right(&format, sealed, len));
		}
	}
}

/* ---- changes ---- */

TEST(one_other_bit_is_told)
{
	static char unit[UNIT_MAX];
	static char changed[UNIT_MAX];

	for (size_t i = 0; i < NKINDS * NUNIT_KINDS; i++) {
		const struct dit_crypto *with = kinds[i % NKINDS];
		struct dit_page_format format = dit_page_format_sealed(with);
		size_t len = make_unit(unit, i / NKINDS, &format, 512);

		assert_int_equal(dit_page_seal(&format, unit, len), 0);
		for (size_t at = 0; at < len; at++) {
			int r = 0;

			memcpy(changed, unit, len);
			changed[at] ^= (char)(1 << at % 8);
			r = dit_page_unseal(&format, changed, len);
			if (dit_crypto_encrypts(with)) {
				assert_int_equal(r, DIT_E_CORRUPT);
			} else {
				assert_int_equal(r, 0);
				assert_false(
					dit_page_sum_is_right(&format, changed, len));
			}
		}
	}
}

TEST(another_key_is_told)
{
	struct dit_page_format format = dit_page_format_sealed(&crypto);
	struct dit_page_format wrong = dit_page_format_sealed(&other);
	char unit[4096];
	size_t len = make_unit(unit, LEAF, &format, sizeof(unit));

	assert_int_equal(dit_page_seal(&format, unit, len), 0);
	assert_int_equal(dit_page_unseal(&wrong, unit, len), DIT_E_CORRUPT);
}

/* Without a MAC the checksum, which has the key in it, tells. */
TEST(another_key_is_told_by_the_checksum)
{
	struct dit_crypto bare = crypto;
	struct dit_crypto wrong = other;
	struct dit_page_format format;
	char unit[4096];

	bare.mac_bytes = 0;
	wrong.mac_bytes = 0;
	format = dit_page_format_sealed(&bare);
	(void)make_unit(unit, LEAF, &format, sizeof(unit));
	assert_int_equal(dit_page_seal(&format, unit, sizeof(unit)), 0);
	format = dit_page_format_sealed(&wrong);
	assert_int_equal(dit_page_unseal(&format, unit, sizeof(unit)), DIT_E_CORRUPT);
}

/* slapadd -q leaves zeros there. */
TEST(a_checksum_of_zeros_is_none)
{
	struct dit_page_format format = dit_page_format_sealed(&sum_alone);
	char unit[4096];

	(void)make_unit(unit, LEAF, &format, sizeof(unit));
	assert_true(dit_page_sum_is_right(&format, unit, sizeof(unit)));
	unit[sizeof(unit) - 1] = 1;
	assert_false(dit_page_sum_is_right(&format, unit, sizeof(unit)));
}

static int refuse(const struct dit_module_bytes *in, struct dit_module_bytes *out,
                  const struct dit_module_bytes keys[3], int encrypts)
{
	(void)in, (void)out, (void)keys, (void)encrypts;
	return 1;
}

TEST(a_failing_module_is_told)
{
	struct dit_module_table table = xor_table;
	struct dit_crypto failing = crypto;
	struct dit_page_format format;
	char unit[4096];

	table.crypt = refuse;
	failing.table = &table;
	format = dit_page_format_sealed(&failing);
	(void)make_unit(unit, LEAF, &format, sizeof(unit));
	assert_int_equal(dit_page_seal(&format, unit, sizeof(unit)), -EIO);
}

/* ---- sources ---- */

TEST(a_source_opens_what_it_reads)
{
	struct dit_page_format format = dit_page_format_sealed(&crypto);
	struct dit_page_source source;
	static char pages[8 * 1024];
	static char unit[3 * 1024];
	int fd = test_nameless_file();

	for (uint64_t i = 0; i < 8; i++) {
		char *page = pages + i * 1024;

		(void)make_unit(page, LEAF, &format, 1024);
		memcpy(page, &i, sizeof(i));
		assert_int_equal(dit_page_seal(&format, page, 1024), 0);
	}
	(void)make_unit(unit, LONG_VALUE, &format, 1024);
	assert_int_equal(dit_page_seal(&format, unit, sizeof(unit)), 0);
	assert_int_equal(write(fd, pages, sizeof(pages)), sizeof(pages));
	assert_int_equal(write(fd, unit, sizeof(unit)), sizeof(unit));
	dit_page_source_init(&source, fd, &format, 1024, 12);
	assert_int_equal(dit_page_source_read(&source, 2, 3, pages), 3);
	for (uint64_t i = 0; i < 3; i++) {
		const struct dit_page_view view = {pages + i * 1024,
		                                   dit_page_end(&format, 1024), &format};
		struct dit_node_view node = {.at = 0};

		assert_true(dit_view_is_page(view, 2 + i));
		assert_int_equal(dit_view_node(view, 0, &node), DIT_NODE_FITS);
		assert_true(dit_span_eq(node.value, DIT_SPAN("value")));
	}
	/* A row ends before a page that cannot be opened alone. */
	assert_int_equal(dit_page_source_read(&source, 6, 4, pages), 2);
	assert_int_equal(dit_page_source_read(&source, 8, 1, pages), DIT_E_CORRUPT);
	assert_int_equal(dit_page_source_read_unit(&source, 8, 3, unit), 0);
	assert_int_equal(unit[2000], 'x');
	assert_int_equal(dit_page_source_read_unit(&source, 8, 2, unit), DIT_E_CORRUPT);
	assert_int_equal(dit_page_source_read_unit(&source, 9, 3, unit), -ENODATA);
	assert_int_equal(close(fd), 0);
}

/* ---- limits ---- */

/* As in LMDB 1.0.1's own examples of modules: MACs of 16 bytes, checksums of 32. */
TEST(tails_make_limits_smaller)
{
	struct dit_crypto tags = {.table = &xor_table, .key = key, .mac_bytes = 16};
	struct dit_page_format format = dit_page_format_sealed(&tags);

	assert_int_equal(dit_page_end(&format, 4096), 4080);
	assert_int_equal(dit_key_max(&format, 4096), 1970);
	assert_int_equal(dit_overflow_pages(&format, 4096 - 24 - 16, 4096), 1);
	assert_int_equal(dit_overflow_pages(&format, 4096 - 24 - 15, 4096), 2);
	tags.sum_bytes = 32;
	format = dit_page_format_sealed(&tags);
	assert_int_equal(dit_page_end(&format, 4096), 4048);
	assert_int_equal(dit_key_max(&format, 4096), 1954);
	assert_true(dit_page_seal_fits(&format, 256));
	tags.mac_bytes = DIT_CRYPTO_TAG_MAX;
	tags.sum_bytes = DIT_CRYPTO_TAG_MAX;
	format = dit_page_format_sealed(&tags);
	assert_true(dit_page_seal_fits(&format, 2048));
	assert_false(dit_page_seal_fits(&format, 1024));
}

MAIN_WITH(set_up, NULL)
