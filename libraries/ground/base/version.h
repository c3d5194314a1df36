/* SPDX-License-Identifier: BSD-2-Clause */
/* The release of ditkit. Threads: any. */
#ifndef DITKIT_VERSION_H
#define DITKIT_VERSION_H

#ifndef DIT_PUBLIC
# define DIT_PUBLIC __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** "ditkit 0.1.0". Static. */
DIT_PUBLIC const char *dit_version(void);

#ifdef __cplusplus
}
#endif

#endif
