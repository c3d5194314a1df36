/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of ditcat: slapcat's letters, and our own long options. */
#ifndef DITCAT_OPTIONS_H
#define DITCAT_OPTIONS_H

#include <ditkit/export.h>

#include "common_options.h"

struct cat_options {
	struct common_options common;
	struct dit_export_opts export;
	struct dit_export_url url; /* of -H */
	bool want_stats;
};

/**
 * Read the command line. Texts point into @p argv or into @p options.
 *
 * @return 0; -1 after a message on stderr (exit status 1). The caller calls
 *         cat_options_deinit() in every case
 */
int cat_options_read(struct cat_options *options, int argc, char *argv[]);
void cat_options_deinit(struct cat_options *options);

#endif
