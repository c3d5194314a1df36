/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The progress of a program on standard error: a line on a terminal that is rewritten
 * twice a second, or a line every ten seconds, or JSON. A signal (process.h) prints a
 * line at once.
 *
 *     meter_start(&meter, &options->meter, is_quiet);
 *     ... callbacks meter_take_progress(), meter_take_report(); before other
 *         messages: meter_break()
 *     meter_end(&meter, r == 0);
 *
 * Each phase has a weight: its share of the time of a usual run. The share of the work is
 * the sum of the weights of what is done; in the first phase it grows with the bytes of
 * the input that were read. The time left is what the rest takes at the pace so far.
 *
 * Threads: a meter belongs to one thread.
 */
#ifndef DITKIT_COMMON_METER_H
#define DITKIT_COMMON_METER_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include <ditkit/progress.h>
#include <ditkit/report.h>

struct run_record;

enum meter_mode {
	METER_DEFAULT, /* the bar on a terminal, else lines */
	METER_NONE,
	METER_BAR,
	METER_LINES,
	METER_JSON,
};

/** --progress */
struct meter_opts {
	enum meter_mode mode;
	unsigned seconds; /* between two lines; 0: 10 */
};

/** Read the value of an option --progress. 0 or -1 */
int meter_read(struct meter_opts *opts, const char *text);

struct meter_phase {
	const char *name; /* shown to the user */
	double weight;    /* parts of a hundred, of a usual run: people, some indexes */
	const char *stats_name; /* in the statistics; NULL: the same */
};

/** Zero shows nothing, and prints reports. */
struct meter {
	const struct meter_phase *phases; /* static */
	unsigned nphases;
	bool is_silent;            /* -d 0: no diagnostic lines */
	struct run_record *record; /* gets the progress, too; NULL: none */
	/* NULL: none. Not 0: print a line now; set to 0 then. */
	volatile sig_atomic_t *request;

	enum meter_mode mode;
	bool has_line; /* the cursor stands after the bar */
	uint64_t start_ms;
	uint64_t shown_ms;    /* 0: nothing yet */
	uint64_t interval_ms; /* between two texts */
	unsigned phase;       /* of the latest text */
	struct dit_progress last;
	uint64_t begun_ms; /* the work on the present file */
	double share;      /* of that, 0 to 1 */
};

/** Begin. The caller has set the fields in front of `mode`. @param is_quiet  nothing is
 * shown unless --progress was given */
void meter_start(struct meter *meter, const struct meter_opts *opts, bool is_quiet);

/** Take the share of the work that is done. It falls only where the first phase begins
 * again, with another file. @param ms  since the start */
void meter_follow(struct meter *meter, const struct dit_progress *progress, uint64_t ms);
/** Seconds to the end; negative: not known, and neither is the share. */
double meter_left(const struct meter *meter, uint64_t ms);

/* Callbacks of the library; ctx is the meter. */
void meter_take_progress(void *ctx, const struct dit_progress *progress);
/** Print a report in the place of the bar. */
void meter_take_report(void *ctx, const struct dit_report *report);

/** Wipe the bar out, so that a message can be printed in its place. */
void meter_break(struct meter *meter);
/** The work is over. If it has succeeded, complete the bar that stands there, or print
 * the last line, with the time that the work took, or the last JSON object. */
void meter_end(struct meter *meter, bool has_succeeded);

/* ---- its texts ---- */

struct progress_view {
	const char *phase; /* shown to the user */
	const struct dit_progress *progress;
	double share;   /* of the whole work, 0 to 1; negative: not known */
	double seconds; /* since the beginning */
	double left;    /* seconds; negative: not known */
	bool is_over;   /* nothing is left: the time that the work took is told */
};

/** Enough for each of the texts. */
#define PROGRESS_TEXT_BYTES 2048

/**
 * "indexes    [######------]  42%  136000/s  119 MiB/s  memory 210 MiB  0:12 left"
 *
 * @param columns  of the terminal; the text leaves the last one free. Parts are
 *                 left out until it fits: memory first, then bytes/s, entries/s, the bar
 */
void progress_text_bar(char *ret, size_t size, unsigned columns,
                       const struct progress_view *view);

/**
 * "ditadd: indexes, 42%, 600000 entries, 136000/s, 119 MiB/s, memory 210 MiB, 0:12 left";
 * at the end "ditadd: done, 100%, ..., in 0:17"
 */
void progress_text_line(char *ret, size_t size, const struct progress_view *view);

/** A JSON object in one line; doc/man/ditadd.8 has its fields. */
void progress_text_json(char *ret, size_t size, const struct progress_view *view);

#endif
