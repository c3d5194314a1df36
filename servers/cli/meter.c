/* SPDX-License-Identifier: BSD-2-Clause */
#include "meter.h"

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
	forecast_init(&meter->forecast, plan->phases, plan->nphases);
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

static struct progress_view make_view(struct meter *meter,
                                      const struct dit_progress *progress, double seconds)
{
	return (struct progress_view){.program = meter->plan.program,
	                              .phase = meter->plan.phases[progress->phase].name,
	                              .progress = progress,
	                              .share = forecast_share(&meter->forecast),
	                              .seconds = seconds,
	                              .left = forecast_left(&meter->forecast)};
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
	struct progress_view view;

	if (progress->phase >= meter->plan.nphases) {
		return;
	}
	forecast_feed(&meter->forecast, progress, (double)ms / 1000);
	if (!now && !is_due(meter, progress, ms)) {
		return;
	}
	view = make_view(meter, progress, (double)ms / 1000);
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
	struct dit_progress progress = meter->forecast.last;
	struct progress_view view = {.program = meter->plan.program,
	                             .phase = "done",
	                             .progress = &progress,
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
