/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --estimate: what a load or a reindexing will need, beside what there is; and the
 * warning of a load that will probably not fit.
 *
 * An estimate is a guess, so it never keeps a load from being tried: without --estimate
 * there is a warning at most.
 */
#ifndef DITKIT_COMMON_ESTIMATE_TEXT_H
#define DITKIT_COMMON_ESTIMATE_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include <ditkit/estimate.h>

/** --estimate */
enum estimate_mode {
	ESTIMATE_NO,
	ESTIMATE_TEXT,
	ESTIMATE_JSON,
};

/**
 * What comes after the parsing and the making of keys, in microseconds of CPU time of the
 * machine on which estimate_machine() is 1. The parsing itself is measured: it is the
 * sample's.
 */
struct estimate_prices {
	double sample; /* factor: what the sample's time has beside the work itself */
	double entry;
	double posting;
	double run_byte;
	double byte_written;
	double waiting;     /* factor: threads wait for each other and for the disk */
	double entry_alone; /* part of the sample's time that threads do not share */
	/* Where entries come to a database that has some: more for each entry; and, in
	 * wall clock, for each byte of the old file, but no more than so much for each
	 * posting. */
	double entry_added;
	double stored_byte;
	double stored_posting;
};

/** What there is. Both return bytes; 0 of memory: not known. */
struct estimate_supply {
	uint64_t (*disk)(const char *directory);
	uint64_t (*memory)(void);
	bool (*is_same_disk)(const char *x, const char *y);
};

struct estimate_view {
	const char *program;
	const struct estimate_supply *supply; /* NULL: the system's, for all but tests */
	const struct dit_estimate *estimate;
	const struct estimate_prices *prices;
	bool may_grow; /* maxsize does not count */
};

/** How much longer this machine takes for the same work, by CPU time: 1 is the machine of
 * the prices. */
double estimate_machine(void);

/** CPU time of the work, on a machine with estimate_machine() @p machine. Negative: not
 * known, nothing was in the sample. */
double estimate_cpu_seconds(const struct estimate_view *view, double machine);

/** Seconds of wall clock, if nobody else uses the processors. @param cpu_seconds  not
 * negative */
double estimate_wall_seconds(const struct estimate_view *view, double machine,
                             double cpu_seconds);

/** Print the estimate as lines or as a JSON object, on standard output. 0; -1: no memory,
 * or it could not be written */
int estimate_print(const struct estimate_view *view, enum estimate_mode mode);

/**
 * Say on standard error what does not fit, a line for each.
 *
 * @param kind  "" or "warning: "
 *
 * @return the number of lines
 */
unsigned estimate_judge(const struct estimate_view *view, const char *kind);

#endif
