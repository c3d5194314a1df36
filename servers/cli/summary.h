/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The summary of a run, on a terminal or as the lines of --stats: what was done, where
 * the time went, which indexes cost most, what to do next.
 */
#ifndef DITKIT_COMMON_SUMMARY_H
#define DITKIT_COMMON_SUMMARY_H

#include <stdbool.h>
#include <stdio.h>

#include "common_options.h"

struct json_t; /* jansson.h */

/**
 * @param json     the statistics (doc/stats.md), of a run that succeeded
 * @param next     the next command to type; NULL: none
 * @param is_long  of --stats: all indexes of each database
 */
void summary_print(FILE *out, const struct json_t *json, const char *next, bool is_long);

/** A load that failed, or changes. */
#define SUMMARY_UNCHANGED "Nothing was stored: the database is what it was before."

/** A run that failed, on a terminal. @param next  NULL: none */
void summary_print_failed(FILE *out, const struct json_t *json, const char *next);

/* ---- html_report.c ---- */

/**
 * The report of a run or a check: one page, without scripts, that needs no network. The
 * template report_page.html makes it of the JSON (doc/stats.md). So the figures are those
 * of the JSON; each number stands in a <data> element with the JSON's value.
 *
 * @param next  the command to type next; NULL: none
 */
void report_write(FILE *out, const struct json_t *json, const char *next);

/* ---- what to do next ---- */

/** The system's slapd, and the configuration that it reads without options. */
struct summary_system {
	const char *slapd;
	const char *conf;     /* slapd.conf */
	const char *conf_dir; /* cn=config tree, which counts if it is there */
};

/** Those that the programs were built for. */
extern const struct summary_system summary_installed;

/**
 * How the database gets served: who must own it, and how slapd is started with this
 * configuration: by the system's service, or on its own as the owner of the directory.
 * With --openldap=2.7 the system's slapd may be an older one, and is not named.
 * Returns owned; NULL: no memory, or slapd serves another directory (--database).
 *
 * @param directory  of the database
 */
char *summary_next(const struct common_options *options, const char *directory,
                   const struct summary_system *system);

#endif
