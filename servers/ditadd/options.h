/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of ditadd: slapadd's letters, and our own long options. */
#ifndef DITADD_OPTIONS_H
#define DITADD_OPTIONS_H

#include <ditkit/load.h>

#include "common_options.h"
#include "estimate_text.h"
#include "inputs.h"
#include "rejects.h"
#include "run_output.h"

/** In place of a load. */
enum options_action {
	OPTIONS_LOAD,
	OPTIONS_PUBLISH,
	OPTIONS_ABANDON,
	OPTIONS_STATUS,
};

struct options {
	struct common_options common;
	enum options_action action;
	struct dit_load_opts load;
	struct inputs inputs;   /* -l and arguments that are no options */
	struct rejects rejects; /* --rejects */
	enum estimate_mode estimate;
	struct run_output output; /* --stats, --stats=FILE, --report */
};

/**
 * Read the command line. Texts point into @p argv. The caller passes @p options to
 * options_deinit() in every case.
 *
 * @return 0; -1 after a message on stderr (exit status 1)
 */
int options_read(struct options *options, int argc, char *argv[]);
void options_deinit(struct options *options);

/* ---- prepared_text.c ---- */

/** --publish, --abandon and --status: done, and told on standard output. @return the exit
 * status */
int prepared_act(struct options *options);
/** The command after --prepare. Owned; NULL: no memory */
char *prepared_next(const struct common_options *common);

#endif
