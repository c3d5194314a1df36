/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reject file: every record that was left out, as LDIF that can be mended and
 * loaded. Comment lines in front of a record give its line number, its DN and the
 * reason.
 *
 *     rejects.path, rejects.meter
 *     r = rejects_open(&rejects);     before the work
 *     REJECTS_CALLBACKS(&opts, &rejects);
 *     ...
 *     r = rejects_close(&rejects);
 *
 * Without a path there is no file, and nothing happens.
 *
 * Threads: belongs to one thread.
 */
#ifndef DITKIT_CLI_REJECTS_H
#define DITKIT_CLI_REJECTS_H

#include <stdio.h>

#include <ditkit/report.h>

#include "meter.h"

struct rejects {
	const char *path;    /* --rejects; NULL: not given */
	FILE *file;          /* NULL: not open */
	struct meter *meter; /* whose line messages stand in for; NULL: none */
};

/** With --rejects, which slapd's tools do not have: done, without those records. */
#define EXIT_PART 2

/**
 * Create the file, or empty it. Records hold passwords, so only the owner of the file,
 * who runs the program, can read it; a file that others can read is replaced. The
 * function follows no link, and refuses anything but a regular file with one name.
 *
 * @return 0; -1 after a message on stderr
 */
int rejects_open(struct rejects *rejects);
/** A dit_reject_fn; the context is the struct rejects. */
int rejects_write(void *ctx, const struct dit_reject *reject);
/** The before_publish of a verb: put the records written so far on the disk, so that
 * those that the database lacks are somewhere else by then. 0; -errno after a message */
int rejects_complete(void *ctx);
/** 0; -1 after a message: records may be missing on the disk. */
int rejects_close(struct rejects *rejects);

/** Callbacks of a verb, if there is a file. */
#define REJECTS_CALLBACKS(verb, rejects)                                                 \
 do {                                                                                    \
  if ((rejects)->file != NULL) {                                                         \
   (verb)->reject = rejects_write;                                                       \
   (verb)->reject_ctx = (rejects);                                                       \
   (verb)->before_publish = rejects_complete;                                            \
   (verb)->before_publish_ctx = (rejects);                                               \
  }                                                                                      \
 } while (0)

#endif
