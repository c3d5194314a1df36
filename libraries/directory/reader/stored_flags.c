/* SPDX-License-Identifier: BSD-2-Clause */
#include "reader/stored_flags.h"

#include <stdio.h>

#include "base/error.h"
#include "place/fault.h"

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

int dit_stored_flags_check(unsigned flags, const char *name, unsigned wanted,
                           struct dit_fault *fault)
{
	return flags == wanted
	               ? 0
	               : say(fault, name, flags, wanted,
	                     "Write the original directory out with slapcat and load "
	                     "that");
}

int dit_stored_flags_check_index(unsigned flags, const char *name,
                                 struct dit_fault *fault)
{
	return (flags & ~DIT_DB_INTEGERKEY) == DIT_INDEX_FLAGS
	               ? 0
	               : say(fault, name, flags, DIT_INDEX_FLAGS,
	                     "Write the directory out with slapcat and load that; "
	                     "slapindex keeps the flags");
}
