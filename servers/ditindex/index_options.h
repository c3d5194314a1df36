/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of ditindex: slapindex's letters, and our own long options. */
#ifndef DITINDEX_INDEX_OPTIONS_H
#define DITINDEX_INDEX_OPTIONS_H

#include <ditkit/reindex.h>

#include "common_options.h"
#include "estimate_text.h"
#include "run_output.h"

struct index_options {
	struct common_options common;
	struct dit_reindex_opts reindex;
	enum estimate_mode estimate;
	struct run_output output; /* --stats, --stats=FILE, --report */
};

/**
 * Read the command line. Texts point into @p argv.
 *
 * @return 0; -1 after a message on stderr (exit status 1)
 */
int index_options_read(struct index_options *options, int argc, char *argv[]);

#endif
