/* SPDX-License-Identifier: BSD-2-Clause */
#include "output/data_check.h"

#include <stddef.h>

#include "base/error.h"
#include "files/files.h"
#include "reader/stored_order.h"
#include "walk/walk.h"

/* The first finding; others often follow from it. */
static void note(void *ctx, const struct dit_walk_finding *finding)
{
	struct dit_fault *fault = ctx;

	if (fault->text[0] != '\0') {
		return;
	}
	(void)dit_fault_say(fault, 0,
	                    DIT_DATA_NAME " is damaged (%s%s%s, page %lld: %s): see what "
	                                  "\"ditcheck --quick\" says",
	                    dit_walk_kind_name(finding->kind),
	                    finding->database == NULL ? "" : ", ",
	                    finding->database == NULL ? "" : finding->database,
	                    (long long)finding->page, finding->text);
}

int dit_data_check_whole(int data_fd, const volatile sig_atomic_t *stop,
                         struct dit_fault *fault)
{
	struct dit_fault first = {""};
	struct dit_walk_opts opts = {
		.fd = data_fd,
		.nthreads = 1,
		.order = dit_stored_order,
		.found = note,
		.found_ctx = &first,
		.stop = stop,
	};
	struct dit_walk_stats stats;
	int r = dit_walk(&opts, &stats);

	if (r == 0 && first.text[0] != '\0') {
		r = dit_fault_say(fault, DIT_E_CORRUPT, "%s", first.text);
	}
	return r;
}

int dit_data_damaged(struct dit_fault *fault, int r)
{
	return dit_fault_say(fault, r,
	                     DIT_DATA_NAME
	                     " is damaged: see what \"ditcheck --quick\" says");
}
