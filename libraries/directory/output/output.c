/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which kind of output a directory gets. It is asked nowhere else.
 */
#include "output/output.h"

#include "base/error.h"
#include "output/output_impl.h"

int dit_output_open(struct dit_output **ret, const struct dit_output_opts *opts)
{
	int r = dit_output_new_open(ret, opts);

	return r == DIT_E_NOTEMPTY ? dit_output_existing_open(ret, opts) : r;
}

int dit_output_open_existing(struct dit_output **ret, const struct dit_output_opts *opts)
{
	return dit_output_existing_open(ret, opts);
}
