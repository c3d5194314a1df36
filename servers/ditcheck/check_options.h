/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of ditcheck: slapcat's letters, and our own long options. */
#ifndef DITCHECK_OPTIONS_H
#define DITCHECK_OPTIONS_H

#include <signal.h>

#include <ditkit/check.h>
#include <ditkit/compare.h>

#include "common_options.h"
#include "filter_log.h"

/** Exit status of ditcheck. */
enum status {
	STATUS_CLEAN,       /* or the same content */
	STATUS_FINDINGS,    /* or differences */
	STATUS_NOT_CHECKED, /* a file could not be read, or a finding not printed */
};

struct check_options {
	struct common_options common;
	struct dit_check_opts check;
	struct dit_compare_opts compare;
	bool wants_sizes;        /* --stats */
	const char *report_path; /* --report; NULL: not wanted */
	struct filter_log log;   /* --filter-log */
	bool wants_compare;
	bool is_json;
};

/**
 * Read the command line. Texts point into @p argv.
 *
 * @return 0; -1 after a message on stderr (exit status 2)
 */
int check_options_read(struct check_options *options, int argc, char *argv[]);

/**
 * --compare: check the structure of both directories, compare them, print the
 * differences.
 *
 * @param stop  a value other than 0 ends the work
 */
enum status compare(struct check_options *options, const volatile sig_atomic_t *stop);

#endif
