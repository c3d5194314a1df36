/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reject file: every record that was left out, as LDIF that can be mended and loaded,
 * behind comment lines with its line number, DN and reason.
 */
#ifndef DITADD_REJECTS_H
#define DITADD_REJECTS_H

#include <stdio.h>

#include <ditkit/load.h>

/**
 * Create the file, or empty it. Records hold passwords: only its owner, who is the user
 * that runs the load, can read it. No link is followed, and nothing else than a regular
 * file with one name is written to.
 *
 * @return 0; -1 after a message on stderr
 */
int rejects_open(FILE **ret, const char *path);
/** A dit_reject_fn; the context is the FILE. */
int rejects_write(void *file, const struct dit_reject *reject);
/** All that was written so far is on disk. 0 or -errno. */
int rejects_sync(FILE *file);
/** 0 or -errno: what was written may not be on disk. */
int rejects_close(FILE *file);

#endif
