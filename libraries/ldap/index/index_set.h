/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by the files of the index room: the set of definitions of index_keys.h.
 *
 * Threads: constant after dit_index_set_new().
 */
#ifndef DITKIT_INDEX_SET_H
#define DITKIT_INDEX_SET_H

#include "index/index_keys.h"
#include "index/key_hash.h"

/** One index definition, ready for use. */
struct dit_index_def {
	const struct dit_attr_type *type;
	struct dit_span options; /* canonical; empty: applies whatever the options are */
	unsigned db;
	unsigned kinds;           /* DIT_INDEX_... */
	enum dit_indexer eq_keys; /* NONE: no equality keys */
	bool has_class_keys; /* hashes of the names of classes and their superclasses */
	bool needs_check;    /* slapd dies of some values: dit_index_check() */
	struct dit_hash_states states;
};

struct dit_index_set {
	const struct dit_schema *schema;
	struct dit_index_params params;
	struct dit_index_def *defs;
	size_t ndefs;
	struct dit_index_db *dbs;
	size_t ndbs;
};

#endif
