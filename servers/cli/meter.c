/* SPDX-License-Identifier: BSD-2-Clause */
#include "meter.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "arguments.h"
#include "progress_text.h"
#include "run_record.h"
#include <ditkit/clock.h>

#define BAR_MS          500
#define LINES_SECONDS   10
#define SECONDS_MAX     86400
#define COLUMNS_DEFAULT 80
#define COLUMNS_MAX     200
/* Below this share of the work nothing is told. */
#define SHARE_MIN 0.005

int meter_read(struct meter_opts *opts, const char *text)
{
	static const char *const names[] = {[METER_NONE] = "none",
	                                    [METER_BAR] = "bar",
	                                    [METER_LINES] = "lines",
	                                    [METER_JSON] = "json"};
	unsigned long long seconds = 0;

	for (unsigned i = METER_NONE; i <= METER_JSON; i++) {
		if (strcmp(text, names[i]) == 0) {
			opts->mode = (enum meter_mode)i;
			return 0;
		}
	}
	if (common_read_number(text, SECONDS_MAX, &seconds) < 0 || seconds == 0) {
		return -1;
	}
	opts->seconds = (unsigned)seconds;
	if (opts->mode != METER_JSON) {
		opts->mode = METER_LINES;
	}
	return 0;
}

void meter_start(struct meter *meter, const struct meter_opts *opts,
                 const struct meter_plan *plan)
{
	unsigned seconds = opts->seconds == 0 ? LINES_SECONDS : opts->seconds;

	*meter = (struct meter){.plan = *plan,
	                        .mode = opts->mode,
	                        .start_ms = dit_clock_us(CLOCK_MONOTONIC) / 1000};
	if (meter->mode == METER_DEFAULT) {
		meter->mode = plan->is_quiet               ? METER_NONE
		              : isatty(STDERR_FILENO) == 1 ? METER_BAR
		                                           : METER_LINES;
	}
	meter->interval_ms = meter->mode == METER_BAR ? BAR_MS : (uint64_t)seconds * 1000;
}

/* ---- how far, and how long ---- */

void meter_follow(struct meter *meter, const struct dit_progress *progress, uint64_t ms)
{
	double part = progress->total == 0
	                      ? 0
	                      : fmin(1, (double)progress->done / (double)progress->total);
	double done = 0;
	double all = 0;

	if (progress->phase == 0 && meter->last.phase > 0) { /* another file */
		meter->begun_ms = ms;
		meter->share = 0;
	}
	for (unsigned i = 0; i < meter->plan.nphases; i++) {
		double weight = meter->plan.phases[i].weight;

		done += i < progress->phase ? weight : 0;
		done += i == progress->phase ? weight * part : 0;
		all += weight;
	}
	meter->share = fmax(meter->share, done / all);
	meter->last = *progress;
}

double meter_left(const struct meter *meter, uint64_t ms)
{
	return meter->share < SHARE_MIN ? -1
	                                : (double)(ms - meter->begun_ms) / 1000 *
	                                          (1 - meter->share) / meter->share;
}

/* ---- texts ---- */

static unsigned columns(void)
{
	struct winsize window = {0};

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_col == 0) {
		return COLUMNS_DEFAULT;
	}
	return window.ws_col < COLUMNS_MAX ? window.ws_col : COLUMNS_MAX;
}

static void print_bar(struct meter *meter, const struct progress_view *view)
{
	char text[PROGRESS_TEXT_BYTES];
	unsigned width = columns();

	progress_text_bar(text, sizeof(text), width, view);
	/* Wipe out the rest of a longer line before. */
	(void)fprintf(stderr, "\r%-*s", (int)(width > 0 ? width - 1 : 0), text);
	(void)fflush(stderr);
	meter->has_line = true;
}

static void print_text(struct meter *meter, const struct progress_view *view,
                       enum meter_mode mode)
{
	char text[PROGRESS_TEXT_BYTES];

	if (mode == METER_BAR) {
		print_bar(meter, view);
		return;
	}
	if (mode == METER_JSON) {
		progress_text_json(text, sizeof(text), view);
	} else {
		progress_text_line(text, sizeof(text), view);
	}
	meter_break(meter);
	(void)fprintf(stderr, "%s\n", text);
}

/* ---- when ---- */

static bool is_requested(struct meter *meter)
{
	if (meter->plan.request == NULL || *meter->plan.request == 0) {
		return false;
	}
	*meter->plan.request = 0;
	return true;
}

/* Lines come when the first interval is over, the others at once; JSON with each phase.
 */
static bool is_due(const struct meter *meter, const struct dit_progress *progress,
                   uint64_t ms)
{
	bool is_first = meter->shown_ms == 0 && meter->mode != METER_LINES;
	bool is_new = progress->phase != meter->phase && meter->mode == METER_JSON;

	return meter->mode > METER_NONE &&
	       (is_first || is_new || ms - meter->shown_ms >= meter->interval_ms);
}

void meter_show(struct meter *meter, const struct dit_progress *progress)
{
	uint64_t ms = dit_clock_us(CLOCK_MONOTONIC) / 1000 - meter->start_ms;
	bool now = is_requested(meter);
	struct progress_view view = {.program = meter->plan.program,
	                             .progress = progress,
	                             .seconds = (double)ms / 1000};

	if (progress->phase >= meter->plan.nphases) {
		return;
	}
	meter_follow(meter, progress, ms);
	if (!now && !is_due(meter, progress, ms)) {
		return;
	}
	view.phase = meter->plan.phases[progress->phase].name;
	view.left = meter_left(meter, ms);
	view.share = view.left < 0 ? -1 : meter->share;
	if (now) {
		print_text(meter, &view,
		           meter->mode == METER_JSON ? METER_JSON : METER_LINES);
	} else {
		print_text(meter, &view, meter->mode);
		meter->shown_ms = ms == 0 ? 1 : ms;
		meter->phase = progress->phase;
	}
}

void meter_take_progress(void *ctx, const struct dit_progress *progress)
{
	struct meter *meter = ctx;

	meter_show(meter, progress);
	if (meter->plan.record != NULL) {
		run_record_progress(meter->plan.record, progress);
	}
}

void meter_take_report(void *ctx, const struct dit_report *report)
{
	struct meter *meter = ctx;

	meter_break(meter);
	common_print_report(meter->plan.program, meter->plan.is_silent, report);
}

void meter_break(struct meter *meter)
{
	unsigned width = columns();

	if (meter->has_line) {
		(void)fprintf(stderr, "\r%*s\r", (int)(width > 0 ? width - 1 : 0), "");
		(void)fflush(stderr);
		meter->has_line = false;
	}
}

void meter_end(struct meter *meter, bool has_succeeded)
{
	uint64_t ms = dit_clock_us(CLOCK_MONOTONIC) / 1000 - meter->start_ms;
	double seconds = (double)ms / 1000;
	struct progress_view view = {.program = meter->plan.program,
	                             .phase = "done",
	                             .progress = &meter->last,
	                             .share = 1,
	                             .seconds = seconds,
	                             .is_over = true};
	bool has_lines = meter->mode == METER_LINES && meter->shown_ms > 0;

	if (!has_succeeded) {
		meter_break(meter);
	} else if (meter->has_line || has_lines || meter->mode == METER_JSON) {
		print_text(meter, &view, meter->mode);
	}
	if (meter->has_line) {
		(void)fputc('\n', stderr);
		meter->has_line = false;
	}
}
