/* SPDX-License-Identifier: BSD-2-Clause */
/* The inputs of a load, in the order of the command line: files, standard input, and the
 * LDIF files of directories. */
#ifndef DITADD_INPUTS_H
#define DITADD_INPUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Zero: none. */
struct inputs {
	const char **paths; /* owned, as each path; NULL among them: standard input */
	size_t n;
};

/**
 * Add what one -l, or an argument that is no option, names. A directory stands for its
 * files *.ldif*, in order of their names' bytes; hidden ones are left out.
 *
 * @param text  "-": standard input
 *
 * @return 0; -EALREADY: standard input is one already; -ENOENT: a directory without such
 *         files; -ENOMEM and other -errno of reading a directory. A name that
 *         cannot be looked at is taken for a file: opening it tells
 */
int inputs_add(struct inputs *inputs, const char *text);
void inputs_deinit(struct inputs *inputs);

/** Is one of them, or standard input without any, a terminal on which somebody types? */
bool inputs_wait_for_terminal(const struct inputs *inputs);

#endif
