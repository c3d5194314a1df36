/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kind of an input, by its first bytes: packed data, LDIF, or something else.
 *
 * Sources: RFC 1952 (gzip), RFC 8878 (zstd), the .xz file format 1.1.0, the stream header
 * of bzip2; the signatures of the others as file(1) knows them.
 *
 * Threads: no state.
 */
#ifndef DITKIT_INPUT_KIND_H
#define DITKIT_INPUT_KIND_H

#include "base/span.h"

enum dit_pack_format {
	DIT_PACK_NONE,
	DIT_PACK_GZIP,
	DIT_PACK_ZSTD,
	DIT_PACK_XZ,
	DIT_PACK_BZIP2,
};

/** So many first bytes decide the format of packed data. */
#define DIT_PACK_MAGIC_BYTES 10

/** So many first bytes at most decide whether an input can be LDIF. */
#define DIT_INPUT_KIND_BYTES 512

/** The format of the packed data that begins so; NONE: it is not packed. */
enum dit_pack_format dit_pack_format_of(struct dit_span start);

/** "gzip", "zstd", "xz", "bzip2"; "" for NONE. Static. */
const char *dit_pack_format_name(enum dit_pack_format format);

/**
 * Is this the start of a file that cannot be LDIF? Text is never refused here: lines that
 * make no entry have messages of their own, with their number.
 *
 * @param start  up to DIT_INPUT_KIND_BYTES; the end of the span may cut a line
 *
 * @return NULL: it can be LDIF; else what the file is ("a tar archive"). Static.
 */
const char *dit_input_other_than_ldif(struct dit_span start);

#endif
