/* SPDX-License-Identifier: BSD-2-Clause */
#include "reader/stored_order.h"

#include <stdio.h>

#include "base/error.h"
#include "codec/split_codec.h"
#include "files/fault.h"

#define ID_BYTES sizeof(uint64_t)
/* A record of dn2i: the length of the RDN in two bytes, the highest bit a flag. */
#define NAME_HEADER 2u

const struct dit_fixed_db_facts dit_fixed_dbs[DIT_NFIXED + 1] = {
	[DIT_FIXED_ADS] = {"ad2i", DIT_DB_INTEGERKEY, sizeof(uint32_t)},
	[DIT_FIXED_NAMES] = {"dn2i", DIT_DB_INTEGERKEY | DIT_DB_DUPSORT, ID_BYTES},
	[DIT_FIXED_ENTRIES] = {"id2e", DIT_DB_INTEGERKEY, ID_BYTES},
	[DIT_FIXED_SPLITS] = {"id2v", DIT_DB_DUPSORT, sizeof(struct dit_split_key)},
	[DIT_FIXED_CHECKS] = {"ixck", DIT_DB_INTEGERKEY, sizeof(uint16_t)},
};

const struct dit_fixed_db_facts *dit_stored_find(struct dit_span name)
{
	for (size_t i = 0; i <= DIT_NFIXED; i++) {
		if (dit_span_eq(name, dit_span_of(dit_fixed_dbs[i].name))) {
			return &dit_fixed_dbs[i];
		}
	}
	return NULL;
}

bool dit_stored_flags_are_right(const struct dit_fixed_db_facts *fixed, unsigned flags)
{
	return fixed != NULL ? flags == fixed->flags
	                     : (flags & ~(unsigned)DIT_DB_INTEGERKEY) == DIT_INDEX_FLAGS;
}

/* ---- flags in words ---- */

/* Room for all flags that LMDB stores, by name. */
#define FLAGS_TEXT_BYTES 80

static const struct {
	unsigned flag;
	const char *name; /* as mdb_dump has it */
} flag_names[] = {
	{DIT_DB_INTEGERKEY, "integerkey"}, {DIT_DB_DUPSORT, "dupsort"},
	{DIT_DB_DUPFIXED, "dupfixed"},     {DIT_DB_INTEGERDUP, "integerdup"},
	{DIT_DB_REVERSEKEY, "reversekey"}, {DIT_DB_REVERSEDUP, "reversedup"},
};

/* "integerkey dupsort", or "none" */
static const char *flags_text(unsigned flags, char ret[FLAGS_TEXT_BYTES])
{
	size_t len = 0;

	(void)snprintf(ret, FLAGS_TEXT_BYTES, "none");
	for (size_t i = 0; i < sizeof(flag_names) / sizeof(flag_names[0]); i++) {
		if ((flags & flag_names[i].flag) != 0) {
			len += (size_t)snprintf(ret + len, FLAGS_TEXT_BYTES - len, "%s%s",
			                        len == 0 ? "" : " ", flag_names[i].name);
		}
	}
	return ret;
}

int dit_stored_flags_check(const char *name, const struct dit_fixed_db_facts *fixed,
                           unsigned flags, struct dit_fault *fault)
{
	char stored[FLAGS_TEXT_BYTES];
	char wanted[FLAGS_TEXT_BYTES];

	if (dit_stored_flags_are_right(fixed, flags)) {
		return 0;
	}
	return dit_fault_say(
		fault, DIT_E_CORRUPT,
		"database \"%s\" has the flags (%s), but slapd gives it (%s); copies made "
		"with mdb_load can be like that, those of mdb_copy are not. %s",
		name, flags_text(flags, stored),
		flags_text(fixed != NULL ? fixed->flags : DIT_INDEX_FLAGS, wanted),
		fixed != NULL
			? "Write the original directory out with slapcat and load that"
			: "Write the directory out with slapcat and load that; "
			  "slapindex keeps the flags");
}

/* ---- orders ---- */

static int compare_split_keys(const void *ctx, struct dit_span key, struct dit_span a,
                              struct dit_span b)
{
	(void)ctx;
	(void)key;
	return dit_split_key_compare(a, b);
}

/* Length and flag, then the RDN alone: two records of one RDN are the same name. */
static int compare_names(const void *ctx, struct dit_span key, struct dit_span a,
                         struct dit_span b)
{
	size_t len = 0;
	size_t shorter = a.len < b.len ? a.len : b.len;
	int order = shorter < NAME_HEADER ? -1 : memcmp(a.data, b.data, NAME_HEADER);

	(void)ctx;
	(void)key;
	if (order != 0) {
		return order;
	}
	len = ((size_t)((unsigned char)a.data[0] & 0x7f) << 8) | (unsigned char)a.data[1];
	if (len > shorter - NAME_HEADER) {
		len = shorter - NAME_HEADER;
	}
	return memcmp(a.data + NAME_HEADER, b.data + NAME_HEADER, len);
}

void dit_stored_order(void *ctx, struct dit_span name, unsigned flags,
                      struct dit_key_orders *orders)
{
	const struct dit_fixed_db_facts *database = dit_stored_find(name);

	(void)ctx;
	(void)flags;
	if (database == NULL) {
		orders->items.bytes = ID_BYTES;
		return;
	}
	orders->keys.kind = DIT_ORDER_NUMBERS;
	orders->keys.bytes = database->key_bytes;
	if (database->key_bytes == sizeof(struct dit_split_key)) {
		orders->keys.kind = DIT_ORDER_CALL;
		orders->keys.compare = compare_split_keys;
		orders->items.kind = DIT_ORDER_UNKNOWN;
	} else if ((database->flags & DIT_DB_DUPSORT) != 0) {
		orders->items.kind = DIT_ORDER_CALL;
		orders->items.compare = compare_names;
	}
}

void dit_stored_orders(const char *name, unsigned flags, struct dit_key_orders *ret)
{
	dit_key_default_orders(flags, ret);
	dit_stored_order(NULL, dit_span_of(name), flags, ret);
}
