/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One interface to the four libraries that unpack: a member of packed data, piece by
 * piece.
 *
 *   dit_codec_new();
 *   dit_codec_begin(format);  dit_codec_step() until it returns no 0;   for each member
 *   dit_codec_free()
 *
 * A member is what one call of gzip, zstd, xz or bzip2 writes. Files put together by
 * cat(1) have several.
 *
 * Threads: a codec belongs to one thread.
 */
#ifndef DITKIT_UNPACK_CODEC_H
#define DITKIT_UNPACK_CODEC_H

#include <stddef.h>

#include "ldif/input_kind.h"

/** More memory than this, in MiB, no data may ask for. zstd's own limit is the same. */
#define DIT_CODEC_MEMORY_MIB 128

struct dit_codec;

/** The bytes left to read, and room to write; both move on. Less than 4 GiB each, since
 * zlib and libbz2 count in 32 bits. Borrowed. */
struct dit_codec_io {
	const char *in;
	size_t in_len;
	char *out;
	size_t out_len;
};

/** 0 or -ENOMEM */
int dit_codec_new(struct dit_codec **ret);
/** NULL is fine. */
void dit_codec_free(struct dit_codec *codec);

/** Before each member. @return 0 or -ENOMEM */
int dit_codec_begin(struct dit_codec *codec, enum dit_pack_format format);

/**
 * Unpack as much as there is to read, or room for.
 *
 * @return 1: the member has ended; 0: it goes on, and if nothing was read or written it
 *         needs more input; DIT_E_INVALID: the data is damaged; DIT_E_UNSUPPORTED: it
 *         needs more memory than it may have; -ENOMEM
 */
int dit_codec_step(struct dit_codec *codec, struct dit_codec_io *io);

#endif
