/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Print the names and mail addresses of the entries that match a filter.
 * The program pulls the entries: on this one thread they come in the order
 * of IDs. slapd may run.
 *
 *   scan_pull SLAPD.CONF FILTER
 */
#include <stdio.h>

#include <ditkit/scan.h>

static void print_report(void *ctx, const struct dit_report *report)
{
	(void)ctx;
	fprintf(stderr, "scan_pull: %s\n", report->text);
}

static void print_entry(const struct dit_entry_view *entry)
{
	printf("%.*s\n", DIT_SPAN_ARGS(entry->dn));
	for (uint32_t i = 0; i < entry->nattrs; i++) {
		for (uint32_t k = 0; k < entry->attrs[i].nvalues; k++) {
			printf("  %.*s\n",
			       DIT_SPAN_ARGS(entry->attrs[i].values[k]));
		}
	}
}

int main(int argc, char *argv[])
{
	static const char *const attrs[] = {"mail"};
	struct dit_entry_scan_opts opts = DIT_ENTRY_SCAN_OPTS_INIT;
	struct dit_entry_scan *scan;
	const struct dit_entry_view *entry;
	int r;

	if (argc != 3) {
		fputs("usage: scan_pull SLAPD.CONF FILTER\n", stderr);
		return 2;
	}
	opts.conf = argv[1];
	opts.filter = argv[2];
	opts.attrs = attrs;
	opts.nattrs = 1;
	opts.threads = 1;
	opts.report = print_report;
	if (dit_entry_scan_open(&scan, &opts) < 0) {
		return 1;
	}
	while ((r = dit_entry_scan_next(scan, 0, &entry)) > 0) {
		if (entry->name_error < 0 || entry->record_error < 0) {
			fprintf(stderr,
			        "scan_pull: entry %llu cannot be read\n",
			        (unsigned long long)entry->id);
			continue;
		}
		print_entry(entry);
	}
	if (r < 0) {
		fprintf(stderr, "scan_pull: %s\n", dit_strerror(r));
	}
	dit_entry_scan_close(scan);
	return r < 0;
}
