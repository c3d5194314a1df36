/* SPDX-License-Identifier: BSD-2-Clause */
/* What an output of index databases alone does not do, and how it finds a stored one. */
#include <errno.h>

#include <lmdb.h>

#include "base/error.h"
#include "output/output_impl.h"
#include "place/fault.h"
#include "reader/stored_flags.h"
#include "reader/stored_order.h"

int dit_indexes_alone_find_ad(struct dit_output *output, uint32_t number,
                              struct dit_span *ret)
{
	(void)output, (void)number, (void)ret;
	return -EINVAL;
}

int dit_indexes_alone_find_child(struct dit_output *output, uint64_t parent,
                                 struct dit_span norm, uint64_t *ret_id)
{
	(void)output, (void)parent, (void)norm, (void)ret_id;
	return -EINVAL;
}

int dit_indexes_alone_put_ad(struct dit_output *output, uint32_t number,
                             struct dit_span name)
{
	(void)output, (void)number, (void)name;
	return -EINVAL;
}

int dit_indexes_alone_reserve_entry(struct dit_output *output, uint64_t id, size_t len,
                                    void **ret_space)
{
	(void)output, (void)id, (void)len, (void)ret_space;
	return -EINVAL;
}

int dit_indexes_alone_put_split(struct dit_output *output, uint64_t id, uint16_t ad,
                                uint32_t place, struct dit_span record)
{
	(void)output, (void)id, (void)ad, (void)place, (void)record;
	return -EINVAL;
}

int dit_indexes_alone_grow_subtree(struct dit_output *output, uint64_t id, uint64_t n)
{
	(void)output, (void)id, (void)n;
	return -EINVAL;
}

int dit_indexes_alone_open_names(struct dit_output *output, struct dit_output_table **ret)
{
	(void)output, (void)ret;
	return -EINVAL;
}

int dit_indexes_alone_begin_changes(struct dit_output *output)
{
	(void)output;
	return -EINVAL;
}

int dit_indexes_alone_find_entry(struct dit_output *output, uint64_t id,
                                 struct dit_span *ret)
{
	(void)output, (void)id, (void)ret;
	return -EINVAL;
}

int dit_indexes_alone_replace_entry(struct dit_output *output, uint64_t id,
                                    struct dit_span record)
{
	(void)output, (void)id, (void)record;
	return -EINVAL;
}

int dit_indexes_alone_expect_postings(struct dit_output *output, uint64_t n)
{
	(void)output, (void)n;
	return 0;
}

int dit_indexes_alone_begin_indexes(struct dit_output *output)
{
	(void)output;
	return 0;
}

int dit_indexes_alone_find(const char *name, const struct dit_tree_record *tree,
                           bool is_online, struct dit_fault *fault,
                           struct dit_output_stored_index *ret)
{
	if ((tree->flags & ~(unsigned)MDB_INTEGERKEY) != DIT_INDEX_FLAGS) {
		if (!is_online && !dit_stored_is_fixed(dit_span_of(name))) {
			return 0;
		}
		return dit_fault_say(fault, DIT_E_CORRUPT,
		                     "database \"%s\" has the flags 0x%02x and is no "
		                     "index",
		                     name, tree->flags);
	}
	*ret = (struct dit_output_stored_index){
		.is_integerkey = (tree->flags & MDB_INTEGERKEY) != 0, .key_len = 0};
	return 1;
}
