/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of ditadd: slapadd's letters, and long options of our own. */
#ifndef DITADD_OPTIONS_H
#define DITADD_OPTIONS_H

#include <ditkit/load.h>

struct options {
	struct dit_load_opts load;
	const char *rejects; /* --rejects; NULL: none */
	bool is_silent;      /* -d 0: no diagnostic lines */
	bool has_debug;      /* -d given: no progress meter */
	bool want_stats;
	bool want_version; /* nothing else is looked at */
	bool want_help;
};

/**
 * Read the command line. Texts point into @p argv.
 *
 * @return 0; -1 after a message on stderr (exit status 1)
 */
int options_read(struct options *options, int argc, char *argv[]);

/** The whole help text. */
void options_help(void);

#endif
