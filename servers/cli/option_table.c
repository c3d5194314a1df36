/* SPDX-License-Identifier: BSD-2-Clause */
#include "option_table.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include <ditkit/load.h>
#include <ditkit/reindex.h>

static_assert(DIT_LOAD_MEMORY_MIN == DIT_REINDEX_MEMORY_MIN, "one row for both");

static const struct program programs[] = {
	{"ditadd", DITADD, "[file]...",
         "Load LDIF into the database that slapd.conf describes: what slapadd stores, "
         "sooner, and all or nothing.",
         NULL},
	{"ditcat", DITCAT, NULL,
         "Write the entries of the database that slapd.conf describes as LDIF: what "
         "slapcat writes, sooner. slapd may run; changes that it makes during the "
         "export are not seen.",
         "-l names the file to write"},
	{"ditcheck", DITCHECK, "[directory directory]",
         "Check the database that slapd.conf describes, and change nothing; slapd may "
         "run. Exit status: 0 nothing is wrong, 1 something is, 2 it could not be "
         "checked.",
         "--database names the directory or data file to check"},
	{"ditdiff", DITDIFF, "from [to]",
         "Write what differs between two states of a directory as LDIF changes, which "
         "ldapmodify takes. A state is a database directory, next to a running slapd as "
         "well; without to it is the configured database. Exit status: 0 equal, 1 "
         "different, 2 trouble.",
         NULL},
	{"ditindex", DITINDEX, "[attribute]...",
         "Build the indexes of a database again, all or those of the named attributes: "
         "what slapindex -t stores, sooner, and all or nothing. slapd must not run, "
         "except with --online.",
         NULL},
	{"ditmodify", DITMODIFY, "[file]...",
         "Make LDIF changes in the database that slapd.conf describes: what slapd makes of "
         "them, sooner, and all or nothing. slapd must not run.",
         NULL},
	{"ditsplit", DITSPLIT, "[file]...",
         "Split LDIF into shards: copy each record to the shards that a map names. "
         "Several processes can share the work; each takes one part of the input.",
         NULL},
};

const struct program *option_program(const char *name)
{
	const struct program *program = programs;

	while (strcmp(program->name, name) != 0) {
		program++;
		assert(program < programs + sizeof(programs) / sizeof(programs[0]));
	}
	return program;
}

const struct option_row *option_next(const struct program *program,
                                     const struct option_row *row)
{
	row = row == NULL ? option_rows : row + 1;
	while (row->programs != 0 && (row->programs & program->bit) == 0) {
		row++;
	}
	return row->programs == 0 ? NULL : row;
}

const struct option_row *option_find(const struct program *program, int id)
{
	const struct option_row *row = option_next(program, NULL);

	while (row != NULL && row->id != id) {
		row = option_next(program, row);
	}
	return row;
}
