/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Searches out of logs: slapd's own (loglevel stats), whatever stands in front of its
 * lines, or one filter a line. Packed by gzip, too.
 *
 *   conn=1000 op=1 SRCH base="dc=x" scope=2 deref=0 filter="(uid=a)"
 *   (&(objectClass=person)(uid=a))
 *
 * slapd writes the filter as it has understood it: "(?foo=a)" is an item about an
 * attribute that it does not know, "(?=undefined)" one that cannot be true.
 *
 *   filter_log_open() ...         for each file
 *   filter_log_next() ...         dit_check_search_fn
 *   filter_log_deinit()
 *
 * Whatever is in a log: a line takes FILTER_LOG_LINE bytes of memory at most.
 *
 * Threads: belongs to one thread.
 */
#ifndef DITCHECK_FILTER_LOG_H
#define DITCHECK_FILTER_LOG_H

#include <stdint.h>

#include <ditkit/check.h>

/** Longer lines are not read; slapd's have 4 KiB, or what syslog allows. */
#define FILTER_LOG_LINE ((size_t)1 << 20)

/** Zero: none is open. */
struct filter_log {
	struct filter_log_file *files; /* owned */
	size_t nfiles;
	size_t at;  /* the file that is read */
	char *line; /* owned */

	uint64_t nlines;
	uint64_t nsearches;
	uint64_t nothers; /* lines of slapd about other things, empty ones, comments */
	uint64_t nunread; /* lines that are nothing of that */
};

/** One more file; "-" is the standard input. @return 0; -errno */
int filter_log_open(struct filter_log *log, const char *path);

/**
 * @param ctx  the log
 *
 * @return 1; 0: the end; -EIO after a message: a file cannot be read, or is damaged
 */
int filter_log_next(void *ctx, struct dit_check_search *ret);

/** {"files", "lines", "searches", "other_lines", "unread_lines"}; returns owned */
struct json_t *filter_log_json(const struct filter_log *log);

void filter_log_deinit(struct filter_log *log);

#endif
