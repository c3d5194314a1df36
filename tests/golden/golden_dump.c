/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * golden_dump [-cqsw] [-d directory] [-j line] -f slapd.conf -l file
 *
 * What a load for OpenLDAP 2.7 stores, as text on standard output (memory_output.h); the
 * options and the messages are slapadd's. With -d the load writes a file into the
 * database's directory, which is named again, and the text is what that file holds; else
 * no file is written.
 *
 * Exit status: that of slapadd; 2: wrong arguments.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "bulk/load.h"
#include "memory_output.h"
#include "store/store.h"

static void print_report(void *ctx, const struct dit_report *report)
{
	bool has_name =
		report->kind == DIT_REPORT_ERROR || report->kind == DIT_REPORT_WARNING;

	(void)ctx;
	(void)fprintf(stderr, "%s%s\n", has_name ? "slapadd: " : "", report->text);
}

static int read_option(struct dit_load_opts *opts, int option, const char **ret_directory)
{
	switch (option) {
	case 'c':
		opts->keep_going = true;
		return 0;
	case 'd':
		*ret_directory = optarg;
		memory_output_is_off = true;
		return 0;
	case 'f':
		opts->conf = optarg;
		return 0;
	case 'j':
		opts->first_line = strtoull(optarg, NULL, 10);
		return 0;
	case 'l':
		opts->input = optarg;
		return 0;
	case 'q':
		opts->is_quick = true;
		return 0;
	case 's':
		opts->no_schema_check = true;
		return 0;
	case 'w':
		opts->write_context_csn = true;
		return 0;
	}
	return -1;
}

static int load(const struct dit_load_opts *opts)
{
	struct dit_load_stats stats;
	int r = dit_load(opts, &stats);

	if (r == 0 && (stats.nfailed > 0 || stats.nmissing > 0)) {
		r = 1;
	}
	dit_load_stats_deinit(&stats);
	return r;
}

static int print_db(struct dit_snapshot *snapshot, const struct dit_stored_db *db)
{
	struct dit_scan *scan = NULL;
	struct dit_span key = {0};
	struct dit_span value = {0};
	uint64_t n = 0;
	int r = dit_scan_open(&scan, snapshot, db->name);

	if (r < 0) {
		return r;
	}
	/* twice: the number of records stands in front of them */
	while ((r = dit_scan_next(scan, &key, &value)) > 0) {
		n++;
	}
	dit_scan_close(scan);
	(void)printf("DB %s flags=0x%x entries=%llu\n", db->name, db->flags,
	             (unsigned long long)n);
	if (r == 0) {
		r = dit_scan_open(&scan, snapshot, db->name);
	}
	while (r == 0 && n > 0 && (r = dit_scan_next(scan, &key, &value)) > 0) {
		memory_output_print_record(stdout, key, value);
		r = 0;
	}
	dit_scan_close(scan);
	return r;
}

/* The file in a directory; nothing, if there is none. */
static int print_file(const char *directory)
{
	struct dit_snapshot *snapshot = NULL;
	const struct dit_stored_db *dbs = NULL;
	size_t n = 0;
	int r = dit_snapshot_open(&snapshot, directory);

	if (r == -ENOENT) {
		return 0;
	}
	if (r < 0) {
		return r;
	}
	n = dit_snapshot_dbs(snapshot, &dbs);
	for (size_t i = 0; i < n && r == 0; i++) {
		r = print_db(snapshot, &dbs[i]);
	}
	dit_snapshot_close(snapshot);
	return r < 0 || fflush(stdout) != 0 ? -1 : 0;
}

int main(int argc, char *argv[])
{
	struct dit_load_opts opts = DIT_LOAD_OPTS_INIT;
	const char *directory = NULL;
	int option = 0;
	int r = 0;

	opts.openldap = DIT_OPENLDAP_2_7;
	opts.byte_keys = true; /* as slapadd; then the order of the keys is its, too */
	opts.threads = 2;
	opts.report = print_report;
	while ((option = getopt(argc, argv, "cd:f:j:l:qsw")) != -1) {
		if (read_option(&opts, option, &directory) < 0) {
			return 2;
		}
	}
	if (opts.conf == NULL || optind < argc) {
		return 2;
	}
	r = load(&opts);
	if ((directory == NULL ? memory_output_print(stdout) : print_file(directory)) <
	    0) {
		perror("golden_dump");
		r = 1;
	}
	memory_output_free();
	return r == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
