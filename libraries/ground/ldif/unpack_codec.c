/* SPDX-License-Identifier: BSD-2-Clause */
/* zlib, libzstd, liblzma and libbz2 with one interface. */
#include "ldif/unpack_codec.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/error.h"

#define GZIP_WINDOW (15 + 16) /* the largest; with gzip's header */

struct dit_codec {
	enum dit_pack_format format;
	/* Each is made when the first member of its format comes. */
	z_stream gzip;
	bool has_gzip;
	ZSTD_DStream *zstd;
	lzma_stream xz; /* zero is LZMA_STREAM_INIT */
	bz_stream bzip2;
	bool has_bzip2;
};

int dit_codec_new(struct dit_codec **ret)
{
	struct dit_codec *codec = calloc(1, sizeof(*codec));

	if (codec == NULL) {
		return -ENOMEM;
	}
	*ret = codec;
	return 0;
}

void dit_codec_free(struct dit_codec *codec)
{
	if (codec == NULL) {
		return;
	}
	if (codec->has_gzip) {
		(void)inflateEnd(&codec->gzip);
	}
	(void)ZSTD_freeDStream(codec->zstd);
	lzma_end(&codec->xz);
	if (codec->has_bzip2) {
		(void)BZ2_bzDecompressEnd(&codec->bzip2);
	}
	free(codec);
}

static void move_on(struct dit_codec_io *io, size_t nread, size_t nwritten)
{
	io->in += nread;
	io->in_len -= nread;
	io->out += nwritten;
	io->out_len -= nwritten;
}

/* ---- gzip ---- */

static int begin_gzip(struct dit_codec *codec)
{
	if (codec->has_gzip) {
		return inflateReset(&codec->gzip) == Z_OK ? 0 : -ENOMEM;
	}
	codec->has_gzip = inflateInit2(&codec->gzip, GZIP_WINDOW) == Z_OK;
	return codec->has_gzip ? 0 : -ENOMEM;
}

static int step_gzip(struct dit_codec *codec, struct dit_codec_io *io)
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
	switch (r) {
	case Z_STREAM_END:
		return 1;
	case Z_OK:
	case Z_BUF_ERROR: /* nothing could be done */
		return 0;
	case Z_MEM_ERROR:
		return -ENOMEM;
	default:
		return DIT_E_INVALID;
	}
}

/* ---- zstd ---- */

static int begin_zstd(struct dit_codec *codec)
{
	if (codec->zstd == NULL) {
		codec->zstd = ZSTD_createDStream();
	}
	if (codec->zstd == NULL) {
		return -ENOMEM;
	}
	return ZSTD_isError(ZSTD_initDStream(codec->zstd)) ? -ENOMEM : 0;
}

static int step_zstd(struct dit_codec *codec, struct dit_codec_io *io)
{
	ZSTD_inBuffer in = {.src = io->in, .size = io->in_len};
	ZSTD_outBuffer out = {.dst = io->out, .size = io->out_len};
	size_t r = ZSTD_decompressStream(codec->zstd, &out, &in);

	move_on(io, in.pos, out.pos);
	if (!ZSTD_isError(r)) {
		return r == 0;
	}
	switch (ZSTD_getErrorCode(r)) {
	case ZSTD_error_memory_allocation:
		return -ENOMEM;
	case ZSTD_error_frameParameter_windowTooLarge:
		return DIT_E_UNSUPPORTED;
	default:
		return DIT_E_INVALID;
	}
}

/* ---- xz ---- */

static int begin_xz(struct dit_codec *codec)
{
	lzma_ret r =
		lzma_stream_decoder(&codec->xz, (uint64_t)DIT_CODEC_MEMORY_MIB << 20, 0);

	return r == LZMA_OK ? 0 : -ENOMEM;
}

static int step_xz(struct dit_codec *codec, struct dit_codec_io *io)
{
	lzma_stream *xz = &codec->xz;
	lzma_ret r = LZMA_OK;

	xz->next_in = (const uint8_t *)io->in;
	xz->avail_in = io->in_len;
	xz->next_out = (uint8_t *)io->out;
	xz->avail_out = io->out_len;
	r = lzma_code(xz, LZMA_RUN);
	move_on(io, io->in_len - xz->avail_in, io->out_len - xz->avail_out);
	switch (r) {
	case LZMA_STREAM_END:
		return 1;
	case LZMA_OK:
	case LZMA_BUF_ERROR: /* nothing could be done, for the second time */
		return 0;
	case LZMA_MEM_ERROR:
		return -ENOMEM;
	case LZMA_MEMLIMIT_ERROR:
		return DIT_E_UNSUPPORTED;
	default:
		return DIT_E_INVALID;
	}
}

/* ---- bzip2 ---- */

static int begin_bzip2(struct dit_codec *codec)
{
	if (codec->has_bzip2) {
		(void)BZ2_bzDecompressEnd(&codec->bzip2);
		codec->bzip2 = (bz_stream){0};
	}
	codec->has_bzip2 = BZ2_bzDecompressInit(&codec->bzip2, 0, 0) == BZ_OK;
	return codec->has_bzip2 ? 0 : -ENOMEM;
}

static int step_bzip2(struct dit_codec *codec, struct dit_codec_io *io)
{
	bz_stream *bz = &codec->bzip2;
	int r = BZ_OK;

	bz->next_in = (char *)(uintptr_t)io->in; /* only read, as above */
	bz->avail_in = (unsigned)io->in_len;
	bz->next_out = io->out;
	bz->avail_out = (unsigned)io->out_len;
	r = BZ2_bzDecompress(bz);
	move_on(io, io->in_len - bz->avail_in, io->out_len - bz->avail_out);
	switch (r) {
	case BZ_STREAM_END:
		return 1;
	case BZ_OK:
		return 0;
	case BZ_MEM_ERROR:
		return -ENOMEM;
	default:
		return DIT_E_INVALID;
	}
}

/* ---- all of them ---- */

static const struct {
	int (*begin)(struct dit_codec *codec);
	int (*step)(struct dit_codec *codec, struct dit_codec_io *io);
} codecs[] = {
	[DIT_PACK_GZIP] = {begin_gzip, step_gzip},
	[DIT_PACK_ZSTD] = {begin_zstd, step_zstd},
	[DIT_PACK_XZ] = {begin_xz, step_xz},
	[DIT_PACK_BZIP2] = {begin_bzip2, step_bzip2},
};

int dit_codec_begin(struct dit_codec *codec, enum dit_pack_format format)
{
	assert(format != DIT_PACK_NONE);
	codec->format = format;
	return codecs[format].begin(codec);
}

int dit_codec_step(struct dit_codec *codec, struct dit_codec_io *io)
{
	assert(codec->format != DIT_PACK_NONE); /* a member has begun */
	assert(io->in_len <= UINT_MAX && io->out_len <= UINT_MAX);
	return codecs[codec->format].step(codec, io);
}
