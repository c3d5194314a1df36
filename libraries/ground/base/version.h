/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The release of ditkit, and programs that were compiled with another one.
 *
 * Options grow at their end, and zero in a new field is what the release before did. Each
 * struct of options begins with its size, so the library sees what the program knows.
 *
 * Threads: any.
 */
#ifndef DITKIT_VERSION_H
#define DITKIT_VERSION_H

#include <stddef.h>

#include <ditkit/error.h>

/** The release of these headers. */
#define DIT_VERSION_MAJOR 1
#define DIT_VERSION_MINOR 0
#define DIT_VERSION_PATCH 0
/** 1.2.3 is 10203: for comparisons with #if. */
#define DIT_VERSION_NUMBER                                                               \
 (DIT_VERSION_MAJOR * 10000 + DIT_VERSION_MINOR * 100 + DIT_VERSION_PATCH)

/** The release of the library that runs: "ditkit 1.0.0". Static. */
DIT_PUBLIC const char *dit_version(void);

/**
 * Copy the options of a program.
 *
 * @param own        the same struct as this library knows it, of @p own_bytes
 * @param opts       begins with its size_t size
 *
 * @return 0; -EINVAL: the program has not begun with DIT_..._OPTS_INIT;
 *         DIT_E_UNSUPPORTED: it sets an option of a later release
 */
int dit_opts_take(void *own, size_t own_bytes, const void *opts);

#endif
