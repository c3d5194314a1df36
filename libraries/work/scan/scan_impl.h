/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of a scan, for the files of this room. */
#ifndef DITKIT_SCAN_IMPL_H
#define DITKIT_SCAN_IMPL_H

#include <stdatomic.h>

#include "base/stop.h"
#include "filter/filter_index.h"
#include "job/job.h"
#include "pipeline/pipeline.h"
#include "reader/entry_reader.h"
#include "scan/scan_snapshot.h"

/* A reader of ranges. [own: its thread] */
struct dit_scan_member {
	struct dit_entry_reader *reader;
	bool is_inside; /* the reader stands on an entry of the range */
	size_t next;    /* of the candidates */

	/* For dit_entry_scan_next(). */
	struct dit_scan_range range;
	bool has_range;
	int error; /* that ended it */
	struct dit_entry_view view;
	struct dit_arena arena; /* for values that a filter compares */
};

struct dit_entry_scan {
	/* [const] while members run */
	struct dit_snapshot *snapshot;
	bool owns_snapshot;
	struct dit_data_seal
		*seal; /* of its file; owned; NULL: not sealed, or not ours */
	struct dit_settings *settings; /* owned; NULL: none were read, or not ours */
	struct dit_stop own_stop;
	struct dit_ad_names names;
	const struct dit_stop *stop; /* NULL: none */
	unsigned nmembers;
	uint64_t *firsts; /* of nfirsts ranges */
	size_t nfirsts;
	size_t nranges; /* of these, at equal distances, are read */
	size_t batch_ranges;
	uint64_t nrecords;
	struct dit_entry_match own_match;
	const struct dit_entry_match *match; /* NULL: all entries, and holes */
	struct dit_candidates candidates;    /* no IDs: all entries are read */
	bool *is_hidden; /* by attribute number; owned; NULL: all are shown */
	const struct dit_entry_scan_ops *ops; /* of this run */
	void *ctx;
	struct scan_slot {                /* of the pipeline */
		struct range_work *works; /* of nranges; owned */
		size_t works_size;
		size_t nranges;
	} slots[DIT_PIPELINE_NSLOTS_MAX];

	struct dit_scan_member *members; /* nmembers */

	/* [atomic: the lowest number of a range that failed; relaxed, it only saves work:
	 * those after it need not begin] */
	_Atomic uint64_t failed_at;
	/* [atomic: the number of the range that dit_entry_scan_next() draws; relaxed,
	 * a range is known by its number] */
	_Atomic size_t drawn;

	/* [own: main] */
	size_t next_range; /* to put into a slot */
};

#endif
