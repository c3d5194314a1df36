/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Load an LDIF into the database of a slapd.conf, say how far the load has
 * come, and stop at an interrupt: the database is then as it was.
 *
 *   load_watch SLAPD.CONF LDIF
 */
#include <signal.h>
#include <stdio.h>

#include <ditkit/load.h>

static volatile sig_atomic_t is_stopped;

static void on_interrupt(int number)
{
	(void)number;
	is_stopped = 1;
}

static void print_report(void *ctx, const struct dit_report *report)
{
	(void)ctx;
	fprintf(stderr, "load_watch: %s\n", report->text);
}

/* The callback remembers these from call to call. */
struct watch {
	unsigned phase; /* the one that was printed last */
	unsigned ncalls;
};

/* On the thread that called dit_load(). */
static void print_progress(void *ctx, const struct dit_progress *progress)
{
	/* In the order of enum dit_load_phase. */
	static const char *const names[] = {"entries", "tree", "indexes",
	                                    "sync"};
	struct watch *watch = (struct watch *)ctx;

	if (watch->ncalls++ == 0 || watch->phase != progress->phase) {
		watch->phase = progress->phase;
		printf("%s\n", names[progress->phase]);
	}
	/* A large load gets more calls than these. */
	if (progress->total > 0) {
		fprintf(stderr, "%3.0f %%\r",
		        100.0 * (double)progress->done /
		                (double)progress->total);
	}
}

int main(int argc, char *argv[])
{
	struct dit_load_opts opts = DIT_LOAD_OPTS_INIT;
	struct watch watch = {0, 0};
	struct dit_load_stats stats;
	int r;

	if (argc != 3) {
		fputs("usage: load_watch SLAPD.CONF LDIF\n", stderr);
		return 2;
	}
	signal(SIGINT, on_interrupt);
	opts.conf = argv[1];
	opts.input = argv[2];
	opts.report = print_report;
	opts.progress = print_progress;
	opts.progress_ctx = &watch;
	opts.stop = &is_stopped;
	r = dit_load(&opts, &stats);
	if (r < 0) {
		fprintf(stderr, "load_watch: %s\n", dit_strerror(r));
	} else {
		printf("%llu entries\n", (unsigned long long)stats.nentries);
	}
	dit_load_stats_deinit(&stats);
	return r < 0;
}
