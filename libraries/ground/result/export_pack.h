/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compressed texts: each becomes a member of a gzip file (RFC 1952) or a frame of a zstd
 * file (RFC 8878). Such a file is as good as one that was compressed in one go: gzip,
 * zstd and their libraries read one member or frame after the other.
 *
 *   dit_packer_new();  dit_packer_pack() ...;  dit_packer_free()
 *
 * Threads: a packer belongs to one thread at a time.
 */
#ifndef DITKIT_EXPORT_PACK_H
#define DITKIT_EXPORT_PACK_H

#include "ldif/ldif_write.h"
#include "result/export_file.h"

/** Nothing compresses what is smaller much better than this. */
#define DIT_PACK_RANGE_PAGES 64

struct dit_packer;

/** @param kind  not DIT_EXPORT_PLAIN. @return 0 or -ENOMEM */
int dit_packer_new(struct dit_packer **ret, enum dit_export_compression kind);
/** NULL is fine. */
void dit_packer_free(struct dit_packer *packer);

/**
 * Replace a text by its compressed form, a whole member or frame. An empty text becomes
 * one, too.
 *
 * @return 0; -ENOMEM, and the text is as it was
 */
int dit_packer_pack(struct dit_packer *packer, struct dit_ldif_text *text);

#endif
