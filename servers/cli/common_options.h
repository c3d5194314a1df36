/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The options that all programs share: which configuration, which of its databases, how
 * many threads, how much to print.
 *
 *   -b suffix   -n number   -g       which database; without its subordinate ones
 *   -f file     -F dir               the configuration
 *   -d level    -v                   what to print
 *   -T, --tool-threads n             threads
 *   --progress how                   what to show while the program works (meter.h)
 *   --openldap 2.5|2.6|2.7   --help   -V, --version
 *
 * Texts point into argv. An error is told on standard error: first a message with the
 * program's name in front, then where more is said. The message has slapd's words if
 * slapd's tools have the option.
 *
 *     static const struct option long_options[] = {
 *             COMMON_LONG_OPTIONS,
 *             {"stats", no_argument, NULL, OPT_STATS},
 *             {NULL, 0, NULL, 0},
 *     };
 *
 *     options->common = common_options_init("ditadd");
 *     r = common_read_options(&options->common, argc, argv,
 *                             COMMON_SHORT_OPTIONS "l:q", long_options, read_own,
 *                             options);
 *     if (r > 0) {
 *             r = common_check_options(&options->common, argc, argv);
 *     ...
 */
#ifndef DITKIT_COMMON_OPTIONS_H
#define DITKIT_COMMON_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>

#include <ditkit/openldap.h>

#include "meter.h"
#include "user.h"

struct common_options {
	const char *program;

	const char *conf;     /* -f; NULL: not given */
	const char *conf_dir; /* -F; NULL: not given */
	const char *suffix;   /* -b; NULL: not given */
	int database;         /* -n; -1: not given */
	bool no_glue;         /* -g */
	unsigned threads;     /* -T; 0: not given */
	enum dit_openldap_version openldap;
	struct common_user user;
	struct meter_opts meter;
	bool is_verbose; /* -v */
	bool is_silent;  /* -d 0: no diagnostic lines */
	bool has_debug;  /* -d given */
	bool want_help;  /* the other options do not count */
	bool want_version;
};

#define COMMON_SHORT_OPTIONS "b:d:f:F:gn:T:vV"

/* Values of long options without a letter; a program's own begin with COMMON_OPT_END. */
enum common_long_option {
	COMMON_OPT_HELP = 1024,
	COMMON_OPT_OPENLDAP,
	COMMON_OPT_PROGRESS,
	COMMON_OPT_END,
};

/* clang-format off: rows of a table. */
#define COMMON_LONG_OPTIONS                                                              \
 {"help", no_argument, NULL, COMMON_OPT_HELP},                                           \
	 {"openldap", required_argument, NULL, COMMON_OPT_OPENLDAP},                     \
	 {"progress", required_argument, NULL, COMMON_OPT_PROGRESS},                     \
	 {"tool-threads", required_argument, NULL, 'T'},                                 \
 {                                                                                       \
  "version", no_argument, NULL, 'V'                                                      \
 }
/* clang-format on */

struct common_options common_options_init(const char *program);

/**
 * Reads one of the program's own options.
 *
 * @return 0; -1, after a message if getopt_long() had none
 */
typedef int (*common_own_option_fn)(void *ctx, int option, const char *text);

/**
 * Read all options, these and the program's own. What is no option is left to the caller,
 * from argv[optind] on.
 *
 * @param letters  COMMON_SHORT_OPTIONS, then the program's own
 *
 * @return 1; 0: help or the version is wanted, and nothing else counts; -1 after a
 *         message
 */
int common_read_options(struct common_options *options, int argc, char *argv[],
                        const char *letters, const struct option *long_options,
                        common_own_option_fn read_own, void *ctx);

/** After the last option: check that the options fit together and that no argument is
 * left. 0; -1 after a message */
int common_check_options(const struct common_options *options, int argc, char *argv[]);

/** 'PROGRAM --help says more', below a message. @return -1 */
int common_point_to_help(const struct common_options *options);

/** 'PROGRAM: WHAT "VALUE"', and where more is said. @return -1 */
int common_wrong(const struct common_options *options, const char *what,
                 const char *value);

/** 'PROGRAM: TEXT', and where more is said. @return -1 */
int common_wrong_call(const struct common_options *options, const char *text);

/**
 * The options that chose the configuration and the database, as words for a shell, each
 * with a blank in front: " -f 'my own.conf' -n 2". Of ditcheck as of slapd's tools.
 *
 * @return owned; NULL: no memory
 */
char *common_conf_words(const struct common_options *options);

/** name[=value] behind -o. */
struct common_setting {
	const char *text;  /* all of it */
	size_t name_len;   /* of the name in it */
	const char *value; /* NULL: none */
};

struct common_setting common_read_setting(const char *text);
/** Names compare without case. */
bool common_is_setting(const struct common_setting *setting, const char *name);
/** Is this a setting of slapd's tools that changes nothing in our programs? */
bool common_is_idle_setting(const struct common_setting *setting);

#endif
