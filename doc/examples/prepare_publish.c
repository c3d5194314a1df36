/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Load an LDIF without anybody seeing it, and put all of it in place
 * afterwards.
 *
 *   prepare_publish SLAPD.CONF FILE
 */
#include <stdio.h>

#include <ditkit/load.h>
#include <ditkit/prepared.h>

static void print_report(void *ctx, const struct dit_report *report)
{
	(void)ctx;
	fprintf(stderr, "prepare_publish: %s\n", report->text);
}

static int prepare(const char *conf, const char *file)
{
	struct dit_load_opts opts = DIT_LOAD_OPTS_INIT;
	struct dit_load_stats stats;
	int r;

	opts.conf = conf;
	opts.input = file;
	opts.is_prepared = true;
	opts.report = print_report;
	r = dit_load(&opts, &stats);
	dit_load_stats_deinit(&stats);
	return r;
}

int main(int argc, char *argv[])
{
	struct dit_prepared_opts opts = DIT_PREPARED_OPTS_INIT;
	struct dit_prepared_stats stats;
	size_t i;
	int r;

	if (argc != 3) {
		fputs("usage: prepare_publish SLAPD.CONF FILE\n", stderr);
		return 2;
	}
	if (prepare(argv[1], argv[2]) < 0) {
		return 1;
	}
	/* Here other hosts might say that they are ready, too. */
	opts.conf = argv[1];
	opts.report = print_report;
	r = dit_prepared_publish(&opts, &stats);
	for (i = 0; r == 0 && i < stats.ndatabases; i++) {
		printf("%s: %llu entries\n", stats.databases[i].directory,
		       (unsigned long long)stats.databases[i].nentries);
	}
	dit_prepared_stats_deinit(&stats);
	return r < 0;
}
