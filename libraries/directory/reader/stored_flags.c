/* SPDX-License-Identifier: BSD-2-Clause */
#include "reader/stored_flags.h"

#include <stdio.h>

#include <lmdb.h>

#include "base/error.h"
#include "place/fault.h"
#include "place/lmdb_error.h"

/* Room for all flags that LMDB stores, by name. */
#define FLAGS_TEXT_BYTES 80

static const struct {
	unsigned flag;
	const char *name; /* as mdb_dump has it */
} flag_names[] = {
	{MDB_INTEGERKEY, "integerkey"}, {MDB_DUPSORT, "dupsort"},
	{MDB_DUPFIXED, "dupfixed"},     {MDB_INTEGERDUP, "integerdup"},
	{MDB_REVERSEKEY, "reversekey"}, {MDB_REVERSEDUP, "reversedup"},
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

static int say(struct dit_fault *fault, const char *name, unsigned flags, unsigned wanted,
               const char *remedy)
{
	char stored_text[FLAGS_TEXT_BYTES];
	char wanted_text[FLAGS_TEXT_BYTES];

	return dit_fault_say(
		fault, DIT_E_CORRUPT,
		"database \"%s\" has the flags (%s), but slapd gives it (%s); copies made "
		"with mdb_load can be like that, those of mdb_copy are not. %s",
		name, flags_text(flags, stored_text), flags_text(wanted, wanted_text),
		remedy);
}

int dit_stored_flags_check(MDB_txn *txn, MDB_dbi dbi, const char *name, unsigned wanted,
                           struct dit_fault *fault)
{
	unsigned flags = 0;
	int r = dit_lmdb_error(mdb_dbi_flags(txn, dbi, &flags));

	if (r < 0 || flags == wanted) {
		return r;
	}
	return say(fault, name, flags, wanted,
	           "Write the original directory out with slapcat and load that");
}

int dit_stored_flags_check_index(MDB_txn *txn, MDB_dbi dbi, const char *name,
                                 struct dit_fault *fault, unsigned *ret)
{
	unsigned flags = 0;
	int r = dit_lmdb_error(mdb_dbi_flags(txn, dbi, &flags));

	if (r < 0) {
		return r;
	}
	if ((flags & ~(unsigned)MDB_INTEGERKEY) != DIT_INDEX_FLAGS) {
		return say(
			fault, name, flags, DIT_INDEX_FLAGS,
			"Write the directory out with slapcat and load that; slapindex keeps "
			"the flags");
	}
	*ret = flags;
	return 0;
}
