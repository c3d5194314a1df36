/* SPDX-License-Identifier: BSD-2-Clause */
#include "output/guard.h"

#include <stddef.h>

#include "base/error.h"
#include "page/meta_pages.h"
#include "place/files.h"
#include "place/format_check.h"
#include "reader/stored_order.h"

/* The first finding; others often follow from it. */
static void note(void *ctx, const struct dit_walk_finding *finding)
{
	struct dit_guard *guard = ctx;

	if (guard->fault.text[0] != '\0') {
		return;
	}
	(void)dit_fault_say(&guard->fault, 0,
	                    DIT_DATA_NAME " is damaged (%s%s%s, page %lld: %s): see what "
	                                  "\"ditcheck --quick\" says",
	                    dit_walk_kind_name(finding->kind),
	                    finding->database == NULL ? "" : ", ",
	                    finding->database == NULL ? "" : finding->database,
	                    (long long)finding->page, finding->text);
}

int dit_guard_whole(int data_fd, const volatile sig_atomic_t *stop,
                    struct dit_fault *fault)
{
	struct dit_guard guard = {.probe = NULL};
	struct dit_walk_opts opts = {
		.fd = data_fd,
		.transaction = DIT_WALK_NEWEST,
		.nthreads = 1,
		.order = dit_stored_order,
		.found = note,
		.found_ctx = &guard,
		.stop = stop,
	};
	struct dit_walk_stats stats;
	int r = dit_walk(&opts, &stats);

	if (r == 0 && guard.fault.text[0] != '\0') {
		r = dit_fault_say(fault, DIT_E_CORRUPT, "%s", guard.fault.text);
	}
	return r;
}

int dit_guard_metas(int data_fd, struct dit_fault *fault)
{
	const struct dit_page_format *format =
		dit_format_check(data_fd) != 0 ? &dit_lmdb_10 : &dit_lmdb_09;
	struct dit_meta metas[2];
	size_t page_bytes = 0;
	int r = dit_metas_page_bytes(data_fd, format, &page_bytes);

	if (r == 0) {
		r = dit_metas_read(data_fd, format, page_bytes, metas);
	}
	if (r != 0 || dit_metas_are_neighbours(metas)) {
		return 0;
	}
	return dit_fault_say(fault, DIT_E_CORRUPT,
	                     DIT_DATA_NAME
	                     " is damaged (%s: its two meta pages are of the "
	                     "transactions %llu and %llu): see what \"ditcheck --quick\" "
	                     "says",
	                     dit_walk_kind_name(DIT_WALK_META_TRANSACTION),
	                     (unsigned long long)metas[0].transaction,
	                     (unsigned long long)metas[1].transaction);
}

int dit_guard_open(struct dit_guard *guard, int data_fd,
                   const volatile sig_atomic_t *stop, struct dit_fault *fault)
{
	struct dit_probe_opts opts = {
		.fd = data_fd,
		.order = dit_stored_order,
		.found = note,
		.found_ctx = guard,
		.stop = stop,
	};
	int r = 0;

	*guard = (struct dit_guard){.probe = NULL};
	r = dit_probe_open(&guard->probe, &opts);
	if (r < 0 && guard->fault.text[0] != '\0') {
		(void)dit_fault_say(fault, r, "%s", guard->fault.text);
	}
	return r;
}

void dit_guard_close(struct dit_guard *guard)
{
	dit_probe_close(guard->probe);
	guard->probe = NULL;
}
