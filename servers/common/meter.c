/* SPDX-License-Identifier: BSD-2-Clause */
/* The progress meter. */
#include "meter.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define BAR_WIDTH   20
#define LINE_WIDTH  79
#define INTERVAL_MS 500

static uint64_t now_ms(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void meter_start(struct meter *meter, bool is_on)
{
	*meter = (struct meter){.is_on = is_on, .start_ms = now_ms()};
}

static void show_text(struct meter *meter, const char *text)
{
	(void)fprintf(stderr, "\r%-*.*s", LINE_WIDTH, LINE_WIDTH, text);
	(void)fflush(stderr);
	meter->has_line = true;
}

static void show_entries(struct meter *meter, const struct dit_progress *progress,
                         uint64_t elapsed_ms)
{
	static const char spinner[] = "_.-*\"*-.";
	static const char hashes[] = "####################";
	char text[256];
	double share = (double)progress->bytes_read / (double)progress->bytes_total;
	double seconds = (double)elapsed_ms / 1000;
	double eta = share > 0 ? seconds / share - seconds : 0;
	int filled = (int)(share * BAR_WIDTH);

	(void)snprintf(text, sizeof(text),
	               "%c %-*.*s %6.2f%% eta %5.0fs elapsed %5.0fs %8.0f/s",
	               spinner[meter->spin++ % (sizeof(spinner) - 1)], BAR_WIDTH, filled,
	               hashes, share * 100, eta, seconds,
	               seconds > 0 ? (double)progress->nentries / seconds : 0);
	show_text(meter, text);
}

void meter_show(struct meter *meter, const struct dit_progress *progress)
{
	static const char *const names[DIT_LOAD_NPHASES] = {
		[DIT_LOAD_NAMES] = "Writing the tree...",
		[DIT_LOAD_INDEXES] = "Writing the indexes...",
		[DIT_LOAD_PUBLISH] = "Closing DB...",
	};
	uint64_t now = now_ms();

	if (!meter->is_on) {
		return;
	}
	if (progress->phase != DIT_LOAD_ENTRIES) {
		show_text(meter, names[progress->phase]);
		return;
	}
	if (progress->bytes_total == 0 || now - meter->shown_ms < INTERVAL_MS) {
		return;
	}
	meter->shown_ms = now;
	show_entries(meter, progress, now - meter->start_ms);
}

void meter_break(struct meter *meter)
{
	if (meter->has_line) {
		(void)fputc('\n', stderr);
		meter->has_line = false;
	}
}
