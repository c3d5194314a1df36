/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One stored entry, as a reader sees it.
 *
 * Nothing is copied: values and names point into the pages of the database file, which
 * the system maps into memory. They stay valid as long as the snapshot from which the
 * entry was read. The two DNs and the lists are put together for the entry and live only
 * until the next entry is read by the same thread; scan.h says when that is.
 *
 * An entry that cannot be read is shown as well: see name_error and record_error.
 *
 * An attribute can be there twice, each time with other values: slapadd 2.5 with -q
 * stores it so if other lines of the LDIF stand between its own.
 *
 * Threads: plain values. Any thread may read them while they are valid.
 */
#ifndef DITKIT_ENTRY_VIEW_H
#define DITKIT_ENTRY_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include <ditkit/span.h>

struct dit_ad; /* the library's own (schema.h) */

/** One attribute description with its values. */
struct dit_attr_view {
	uint32_t number;      /* of the description, in ad2i */
	struct dit_span name; /* "cn", "cn;lang-de" */
	/* The description; NULL: the configuration was not read, or has no such type. */
	const struct dit_ad *ad;
	bool is_sorted;   /* the normal forms ascend */
	bool is_split;    /* the values are those in id2v, in the order there */
	uint32_t nvalues; /* 0 with is_split: slapd has lost them */
	const struct dit_span *values; /* as they were given, and as LDIF shows them */
	const struct dit_span *normal; /* as they are compared; NULL: like the values */
};

struct dit_entry_view {
	uint64_t id;
	struct dit_span record; /* as stored in id2e */
	/*
	 * A node of the tree without an entry: a parent that was never loaded. It has
	 * names and no attributes.
	 */
	bool is_hole;

	/*
	 * 0; or why the names are missing: DIT_E_UNKNOWN: the tree has no node of this
	 * ID; DIT_E_CORRUPT: a node or the way to the top is wrong.
	 */
	int name_error;
	uint64_t parent; /* its ID; 0: the entry is topmost */
	struct dit_span dn;
	struct dit_span norm_dn;

	/*
	 * 0; or why the attributes are missing: DIT_E_CORRUPT: the record contradicts its
	 * format; DIT_E_UNKNOWN: a description or a value that it refers to is not there.
	 */
	int record_error;
	const char *reason; /* of record_error, in words; "" if there is none */
	uint32_t oc_flags;  /* what slapd keeps about the object classes */
	uint32_t nattrs;
	const struct dit_attr_view *attrs; /* in stored order */
};

#endif
