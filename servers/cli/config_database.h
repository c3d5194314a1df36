/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The config database (cn=config) is no LMDB database. slapd's own tool loads
 * or exports it: the process becomes slapadd or slapcat, with the same arguments.
 *
 * Threads: belongs to the thread that has started none yet.
 */
#ifndef DITKIT_CONFIG_DATABASE_H
#define DITKIT_CONFIG_DATABASE_H

#include "common_options.h"

struct config_tool {
	const char *name; /* "slapadd": how slapd's program is called to be this tool */
	const char *letters; /* of its options */
	const char *does;    /* "loads": the config database */
	bool needs_tree;     /* it makes none */
};

/** -n 0, or -b cn=config. */
bool config_database_is_meant(const struct common_options *options);

/**
 * Become the tool. -T is left out; other options that the tool does not have are refused.
 *
 * @param slapd  absolute path of slapd
 *
 * @return -1 after a message on standard error: the arguments do not fit, or slapd cannot
 *         be run
 */
int config_database_hand_over(const struct common_options *options,
                              const struct config_tool *tool, const char *slapd, int argc,
                              char *argv[]);

#endif
