/* SPDX-License-Identifier: BSD-2-Clause */
#include "result/export_pack.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include <zlib.h>
#include <zstd.h>

#include "base/object.h"
#include "base/slab.h"

#define GZIP_WINDOW    (15 + 16) /* the largest; with gzip's header */
#define GZIP_MEMORY    8
#define ZSTD_LEVEL     3
#define CHECKSUM_BYTES 4

struct dit_packer {
	enum dit_export_compression kind;
	z_stream gzip;
	bool has_gzip;
	ZSTD_CCtx *zstd;
	struct dit_buffer out; /* the text before, for its memory */
};

/* With a checksum of the text, as gzip has one. NULL: no memory */
static ZSTD_CCtx *make_zstd(void)
{
	ZSTD_CCtx *zstd = ZSTD_createCCtx();

	if (zstd != NULL) {
		(void)ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL);
		(void)ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
	}
	return zstd;
}

int dit_packer_new(struct dit_packer **ret, enum dit_export_compression kind)
{
	struct dit_packer *packer = calloc(1, sizeof(*packer));
	int r = 0;

	if (packer == NULL) {
		return -ENOMEM;
	}
	packer->kind = kind;
	if (kind == DIT_EXPORT_ZSTD) {
		packer->zstd = make_zstd();
	} else {
		packer->has_gzip = deflateInit2(&packer->gzip, Z_DEFAULT_COMPRESSION,
		                                Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY,
		                                Z_DEFAULT_STRATEGY) == Z_OK;
	}
	r = packer->zstd == NULL && !packer->has_gzip ? -ENOMEM : 0;
	return DIT_HAND_OVER(r, ret, packer, dit_packer_free);
}

void dit_packer_free(struct dit_packer *packer)
{
	if (packer == NULL) {
		return;
	}
	if (packer->has_gzip) {
		(void)deflateEnd(&packer->gzip);
	}
	(void)ZSTD_freeCCtx(packer->zstd);
	dit_buffer_drop(&packer->out);
	free(packer);
}

/* Bytes of gzip so far. */
static size_t made(const struct dit_packer *packer)
{
	return (size_t)((char *)packer->gzip.next_out - (char *)packer->out.data);
}

/* zlib counts in 32 bits, so a large text goes in piece by piece. */
static int pack_gzip(struct dit_packer *packer, const struct dit_ldif_text *text,
                     size_t *ret_len)
{
	z_stream *z = &packer->gzip;
	size_t left = text->len;
	int flush = Z_NO_FLUSH;
	int r = 0;

	/* First of all: the bound is that of the state. */
	(void)deflateReset(z);
	r = dit_buffer_reserve(&packer->out, deflateBound(z, text->len));
	if (r < 0) {
		return r;
	}
	z->next_in = (Bytef *)text->data;
	z->next_out = packer->out.data;
	while (flush != Z_FINISH) {
		size_t room = packer->out.size_bytes - made(packer);

		z->avail_in = left < UINT_MAX ? (uInt)left : UINT_MAX;
		z->avail_out = room < UINT_MAX ? (uInt)room : UINT_MAX;
		left -= z->avail_in;
		flush = left == 0 ? Z_FINISH : Z_NO_FLUSH;
		r = deflate(z, flush);
		left += z->avail_in;
		if (left > 0) {
			flush = Z_NO_FLUSH;
		}
	}
	*ret_len = made(packer);
	return r == Z_STREAM_END ? 0 : -ENOMEM;
}

static int pack_zstd(struct dit_packer *packer, const struct dit_ldif_text *text,
                     size_t *ret_len)
{
	int r = dit_buffer_reserve(&packer->out,
	                           ZSTD_compressBound(text->len) + CHECKSUM_BYTES);
	size_t len = 0;

	if (r < 0) {
		return r;
	}
	len = ZSTD_compress2(packer->zstd, packer->out.data, packer->out.size_bytes,
	                     text->data, text->len);
	if (ZSTD_isError(len)) {
		return -ENOMEM; /* no other error is possible with room for the worst */
	}
	*ret_len = len;
	return 0;
}

int dit_packer_pack(struct dit_packer *packer, struct dit_ldif_text *text)
{
	struct dit_buffer packed = {NULL, 0};
	size_t len = 0;
	int r = packer->kind == DIT_EXPORT_ZSTD ? pack_zstd(packer, text, &len)
	                                        : pack_gzip(packer, text, &len);

	if (r < 0) {
		return r;
	}
	/* Each gets the other's memory. */
	packed = packer->out;
	packer->out = (struct dit_buffer){text->data, text->size};
	text->data = packed.data;
	text->size = packed.size_bytes;
	text->len = len;
	return 0;
}
