/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pages. A leaf has its header, then for each node a slot of 2 bytes, the node's header
 * of 8, the key and the value. The table writers (tree/table_writer.h) fill each leaf up
 * to what does not fit any more, half a node on average. An index key has
 *
 *     one ID             a node with 8 bytes
 *     some               a node with a page inside: its header, 8 bytes for each ID
 *     more than fit      a node with 48 bytes, and leaves with 8 bytes for each ID
 *     over the limit     a range: as three IDs
 *
 * Runs. A producer writes what it has collected, list by list (sort/postings_run.c): the
 * distance from the key before, the number of IDs, their distances, all as numbers of
 * seven bits a byte. A key with N IDs in the whole, spread evenly, is in a run that has
 * the share p of all entries with the probability 1 - (1 - p)^N; IDs that are neighbours
 * count as one there, and their distances take a byte. What is left at the end stays in
 * memory.
 */
#include "build/estimate_size.h"

#include <math.h>

#define SLOT_BYTES 2
#define NODE_HEAD  8
#define TREE_BYTES 48 /* of a database's record (storage.md 1.2) */
#define ID_BYTES   8
/* Of the memory for pairs: chunks that are not full. */
#define CHUNK_WASTE 1.03
/* Of the general sorter (sort/sort.h), beside key and value: in memory, in runs. */
#define NAME_OVERHEAD  40
#define NAME_RUN_BYTES 2

static double room_of(const struct dit_page_model *model)
{
	return model->page_bytes - model->format->header_bytes;
}

static double even(double bytes)
{
	return 2 * ceil(bytes / 2);
}

/* Branches above so many leaves. */
static double with_branches(const struct dit_page_model *model, double nleaves,
                            double key_bytes)
{
	double fanout = room_of(model) / (NODE_HEAD + SLOT_BYTES + even(key_bytes));
	double pages = nleaves;

	for (double n = nleaves; n > 1;) {
		n = ceil(n / fanout);
		pages += n;
	}
	return pages;
}

/* Of nodes in key order. @param largest  of them, at most */
static double pack(const struct dit_page_model *model, double bytes, double nnodes,
                   double key_bytes)
{
	double waste = nnodes > 0 ? bytes / nnodes / 2 : 0;
	double room = room_of(model) - waste;

	if (bytes <= 0) {
		return 0;
	}
	return with_branches(model, bytes <= room_of(model) ? 1 : ceil(bytes / room),
	                     key_bytes);
}

double dit_estimate_index_pages(const struct dit_page_model *model, double key_bytes,
                                const struct dit_list_class *lists, size_t n)
{
	double head = SLOT_BYTES + NODE_HEAD + even(key_bytes);
	double per_page = floor(room_of(model) / ID_BYTES);
	double node_max = dit_node_max(model->format, model->page_bytes);
	double bytes = 0;
	double nodes = 0;
	double pages = 0;

	for (size_t i = 0; i < n; i++) {
		double nids = lists[i].nids;
		double inside = 0;

		if (nids > (double)model->list_max) {
			nids = 3;
		}
		inside = model->format->header_bytes + ID_BYTES * nids;
		nodes += lists[i].nkeys;
		if (nids < 1.5) {
			bytes += lists[i].nkeys * (head + ID_BYTES * nids);
		} else if (inside + head - SLOT_BYTES <= node_max) {
			bytes += lists[i].nkeys * (head + inside);
		} else {
			bytes += lists[i].nkeys * (head + TREE_BYTES);
			pages += lists[i].nkeys *
			         with_branches(model, ceil(nids / per_page), ID_BYTES);
		}
	}
	return pages + pack(model, bytes, nodes, key_bytes);
}

double dit_estimate_tree_pages(const struct dit_page_model *model,
                               const struct dit_tree_model *tree)
{
	double node_max = dit_node_max(model->format, model->page_bytes);
	double head = SLOT_BYTES + NODE_HEAD + ID_BYTES;
	double record = SLOT_BYTES + NODE_HEAD + even(tree->child_bytes);
	double bytes = tree->nentries * (head + even(tree->self_bytes));
	double pages = 0;

	for (size_t i = 0; i < tree->nfamilies; i++) {
		double inside = tree->families[i].nids * record +
		                model->format->header_bytes + SLOT_BYTES + NODE_HEAD;

		if (inside + tree->self_bytes + head <= node_max) {
			bytes += tree->families[i].nkeys * inside;
		} else {
			bytes += tree->families[i].nkeys * TREE_BYTES;
			pages += tree->families[i].nkeys * pack(model, inside,
			                                        tree->families[i].nids,
			                                        tree->child_bytes);
		}
	}
	return pages + pack(model, bytes, tree->nentries, ID_BYTES);
}

void dit_record_pages_add(struct dit_record_pages *pages,
                          const struct dit_page_model *model, uint64_t record_bytes,
                          double weight)
{
	size_t node = dit_node_bytes(model->format, ID_BYTES, record_bytes);

	if (node > dit_node_max(model->format, model->page_bytes)) {
		pages->npages +=
			weight * (double)dit_overflow_pages(model->format, record_bytes,
		                                            model->page_bytes);
		node = dit_node_bytes(model->format, ID_BYTES,
		                      model->format->big_node_bytes);
	}
	node = ((node + 1) & ~(size_t)1) + SLOT_BYTES;
	if (pages->filled + node > room_of(model)) {
		pages->npages += weight;
		pages->nleaves += weight;
		pages->filled = 0;
	}
	pages->filled += (unsigned)node;
}

double dit_record_pages_end(const struct dit_record_pages *pages,
                            const struct dit_page_model *model)
{
	double nleaves = pages->nleaves + (pages->filled > 0 ? 1 : 0);

	return pages->npages - pages->nleaves + with_branches(model, nleaves, ID_BYTES);
}

/* ---- sorting ---- */

/* Bytes of a number of seven bits a byte, of numbers with this mean that are spread as
 * distances are. */
static double varint_bytes(double mean)
{
	double limit = 128;
	double bytes = 1;

	while (limit < mean * 64) {
		bytes += exp(-limit / mean);
		limit *= 128;
	}
	return bytes;
}

/* Of one stream in a run with the share of all entries. */
static double segment_bytes(const struct dit_sort_model *model,
                            const struct dit_stream_model *stream, double share)
{
	double key_space = stream->key_units == 1 ? 0x1p32 : 0x1p64;
	double span = model->nentries * share * model->nproducers;
	double nkeys = 0;
	double bytes = 0;

	for (size_t i = 0; i < stream->nlists; i++) {
		double nids = stream->lists[i].nids;
		double groups = nids / stream->lists[i].ntogether;
		double seen = -expm1(groups * log1p(share < 1 ? -share : -0.999999));
		double each = nids * share / (seen > 0 ? seen : 1);
		double lists = stream->lists[i].nkeys * seen;
		double far = groups / nids; /* IDs that are no neighbours */

		nkeys += lists;
		if (each > (double)model->list_max) {
			bytes += lists * 8;
			continue;
		}
		bytes += lists * (each < 64 ? 1 : each < 8192 ? 2 : 3);
		bytes += lists * varint_bytes(model->nentries);
		bytes += lists * (each - 1) *
		         (far * varint_bytes(2 * span / each) + 1 - far);
	}
	return bytes + nkeys * varint_bytes(nkeys > 0 ? key_space / nkeys : 1);
}

struct dit_sort_sizes dit_estimate_sort(const struct dit_sort_model *model)
{
	struct dit_sort_sizes sizes = {0};
	double share = (double)model->memory_bytes / model->nproducers;
	double each = 0; /* bytes for an entry */
	double scratch = 0;
	double entries = model->nentries / model->nproducers; /* of a producer */
	double room = 0;
	double runs = 0;

	for (size_t i = 0; i < model->nstreams; i++) {
		const struct dit_stream_model *stream = &model->streams[i];
		double pairs = stream->npostings / model->nentries;
		double words = 2.0 * 8 * stream->key_units * pairs;

		each += CHUNK_WASTE * 4 *
		        (stream->ngroups / model->nentries + stream->key_units * pairs);
		scratch = words > scratch ? words : scratch;
	}
	if (each <= 0) {
		return sizes;
	}
	room = share / (each + scratch);
	if (entries <= room) {
		sizes.memory_bytes = model->nentries * (each + scratch);
		return sizes;
	}
	sizes.memory_bytes = (double)model->memory_bytes;
	runs = floor(entries / room);
	for (size_t i = 0; i < model->nstreams; i++) {
		sizes.run_bytes +=
			runs * model->nproducers *
			segment_bytes(model, &model->streams[i], room / model->nentries);
	}
	return sizes;
}

struct dit_sort_sizes dit_estimate_names(double nrecords, double record_bytes,
                                         uint64_t memory_bytes)
{
	double each = record_bytes + NAME_OVERHEAD;
	double all = nrecords * each;
	double memory = (double)memory_bytes;
	struct dit_sort_sizes sizes = {.memory_bytes = all < memory ? all : memory};

	sizes.run_bytes =
		floor(all / memory) * memory * (record_bytes + NAME_RUN_BYTES) / each;
	return sizes;
}
