/* SPDX-License-Identifier: BSD-2-Clause */
#include "meter.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <jansson.h>

#include "arguments.h"
#include "run_facts.h"
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

void meter_start(struct meter *meter, const struct meter_opts *opts, bool is_quiet)
{
	unsigned seconds = opts->seconds == 0 ? LINES_SECONDS : opts->seconds;

	meter->mode = opts->mode;
	meter->start_ms = dit_clock_us(CLOCK_MONOTONIC) / 1000;
	if (meter->mode == METER_DEFAULT) {
		meter->mode = is_quiet                     ? METER_NONE
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
	for (unsigned i = 0; i < meter->nphases; i++) {
		double weight = meter->phases[i].weight;

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

#define BAR_MIN     8
#define BAR_MAX     30
#define FIELD_BYTES 64
/* A speed is told from here on: earlier, it says nothing. */
#define SPEED_SECONDS 1.0

enum field {
	FIELD_ENTRIES,
	FIELD_BYTES_READ,
	FIELD_MEMORY,
	FIELD_LEFT,
	NFIELDS
};

static void put_time(char *ret, size_t size, double seconds)
{
	unsigned long s = seconds < 0 ? 0 : (unsigned long)(seconds + 0.5);

	if (s >= 3600) {
		(void)snprintf(ret, size, "%lu:%02lu:%02lu", s / 3600, s / 60 % 60,
		               s % 60);
	} else {
		(void)snprintf(ret, size, "%lu:%02lu", s / 60, s % 60);
	}
}

/* Bytes of the input while it is read, of the results afterwards. */
static uint64_t bytes_moved(const struct dit_progress *progress)
{
	return progress->phase == 0 && progress->bytes_read > 0 ? progress->bytes_read
	                                                        : progress->bytes_written;
}

/* Empty fields are not known, or there is nothing of the kind. */
static void put_fields(char fields[NFIELDS][FIELD_BYTES],
                       const struct progress_view *view)
{
	const struct dit_progress *progress = view->progress;
	uint64_t bytes = bytes_moved(progress);
	bool has_speed = view->seconds >= (view->is_over ? 0.001 : SPEED_SECONDS);
	char time[32];

	for (size_t i = 0; i < NFIELDS; i++) {
		fields[i][0] = '\0';
	}
	if (has_speed && progress->nentries > 0) {
		(void)snprintf(fields[FIELD_ENTRIES], FIELD_BYTES, "%.0f/s",
		               (double)progress->nentries / view->seconds);
	}
	if (has_speed && bytes > 0) {
		double speed = (double)bytes / view->seconds;

		(void)snprintf(fields[FIELD_BYTES_READ], FIELD_BYTES, "%s/s",
		               figure_bytes(speed < (double)UINT64_MAX ? (uint64_t)speed
		                                                       : UINT64_MAX)
		                       .text);
	}
	if (progress->memory_bytes > 0) {
		(void)snprintf(fields[FIELD_MEMORY], FIELD_BYTES, "memory %s",
		               figure_bytes(progress->memory_bytes).text);
	}
	if (view->is_over) {
		put_time(time, sizeof(time), view->seconds);
		(void)snprintf(fields[FIELD_LEFT], FIELD_BYTES, "in %s", time);
	} else if (view->left >= 0) {
		put_time(time, sizeof(time), view->left);
		(void)snprintf(fields[FIELD_LEFT], FIELD_BYTES, "%s left", time);
	}
}

static size_t length_of(const char *field)
{
	return field[0] == '\0' ? 0 : strlen(field) + 2;
}

static void put_bar(char *ret, size_t width, double share)
{
	size_t filled = share < 0 ? 0 : (size_t)(share * (double)width);

	ret[0] = '[';
	memset(ret + 1, '-', width);
	memset(ret + 1, '#', filled > width ? width : filled);
	ret[width + 1] = ']';
	ret[width + 2] = '\0';
}

void progress_text_bar(char *ret, size_t size, unsigned columns,
                       const struct progress_view *view)
{
	static const enum field dropped[] = {FIELD_MEMORY, FIELD_BYTES_READ,
	                                     FIELD_ENTRIES};
	char fields[NFIELDS][FIELD_BYTES];
	char head[64];
	char bar[BAR_MAX + 3] = "";
	size_t room = columns > 1 ? columns - 1 : 1;
	size_t used = 0;
	size_t at = 0;

	put_fields(fields, view);
	at = (size_t)snprintf(head, sizeof(head), "%-10.12s", view->phase);
	if (view->share >= 0) {
		(void)snprintf(head + at, sizeof(head) - at, " %3.0f%%",
		               view->share * 100);
	}
	used = strlen(head);
	for (size_t i = 0; i < NFIELDS; i++) {
		used += length_of(fields[i]);
	}
	for (size_t i = 0; i < 3 && used + BAR_MIN + 3 > room; i++) {
		used -= length_of(fields[dropped[i]]);
		fields[dropped[i]][0] = '\0';
	}
	if (view->share >= 0 && used + BAR_MIN + 3 <= room) {
		size_t width = room - used - 3;

		put_bar(bar, width > BAR_MAX ? BAR_MAX : width, view->share);
	}
	at = (size_t)snprintf(ret, size, "%-10.12s%s%s%s", view->phase,
	                      bar[0] == '\0' ? "" : " ", bar, head + 10);
	for (size_t i = 0; i < NFIELDS && at < size; i++) {
		if (fields[i][0] != '\0') {
			at += (size_t)snprintf(ret + at, size - at, "  %s", fields[i]);
		}
	}
	if (room < size) {
		ret[room] = '\0';
	}
}

void progress_text_line(char *ret, size_t size, const struct progress_view *view)
{
	char fields[NFIELDS][FIELD_BYTES];
	size_t at = (size_t)snprintf(ret, size, "%s: %s", program_invocation_short_name,
	                             view->phase);

	put_fields(fields, view);
	if (view->share >= 0) {
		at += (size_t)snprintf(ret + at, size - at, ", %.0f%%",
		                       view->share * 100);
	}
	if (view->progress->nentries > 0) {
		at += (size_t)snprintf(ret + at, size - at, ", %lu entries",
		                       view->progress->nentries);
	}
	for (size_t i = 0; i < NFIELDS && at < size; i++) {
		if (fields[i][0] != '\0') {
			at += (size_t)snprintf(ret + at, size - at, ", %s", fields[i]);
		}
	}
}

/* Rounded, so that few digits are printed. */
static json_t *rounded(double number, double to)
{
	return json_real(round(number * to) / to);
}

void progress_text_json(char *ret, size_t size, const struct progress_view *view)
{
	static const char *const units[] = {[DIT_PROGRESS_BYTES] = "bytes",
	                                    [DIT_PROGRESS_RECORDS] = "records",
	                                    [DIT_PROGRESS_POSTINGS] = "postings",
	                                    [DIT_PROGRESS_PAGES] = "pages"};
	const struct dit_progress *p = view->progress;
	json_t *json = json_pack("{s:s, s:o}", "phase", view->phase, "seconds",
	                         rounded(view->seconds, 1000));
	json_t *counts = json_pack(
		"{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:i}", "unit",
		units[p->unit], "done", json_number(p->done), "total",
		json_number(p->total), "entries", json_number(p->nentries), "bytes_read",
		json_number(p->bytes_read), "bytes_total", json_number(p->bytes_total),
		"postings", json_number(p->npostings), "bytes_written",
		json_number(p->bytes_written), "stored_bytes",
		json_number(p->stored_bytes), "run_bytes", json_number(p->run_bytes),
		"memory_bytes", json_number(p->memory_bytes), "threads", (int)p->threads);
	size_t len = 0;

	if (view->share >= 0 && view->left >= 0) {
		(void)json_object_set_new(json, "percent",
		                          rounded(view->share * 100, 10));
		(void)json_object_set_new(json, "seconds_left", rounded(view->left, 10));
	}
	(void)json_object_update(json, counts);
	len = json_dumpb(json, ret, size - 1, JSON_COMPACT | JSON_REAL_PRECISION(15));
	ret[len < size ? len : 0] = '\0';
	json_decref(json);
	json_decref(counts);
}
/* ---- what is shown ---- */

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
	if (meter->request == NULL || *meter->request == 0) {
		return false;
	}
	*meter->request = 0;
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

static void show(struct meter *meter, const struct dit_progress *progress)
{
	uint64_t ms = dit_clock_us(CLOCK_MONOTONIC) / 1000 - meter->start_ms;
	bool now = is_requested(meter);
	struct progress_view view = {.progress = progress, .seconds = (double)ms / 1000};

	if (progress->phase >= meter->nphases) {
		return;
	}
	meter_follow(meter, progress, ms);
	if (!now && !is_due(meter, progress, ms)) {
		return;
	}
	view.phase = meter->phases[progress->phase].name;
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

	show(meter, progress);
	if (meter->record != NULL) {
		run_record_progress(meter->record, progress);
	}
}

void meter_take_report(void *ctx, const struct dit_report *report)
{
	struct meter *meter = ctx;

	meter_break(meter);
	common_print_report(meter->is_silent, report);
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
	struct progress_view view = {.phase = "done",
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
