/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of ditsplit. */
#ifndef DITSPLIT_OPTIONS_H
#define DITSPLIT_OPTIONS_H

#include <ditkit/split.h>

#include "common_options.h"
#include "inputs.h"
#include "rank.h"

struct split_options {
	struct common_options common;
	struct dit_split_opts split;
	struct inputs inputs; /* -l and arguments that are no options */
	struct rank part;     /* of --part; n 0: not given */
	bool want_stats;
};

/**
 * Read the command line, and the environment. Texts point into @p argv.
 *
 * @return 0; -1 after a message on stderr (exit status 1). The caller calls
 *         split_options_deinit() in every case
 */
int split_options_read(struct split_options *options, int argc, char *argv[]);
void split_options_deinit(struct split_options *options);

#endif
