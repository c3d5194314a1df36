/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Count the values of an attribute, and find the entry with most of
 * them, by a parallel scan of one snapshot. slapd may run. Run it as
 * slapd's user, not as root.
 *
 *   scan_count SLAPD.CONF ATTRIBUTE
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ditkit/scan.h>

/* A range leaves this for in_order(): no other thread touches it. */
struct part {
	unsigned long nvalues;
	unsigned long most;
	char *dn; /* of the entry with most values; malloc'ed */
};

struct count {
	struct dit_span attribute; /* the same for all threads */
	unsigned long nvalues;     /* main's */
	unsigned long most;
	char *dn;
};

static void print_report(void *ctx, const struct dit_report *report)
{
	(void)ctx;
	fprintf(stderr, "scan_count: %s\n", report->text);
}

static int begin(void *ctx, struct dit_scan_range *range)
{
	(void)ctx;
	range->result = dit_scan_range_alloc(range, sizeof(struct part));
	return range->result == NULL ? -1 : 0;
}

/* On any tool thread; the entry is valid until the function returns. */
static int look(void *ctx, struct dit_scan_range *range,
                const struct dit_entry_view *entry)
{
	const struct count *count = (const struct count *)ctx;
	struct part *part = (struct part *)range->result;

	for (uint32_t i = 0; i < entry->nattrs; i++) {
		const struct dit_attr_view *attr = &entry->attrs[i];

		if (!dit_span_eq_nocase(attr->name, count->attribute)) {
			continue;
		}
		part->nvalues += attr->nvalues;
		if (attr->nvalues > part->most) {
			part->most = attr->nvalues;
			free(part->dn);
			part->dn = strndup(entry->dn.data, entry->dn.len);
		}
	}
	return 0;
}

/* On the thread that called dit_entry_scan_run(), in the order of IDs. */
static int add(void *ctx, struct dit_scan_range *range)
{
	struct count *count = (struct count *)ctx;
	struct part *part = (struct part *)range->result;

	count->nvalues += part->nvalues;
	if (part->most > count->most) {
		count->most = part->most;
		free(count->dn);
		count->dn = part->dn;
	} else {
		free(part->dn);
	}
	return 0;
}

/* The scan has failed, and add() does not see this range. */
static void drop(void *ctx, struct dit_scan_range *range)
{
	struct part *part = (struct part *)range->result;

	(void)ctx;
	if (part != NULL) {
		free(part->dn);
	}
}

int main(int argc, char *argv[])
{
	static const struct dit_entry_scan_ops ops = {begin, look, NULL, add,
	                                              drop};
	struct dit_entry_scan_opts opts = DIT_ENTRY_SCAN_OPTS_INIT;
	struct dit_entry_scan *scan;
	struct count count = {{NULL, 0}, 0, 0, NULL};
	int r;

	if (argc != 3) {
		fputs("usage: scan_count SLAPD.CONF ATTRIBUTE\n", stderr);
		return 2;
	}
	opts.conf = argv[1];
	opts.report = print_report;
	count.attribute = dit_span_of(argv[2]);
	if (dit_entry_scan_open(&scan, &opts) < 0) {
		return 1;
	}
	r = dit_entry_scan_run(scan, &ops, &count);
	if (r < 0) {
		fprintf(stderr, "scan_count: %s\n", dit_strerror(r));
	} else {
		printf("%lu values in %llu entries\n", count.nvalues,
		       (unsigned long long)dit_entry_scan_nrecords(scan));
	}
	if (r == 0 && count.dn != NULL) {
		printf("most: %lu in %s\n", count.most, count.dn);
	}
	free(count.dn);
	dit_entry_scan_close(scan);
	return r < 0;
}
