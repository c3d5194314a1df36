/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * First bytes. Signatures of text (bzip2's are letters) are looked for in full length, so
 * that no line of LDIF is taken for one.
 */
#include "ldif/input_kind.h"

#include <stdbool.h>
#include <stddef.h>

#include "base/ascii.h"

struct signature {
	size_t at; /* place of the bytes in the file */
	struct dit_span bytes;
	const char *what; /* completes "is no LDIF: " */
};

#define BYTES(text)                                                                      \
 {                                                                                       \
  text, sizeof(text) - 1                                                                 \
 }

/* clang-format off: rows of a table. */
static const struct signature others[] = {
	{0, BYTES("PK\3\4"), "a zip archive"},
	{0, BYTES("7z\274\257\47\34"), "a 7-Zip archive"},
	{0, BYTES("Rar!\32\7"), "a RAR archive"},
	{257, BYTES("ustar"), "a tar archive"},
	{0, BYTES("!<arch>\n"), "an ar archive"},
	{0, BYTES("\37\235"), "compressed by compress(1), which is not read"},
	{0, BYTES("\4\"M\30"), "compressed by lz4, which is not read"},
	{0, BYTES("LZIP\1"), "compressed by lzip, which is not read"},
	{0, BYTES("\377\376"), "UTF-16 text; iconv(1) makes UTF-8 of it"},
	{0, BYTES("\376\377"), "UTF-16 text; iconv(1) makes UTF-8 of it"},
	{0, BYTES("\211PNG\r\n"), "binary data"},
	/* The magic number of a meta page (storage.md 1.1). */
	{16, BYTES("\336\300\357\276"), "an LMDB database; ditcat makes LDIF of it"},
};
/* clang-format on */

static bool has_bytes(struct dit_span start, size_t at, struct dit_span bytes)
{
	return start.len >= at + bytes.len &&
	       memcmp(start.data + at, bytes.data, bytes.len) == 0;
}

#define HAS(start, at, text) has_bytes(start, at, (struct dit_span)BYTES(text))

/* A frame of data, or one that is to be skipped. */
static bool is_zstd(struct dit_span start)
{
	return HAS(start, 0, "\50\265\57\375") ||
	       (HAS(start, 1, "\52\115\30") && ((unsigned char)start.data[0] >> 4) == 5);
}

/* "BZh", a digit, and the first six digits of pi, or of its root if nothing is packed. */
static bool is_bzip2(struct dit_span start)
{
	return HAS(start, 0, "BZh") && start.len >= DIT_PACK_MAGIC_BYTES &&
	       start.data[3] >= '1' && start.data[3] <= '9' &&
	       (HAS(start, 4, "1AY&SY") || HAS(start, 4, "\27\162\105\70\120\220"));
}

enum dit_pack_format dit_pack_format_of(struct dit_span start)
{
	if (HAS(start, 0, "\37\213\10")) {
		return DIT_PACK_GZIP;
	}
	if (is_zstd(start)) {
		return DIT_PACK_ZSTD;
	}
	if (HAS(start, 0, "\3757zXZ\0")) {
		return DIT_PACK_XZ;
	}
	return is_bzip2(start) ? DIT_PACK_BZIP2 : DIT_PACK_NONE;
}

const char *dit_pack_format_name(enum dit_pack_format format)
{
	static const char *const names[] = {
		[DIT_PACK_NONE] = "",       [DIT_PACK_GZIP] = "gzip",
		[DIT_PACK_ZSTD] = "zstd",   [DIT_PACK_XZ] = "xz",
		[DIT_PACK_BZIP2] = "bzip2",
	};

	return names[format];
}

/* ---- LDIF or not ---- */

static bool is_name_byte(char c)
{
	return dit_ascii_is_name(c) || c == '.' || c == ';' || c == '_';
}

/* A blank line, a comment, or a name with its colon. */
static bool begins_as_ldif(struct dit_span start)
{
	size_t i = 0;

	if (start.len == 0 || start.data[0] == '#' || start.data[0] == '\n' ||
	    start.data[0] == '\r') {
		return true;
	}
	while (i < start.len && is_name_byte(start.data[i])) {
		i++;
	}
	return i > 0 && i < start.len && start.data[i] == ':';
}

/*
 * Bytes that no text has, whatever its encoding, in the first line. LDIF may have such
 * bytes in the values of a later line; slapadd passes over a first line that is none.
 */
static bool has_binary_byte(struct dit_span start)
{
	for (size_t i = 0; i < start.len && start.data[i] != '\n'; i++) {
		unsigned char c = (unsigned char)start.data[i];

		if (c < 0x20 && (c < '\t' || c > '\r') && c != 0x1b) {
			return true;
		}
	}
	return false;
}

const char *dit_input_other_than_ldif(struct dit_span start)
{
	if (start.len > DIT_INPUT_KIND_BYTES) {
		start.len = DIT_INPUT_KIND_BYTES;
	}
	if (begins_as_ldif(start)) {
		return NULL;
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (has_bytes(start, others[i].at, others[i].bytes)) {
			return others[i].what;
		}
	}
	return has_binary_byte(start) ? "binary data" : NULL;
}
