/* SPDX-License-Identifier: BSD-2-Clause */
/* The choice of the kind of output for a directory. It is made nowhere else. */
#include "output/record_output.h"

#include "base/error.h"
#include "files/fault.h"
#include "output/output_impl.h"

int dit_output_open(struct dit_record_output **ret, const struct dit_output_opts *opts)
{
	int r = dit_output_new_open(ret, opts);

	if (r == DIT_E_NOTEMPTY && !opts->is_prepared) {
		return dit_output_merged_open(ret, opts);
	}
	return r == DIT_E_NOTEMPTY
	               ? dit_fault_say(opts->fault, r,
	                               "the database has entries, and only one without "
	                               "entries can be prepared: leave --prepare out, "
	                               "or let --replace take its place")
	               : r;
}
