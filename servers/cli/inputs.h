/* SPDX-License-Identifier: BSD-2-Clause */
/* The inputs of a load or a split, in the order of the command line: files, standard
 * input, and the LDIF files of directories. */
#ifndef DITKIT_INPUTS_H
#define DITKIT_INPUTS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common_options.h"

/** Zero: none. */
struct inputs {
	const char **paths; /* owned, as each path; NULL among them: standard input */
	/* For each path the digest that its bytes must have; NULL among them: not known.
	 * Owned, as each digest */
	const char **digests;
	bool has_digests; /* one is known */
	size_t n;
};

/**
 * Add what one -l, or an argument that is no option, names. A directory stands for its
 * files *.ldif*, in order of their names' bytes; hidden ones and digests, *.xxh128, are
 * left out. A directory of parts, as ditsplit(8) writes it, stands for all of them, in
 * their order; a part that is missing is an error. A name that cannot be looked at is
 * taken for a file: opening it tells.
 *
 * @param text  "-": standard input
 *
 * @return 0; -1 after a message on stderr
 */
int inputs_add(struct inputs *inputs, const char *text);
void inputs_deinit(struct inputs *inputs);

/**
 * After a load of parts has failed: say on stderr how a part is made again.
 *
 * @param path  the part whose digest is another one; NULL: not known
 */
void inputs_tell_again(const char *path);

/** If one of them, or standard input without any, is a terminal, say on stderr that
 * somebody has to type. */
void inputs_tell_terminal(const struct inputs *inputs,
                          const struct common_options *options);

/** No result is to be written over one of them, the configuration or another result. 0;
 * -1 after a message on stderr */
int inputs_keep(const struct inputs *inputs, const struct common_options *options);

/** The descriptor that an input is, NULL or /dev/stdin: standard input, /dev/fd/N: that
 * of a shell's <(COMMAND); -1: it is no pipe that is open */
int inputs_pipe(const char *path);

/**
 * Read each pipe among them to its end and put a file in memory in its place. So the
 * program at the other end may read the database that is opened afterwards.
 *
 * @param stop  not 0: leave the rest unread
 *
 * @return 0; -1 after a message on stderr
 */
int inputs_drain_pipes(const struct inputs *inputs, const volatile sig_atomic_t *stop);

/** "input" of the statistics (doc/stats.md). Returns owned; NULL: no memory
 * @param bytes  of the text that was read */
struct json_t *inputs_json(const struct inputs *inputs, uint64_t bytes);

#endif
