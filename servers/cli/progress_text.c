/* SPDX-License-Identifier: BSD-2-Clause */
#include "progress_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "figures.h"
#include "run_facts.h"

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

/* ---- fields ---- */

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

/* ---- the bar ---- */

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

/* ---- the others ---- */

void progress_text_line(char *ret, size_t size, const struct progress_view *view)
{
	char fields[NFIELDS][FIELD_BYTES];
	size_t at = (size_t)snprintf(ret, size, "%s: %s", view->program, view->phase);

	put_fields(fields, view);
	if (view->share >= 0) {
		at += (size_t)snprintf(ret + at, size - at, ", %.0f%%",
		                       view->share * 100);
	}
	if (view->progress->nentries > 0) {
		at += (size_t)snprintf(ret + at, size - at, ", %llu entries",
		                       (unsigned long long)view->progress->nentries);
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
