/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which kind of output a directory gets, which is asked nowhere else; and what an output
 * of indexes alone says of a stored one.
 */
#include "output/record_output.h"

#include "base/error.h"
#include "output/output_impl.h"
#include "place/fault.h"
#include "reader/stored_order.h"

int dit_output_open(struct dit_record_output **ret, const struct dit_output_opts *opts)
{
	int r = dit_output_new_open(ret, opts);

	return r == DIT_E_NOTEMPTY ? dit_output_merged_open(ret, opts) : r;
}

int dit_output_found_index(const char *name, const struct dit_tree_record *tree,
                           bool is_online, struct dit_fault *fault,
                           struct dit_output_stored_index *ret)
{
	if ((tree->flags & ~DIT_DB_INTEGERKEY) != DIT_INDEX_FLAGS) {
		if (!is_online && !dit_stored_is_fixed(dit_span_of(name))) {
			return 0;
		}
		return dit_fault_say(fault, DIT_E_CORRUPT,
		                     "database \"%s\" has the flags 0x%02x and is no "
		                     "index",
		                     name, tree->flags);
	}
	*ret = (struct dit_output_stored_index){
		.is_integerkey = (tree->flags & DIT_DB_INTEGERKEY) != 0, .key_len = 0};
	return 1;
}
