/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reject file: every record that was left out, as LDIF that can be mended and
 * loaded. Comment lines in front of a record give its line number, its DN and the
 * reason.
 */
#ifndef DITADD_REJECTS_H
#define DITADD_REJECTS_H

#include <stdio.h>

#include <ditkit/load.h>

/**
 * Create the file, or empty it. Records hold passwords, so only the owner of the file,
 * who runs the load, can read it; a file that others can read is replaced. The function
 * follows no link, and refuses anything but a regular file with one name.
 *
 * @return 0; -1 after a message on stderr
 */
int rejects_open(FILE **ret, const char *path);
/** A dit_reject_fn; the context is the FILE. */
int rejects_write(void *file, const struct dit_reject *reject);
/** Put the records written so far on the disk. 0 or -errno. */
int rejects_sync(FILE *file);
/** 0; -errno: records may be missing on the disk. */
int rejects_close(FILE *file);

#endif
