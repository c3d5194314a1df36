/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Error codes of the whole library.
 *
 * Functions that can fail return int: 0 or a positive count is success, negative is
 * failure. Three ranges, no overlap: -errno (above -4096); LMDB's own negative codes
 * (-30799 .. -30600), unchanged; ours, below.
 */
#ifndef DITKIT_ERROR_H
#define DITKIT_ERROR_H

#include <string.h>

/** A function that programs may call, from C or C++. */
#ifdef __cplusplus
# define DIT_PUBLIC extern "C" __attribute__((visibility("default")))
#else
# define DIT_PUBLIC __attribute__((visibility("default")))
#endif

/** The function of NAME_INIT: options are zero but for their size and what is set, as
 * in DIT_OPTS(dit_load_opts, opts.database = -1). */
#define DIT_OPTS(name, ...)                                                              \
 static inline struct name name##_init(void)                                             \
 {                                                                                       \
  struct name opts;                                                                      \
                                                                                         \
  memset(&opts, 0, sizeof(opts));                                                        \
  opts.size = sizeof(opts);                                                              \
  __VA_ARGS__;                                                                           \
  return opts;                                                                           \
 }

enum dit_error {
	DIT_E_SYNTAX = -41000, /* text does not follow its grammar; a report says where */
	DIT_E_UNKNOWN,         /* a name that no definition carries */
	DIT_E_DUPLICATE,       /* defined, or present, already */
	DIT_E_INVALID,         /* a value that its syntax or rule refuses */
	DIT_E_UNSUPPORTED,     /* understood, but not built into this release */
	DIT_E_CONFIG,          /* configuration refused; a report says why */
	DIT_E_REFUSED,         /* an entry was refused and the load stopped there */
	DIT_E_NOTEMPTY,        /* the database holds entries already */
	DIT_E_BUSY,            /* another process uses the database */
	DIT_E_FULL,            /* the result does not fit the configured map size */
	DIT_E_CORRUPT,         /* a database or run file contradicts its format */
	DIT_E_TOOLONG,         /* over a limit of the format */
	DIT_E_STOPPED,         /* interrupted by the caller */
	DIT_E_FORMAT,          /* a database of another generation of LMDB */
};

/** Text of any code that the library returns; static, never NULL. Any thread. */
DIT_PUBLIC const char *dit_strerror(int error);

#endif
