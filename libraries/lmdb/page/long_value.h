/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values with pages of their own: nodes with DIT_NODE_BIG.
 *
 * No byte of the file is trusted.
 *
 * Threads: any; the source of pages says who may read.
 */
#ifndef DITKIT_LONG_VALUE_H
#define DITKIT_LONG_VALUE_H

#include "page/page_source.h"
#include "page/page_view.h"

/**
 * The first page of a value, all of whose pages lie in the file, and how many they are.
 * They may be more than the value needs: liblmdb keeps them if the transaction that wrote
 * a value puts a shorter one in its place. In a sealed file (page_seal.h) the node has
 * their number: all of them were sealed together.
 *
 * @return 0; DIT_E_CORRUPT; -errno
 */
int dit_long_value_run(const struct dit_page_source *source,
                       const struct dit_node_view *node, uint64_t *ret_first,
                       uint64_t *ret_npages);
/** The value in mapped pages, into which it points. 0; DIT_E_CORRUPT */
int dit_long_value_find(const struct dit_page_source *source,
                        const struct dit_node_view *node, struct dit_span *ret);
/**
 * A copy of any node's value; of a long one read from its pages.
 *
 * @param ret  value_len bytes; free() it
 *
 * @return 0; DIT_E_CORRUPT; -errno, -ENOMEM
 */
int dit_node_value_read(const struct dit_page_source *source,
                        const struct dit_node_view *node, char **ret);

#endif
