/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unpacking ahead: a feed whose slots hold text.
 *
 *   callback ─▶ input (64 KiB) ─▶ codec ─▶ slot, slot, slot, slot ─▶ dit_unpack_read()
 *
 * A codec is zlib, libzstd, liblzma or libbz2 with one interface: it unpacks a member of
 * packed data, piece by piece. A member is what one call of gzip, zstd, xz or bzip2
 * writes. Files put together by cat(1) have several.
 *
 * A slot is handed over when it is full, or when the data ends. If an error comes while
 * a slot has text already, the slot goes first, and the next one tells the error. Only
 * the text of a slot in which damage shows is dropped.
 */
#include "ldif/unpack.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/error.h"
#include "base/feed.h"
#include "base/object.h"
#include "ldif/input_kind.h"

#define NSLOTS      4
#define SLOT_BYTES  ((size_t)256 << 10)
#define INPUT_BYTES ((size_t)64 << 10)

/* More memory than this no data may ask for. zstd's own limit is the same. */
#define MEMORY_MIB  128
#define GZIP_WINDOW (15 + 16) /* the largest; with gzip's header */

/* Each is made when the first member of its format comes. */
struct codec {
	z_stream gzip;
	bool has_gzip;
	ZSTD_DStream *zstd;
	lzma_stream xz; /* zero is LZMA_STREAM_INIT */
	bz_stream bzip2;
	bool has_bzip2;
};

/* The bytes left to read, and room to write; both move on. zlib and libbz2 count in 32
 * bits. */
struct packed_io {
	const char *in;
	size_t in_len;
	char *out;
	size_t out_len;
};

struct unpack_slot {
	char *text;
	size_t ntext;
	uint64_t packed; /* packed bytes up to the end of the text */
};

struct dit_unpack {
	/* [const] */
	struct dit_unpack_opts opts;
	struct dit_feed *feed;

	/* [own: the feed's thread, or the only one] */
	struct codec codec;
	enum dit_pack_format format; /* of the present member, else of the one before */
	bool is_in_member;
	char *input;
	size_t at; /* the next byte of the input */
	size_t end;
	uint64_t packed; /* bytes of the data before "at" */
	bool is_at_end;  /* the callback has no more */
	bool is_cut;     /* a member has no end */
	int failed;      /* what the next slot tells */

	/* [handoff: the feed's thread > reader, with a slot or with the end] */
	struct unpack_slot slots[NSLOTS];
	char error[128];

	/* [own: reader] */
	bool has_slot;
	unsigned slot;
	size_t slot_at;
};

static void move_on(struct packed_io *io, size_t nread, size_t nwritten)
{
	io->in += nread;
	io->in_len -= nread;
	io->out += nwritten;
	io->out_len -= nwritten;
}

/* The result of a step() below. */
static int result(bool has_ended, bool goes_on, bool lacks_memory)
{
	return has_ended ? 1 : goes_on ? 0 : lacks_memory ? -ENOMEM : DIT_E_INVALID;
}

/* ---- gzip ---- */

static int begin_gzip(struct codec *codec)
{
	if (codec->has_gzip) {
		return inflateReset(&codec->gzip) == Z_OK ? 0 : -ENOMEM;
	}
	codec->has_gzip = inflateInit2(&codec->gzip, GZIP_WINDOW) == Z_OK;
	return codec->has_gzip ? 0 : -ENOMEM;
}

static int step_gzip(struct codec *codec, struct packed_io *io)
{
	z_stream *z = &codec->gzip;
	int r = Z_OK;

	/* zlib only reads there; its declaration has no const. */
	z->next_in = (Bytef *)(uintptr_t)io->in;
	z->avail_in = (uInt)io->in_len;
	z->next_out = (Bytef *)io->out;
	z->avail_out = (uInt)io->out_len;
	r = inflate(z, Z_NO_FLUSH);
	move_on(io, io->in_len - z->avail_in, io->out_len - z->avail_out);
	/* Z_BUF_ERROR: nothing could be done */
	return result(r == Z_STREAM_END, r == Z_OK || r == Z_BUF_ERROR, r == Z_MEM_ERROR);
}

/* ---- zstd ---- */

static int begin_zstd(struct codec *codec)
{
	if (codec->zstd == NULL) {
		codec->zstd = ZSTD_createDStream();
	}
	if (codec->zstd == NULL) {
		return -ENOMEM;
	}
	return ZSTD_isError(ZSTD_initDStream(codec->zstd)) ? -ENOMEM : 0;
}

static int step_zstd(struct codec *codec, struct packed_io *io)
{
	ZSTD_inBuffer in = {.src = io->in, .size = io->in_len};
	ZSTD_outBuffer out = {.dst = io->out, .size = io->out_len};
	size_t r = ZSTD_decompressStream(codec->zstd, &out, &in);
	ZSTD_ErrorCode error = ZSTD_error_no_error;

	move_on(io, in.pos, out.pos);
	error = ZSTD_getErrorCode(r);
	return error == ZSTD_error_frameParameter_windowTooLarge
	               ? DIT_E_UNSUPPORTED
	               : result(r == 0, !ZSTD_isError(r),
	                        error == ZSTD_error_memory_allocation);
}

/* ---- xz ---- */

static int begin_xz(struct codec *codec)
{
	lzma_ret r = lzma_stream_decoder(&codec->xz, (uint64_t)MEMORY_MIB << 20, 0);

	return r == LZMA_OK ? 0 : -ENOMEM;
}

static int step_xz(struct codec *codec, struct packed_io *io)
{
	lzma_stream *xz = &codec->xz;
	lzma_ret r = LZMA_OK;

	xz->next_in = (const uint8_t *)io->in;
	xz->avail_in = io->in_len;
	xz->next_out = (uint8_t *)io->out;
	xz->avail_out = io->out_len;
	r = lzma_code(xz, LZMA_RUN);
	move_on(io, io->in_len - xz->avail_in, io->out_len - xz->avail_out);
	/* LZMA_BUF_ERROR: nothing could be done, for the second time */
	return r == LZMA_MEMLIMIT_ERROR
	               ? DIT_E_UNSUPPORTED
	               : result(r == LZMA_STREAM_END, r == LZMA_OK || r == LZMA_BUF_ERROR,
	                        r == LZMA_MEM_ERROR);
}

/* ---- bzip2 ---- */

static int begin_bzip2(struct codec *codec)
{
	if (codec->has_bzip2) {
		(void)BZ2_bzDecompressEnd(&codec->bzip2);
		codec->bzip2 = (bz_stream){0};
	}
	codec->has_bzip2 = BZ2_bzDecompressInit(&codec->bzip2, 0, 0) == BZ_OK;
	return codec->has_bzip2 ? 0 : -ENOMEM;
}

static int step_bzip2(struct codec *codec, struct packed_io *io)
{
	bz_stream *bz = &codec->bzip2;
	int r = BZ_OK;

	bz->next_in = (char *)(uintptr_t)io->in; /* only read, as above */
	bz->avail_in = (unsigned)io->in_len;
	bz->next_out = io->out;
	bz->avail_out = (unsigned)io->out_len;
	r = BZ2_bzDecompress(bz);
	move_on(io, io->in_len - bz->avail_in, io->out_len - bz->avail_out);
	return result(r == BZ_STREAM_END, r == BZ_OK, r == BZ_MEM_ERROR);
}

/*
 * begin: before each member. 0 or -ENOMEM
 *
 * step: unpack as much as there is to read, or room for. 1: the member has ended; 0: it
 * goes on, and if nothing was read or written it needs more input; DIT_E_INVALID: the
 * data is damaged; DIT_E_UNSUPPORTED: it needs more memory than it may have; -ENOMEM
 */
static const struct {
	int (*begin)(struct codec *codec);
	int (*step)(struct codec *codec, struct packed_io *io);
} codecs[] = {
	[DIT_PACK_GZIP] = {begin_gzip, step_gzip},
	[DIT_PACK_ZSTD] = {begin_zstd, step_zstd},
	[DIT_PACK_XZ] = {begin_xz, step_xz},
	[DIT_PACK_BZIP2] = {begin_bzip2, step_bzip2},
};

static void codec_end(struct codec *codec)
{
	if (codec->has_gzip) {
		(void)inflateEnd(&codec->gzip);
	}
	(void)ZSTD_freeDStream(codec->zstd);
	lzma_end(&codec->xz);
	if (codec->has_bzip2) {
		(void)BZ2_bzDecompressEnd(&codec->bzip2);
	}
}

/* ---- packed bytes ---- */

/* Have at least @p need bytes of input, fewer only at its end. 0 or negative */
static int fetch(struct dit_unpack *unpack, size_t need)
{
	size_t left = unpack->end - unpack->at;

	if (left >= need || unpack->is_at_end) {
		return 0;
	}
	memmove(unpack->input, unpack->input + unpack->at, left);
	unpack->at = 0;
	unpack->end = left;
	while (unpack->end < need && !unpack->is_at_end) {
		ssize_t n =
			unpack->opts.read(unpack->opts.ctx, unpack->input + unpack->end,
		                          INPUT_BYTES - unpack->end);

		if (n < 0) {
			return (int)n;
		}
		unpack->end += (size_t)n;
		unpack->is_at_end = n == 0;
	}
	return 0;
}

static void skip(struct dit_unpack *unpack, size_t nbytes)
{
	unpack->at += nbytes;
	unpack->packed += nbytes;
}

/* Zeros fill up the blocks of tapes after gzip data, and may follow xz data. */
static bool may_be_padded(enum dit_pack_format format)
{
	return format == DIT_PACK_GZIP || format == DIT_PACK_XZ;
}

/* @return 1: not at the end of the data; 0; negative */
static int skip_padding(struct dit_unpack *unpack)
{
	int r = fetch(unpack, 1);

	while (r == 0 && unpack->at < unpack->end) {
		if (unpack->input[unpack->at] != '\0' || !may_be_padded(unpack->format)) {
			return 1;
		}
		skip(unpack, 1);
		r = fetch(unpack, 1);
	}
	return r;
}

/* ---- members ---- */

static int tell(struct dit_unpack *unpack, int r)
{
	const char *format = dit_pack_format_name(unpack->format);
	uint64_t packed = unpack->packed;

	if (r == DIT_E_UNSUPPORTED) {
		(void)snprintf(unpack->error, sizeof(unpack->error),
		               "its %s data needs more than %d MiB of memory", format,
		               MEMORY_MIB);
	} else if (r == DIT_E_INVALID && unpack->is_in_member) {
		(void)snprintf(unpack->error, sizeof(unpack->error),
		               "its %s data is %s at byte %lu", format,
		               unpack->is_cut ? "cut off" : "damaged", packed);
	} else if (r == DIT_E_INVALID) {
		(void)snprintf(unpack->error, sizeof(unpack->error),
		               "after its %s data, at byte %lu, comes something else",
		               format, packed);
	}
	return r;
}

/* @return 1: there is one; 0: the data has ended; negative */
static int begin_member(struct dit_unpack *unpack)
{
	struct dit_span start = {0};
	enum dit_pack_format format = DIT_PACK_NONE;
	int r = skip_padding(unpack);

	if (r <= 0) {
		return r;
	}
	r = fetch(unpack, DIT_PACK_MAGIC_BYTES);
	if (r < 0) {
		return r;
	}
	start.data = unpack->input + unpack->at;
	start.len = unpack->end - unpack->at;
	format = dit_pack_format_of(start);
	if (format == DIT_PACK_NONE) {
		return DIT_E_INVALID;
	}
	unpack->format = format;
	r = codecs[format].begin(&unpack->codec);
	unpack->is_in_member = r == 0;
	return r < 0 ? r : 1;
}

/* One step in the present member. @return 0 or negative */
static int step(struct dit_unpack *unpack, struct packed_io *io)
{
	size_t room = io->out_len;
	size_t left = unpack->end - unpack->at;
	int r = 0;

	io->in = unpack->input + unpack->at;
	io->in_len = left;
	r = codecs[unpack->format].step(&unpack->codec, io);
	skip(unpack, left - io->in_len);
	if (r > 0) {
		unpack->is_in_member = false;
		return 0;
	}
	if (r < 0 || io->in_len < left || io->out_len < room) {
		return r;
	}
	/* It needs more, and what it has left it has looked at. */
	r = fetch(unpack, io->in_len + 1);
	if (r == 0 && unpack->end - unpack->at == io->in_len) {
		unpack->is_cut = true;
		r = DIT_E_INVALID;
	}
	return r;
}

/* Damage is seen after the bytes that came of it. */
static bool is_doubtful(const struct dit_unpack *unpack, int r)
{
	return r == DIT_E_INVALID && unpack->is_in_member && !unpack->is_cut;
}

static int fill(void *ctx, unsigned number)
{
	struct dit_unpack *unpack = ctx;
	struct unpack_slot *slot = &unpack->slots[number];
	struct packed_io io = {.out = slot->text, .out_len = SLOT_BYTES};
	int r = unpack->failed;
	bool is_end = false;

	while (r == 0 && io.out_len > 0 && !is_end) {
		if (unpack->is_in_member) {
			r = step(unpack, &io);
			continue;
		}
		r = begin_member(unpack);
		is_end = r == 0;
		r = r > 0 ? 0 : r;
	}
	slot->ntext = is_doubtful(unpack, r) ? 0 : SLOT_BYTES - io.out_len;
	slot->packed = unpack->packed;
	if (r < 0 && unpack->failed == 0) {
		unpack->failed = tell(unpack, r);
	}
	return slot->ntext > 0 ? 1 : r;
}

/* ---- the reader's side ---- */

static int make(struct dit_unpack *unpack)
{
	const struct dit_unpack_opts *opts = &unpack->opts;

	assert(opts->start.len <= INPUT_BYTES);
	unpack->input = malloc(INPUT_BYTES);
	if (unpack->input == NULL) {
		return -ENOMEM;
	}
	memcpy(unpack->input, opts->start.data, opts->start.len);
	unpack->end = opts->start.len;
	for (unsigned i = 0; i < NSLOTS; i++) {
		unpack->slots[i].text = malloc(SLOT_BYTES);
		if (unpack->slots[i].text == NULL) {
			return -ENOMEM;
		}
	}
	return dit_feed_new(&unpack->feed, NSLOTS, opts->is_threaded ? "unpack" : NULL,
	                    fill, unpack);
}

int dit_unpack_new(struct dit_unpack **ret, const struct dit_unpack_opts *opts)
{
	struct dit_unpack *unpack = calloc(1, sizeof(*unpack));
	int r = 0;

	if (unpack == NULL) {
		return -ENOMEM;
	}
	unpack->opts = *opts;
	r = make(unpack);
	return DIT_HAND_OVER(r, ret, unpack, dit_unpack_free);
}

void dit_unpack_free(struct dit_unpack *unpack)
{
	if (unpack == NULL) {
		return;
	}
	dit_feed_free(unpack->feed); /* joins the thread first */
	for (unsigned i = 0; i < NSLOTS; i++) {
		free(unpack->slots[i].text);
	}
	free(unpack->input);
	codec_end(&unpack->codec);
	free(unpack);
}

ssize_t dit_unpack_read(struct dit_unpack *unpack, char *buffer, size_t size,
                        uint64_t *ret_packed)
{
	const struct unpack_slot *slot = &unpack->slots[unpack->slot];
	size_t n = 0;

	if (unpack->has_slot && unpack->slot_at == slot->ntext) {
		dit_feed_return(unpack->feed);
		unpack->has_slot = false;
	}
	if (!unpack->has_slot) {
		int r = dit_feed_take(unpack->feed, NULL, &unpack->slot);

		if (r <= 0) {
			return r;
		}
		slot = &unpack->slots[unpack->slot];
		unpack->has_slot = true;
		unpack->slot_at = 0;
	}
	n = slot->ntext - unpack->slot_at;
	n = n < size ? n : size;
	memcpy(buffer, slot->text + unpack->slot_at, n);
	unpack->slot_at += n;
	*ret_packed = slot->packed;
	return (ssize_t)n;
}

const char *dit_unpack_error(const struct dit_unpack *unpack)
{
	return unpack->error;
}
