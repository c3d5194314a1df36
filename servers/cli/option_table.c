/* SPDX-License-Identifier: BSD-2-Clause */
#include "option_table.h"

#include <assert.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>

#include <ditkit/load.h>
#include <ditkit/reindex.h>

#include "default_paths.h"

static_assert(DIT_LOAD_MEMORY_MIN == DIT_REINDEX_MEMORY_MIN, "one row for both");

#define MIB(n) ((uint64_t)(n) << 20)

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
	{"ditindex", DITINDEX, "[attribute]...",
         "Build the indexes of a database again, all or those of the named attributes: "
         "what slapindex -t stores, sooner, and all or nothing. slapd must not run, "
         "except with --online.",
         NULL},
	{"ditsplit", DITSPLIT, "[file]...",
         "Split LDIF into shards: copy each record to the shards that a map names. "
         "Several processes can share the work; each takes one part of the input.",
         NULL},
};

/*
 * The columns after the name in a row: the argument, and its possible values. Words
 * stand in the order of the enum that takes their place, whose first value is no word.
 */
#define FLAG                              NULL, OPTION_TEXT, 0, 0, NULL
#define TEXT(argument)                    argument, OPTION_TEXT, 0, 0, NULL
#define WORD(argument)                    argument, OPTION_WORD, 0, 0, NULL
#define SIZE(argument, min)               argument, OPTION_SIZE, min, UINT64_MAX, NULL
#define NUMBER(argument, min, max, takes) argument, OPTION_NUMBER, min, max, takes

/* Options with a letter, then those without. */
/* clang-format off: rows of a table. */
static const struct option_row rows[] = {
	{DITCAT, 'a', NULL, TEXT("filter"), "the entries that match this filter"},
	{DIT_ALL, 'b', NULL, TEXT("suffix"), "database that holds this suffix"},
	{DITADD, 'c', NULL, FLAG, "leave out records that cannot be stored, and go on"},
	{DITCAT | DITINDEX, 'c', NULL, FLAG,
         "leave out entries that cannot be read, and go on"},
	{DIT_ALL, 'd', NULL, TEXT("level"), "0: no diagnostic lines, errors only"},
	{DIT_ALL, 'f', NULL, TEXT("file"), "slapd.conf to read"},
	{DIT_ALL, 'F', NULL, TEXT("dir"),
         "cn=config tree to read; without -f and -F:\n[" DIT_DEFAULT_CONF_DIR
         " if it is there,\nelse " DIT_DEFAULT_CONF "]"},
	{DITADD, 'g', NULL, FLAG,
         "leave subordinate databases alone, put all their entries into the superior "
         "one"},
	{DITCAT | DITCHECK | DITINDEX, 'g', NULL, FLAG,
         "leave subordinate databases out"},
	{DITCAT, 'H', NULL, TEXT("url"),
         "ldap:///DN?\?SCOPE?FILTER: the entries that the URL names"},
	{DITADD, 'j', NULL, NUMBER("line", 0, UINT64_MAX, "a line number"),
         "leave out records that begin before this line"},
	{DITADD, 'l', NULL, TEXT("file"),
         "LDIF to load, packed by gzip, zstd, xz or bzip2 as well; -: standard input; of "
         "a directory its files *.ldif* by name; several: one after the other; without "
         "-l as well [standard input]"},
	{DITSPLIT, 'l', NULL, TEXT("file"),
         "LDIF to split, packed or not; -: standard input; of a directory its files "
         "*.ldif* by name; several: one after the other; without -l as well [standard "
         "input]"},
	{DITCAT, 'l', NULL, TEXT("file"),
         "LDIF to write, complete or not at all [standard output]"},
	{DIT_ALL, 'n', NULL, NUMBER("number", 0, INT_MAX, "a database number"),
         "database number, as slapcat counts"},
	{DITADD, 'o', NULL, TEXT("opt[=value]"),
         "schema-check=yes|no, value-check=yes|no,\nremove-sids=n,n,... (new CSNs for "
         "those of these servers)"},
	{DITCAT, 'o', NULL, TEXT("opt[=value]"), "ldif-wrap=no|columns [78]"},
	{DITINDEX, 'o', NULL, TEXT("opt[=value]"),
         "slapindex's options; they change nothing"},
	{DITADD, 'q', NULL, FLAG, "quick: do not gather attribute lines, no value check"},
	{DITINDEX, 'q', NULL, FLAG, "as if it were always given; changes nothing"},
	{DITADD, 's', NULL, FLAG, "no schema check"},
	{DITCAT, 's', NULL, TEXT("dn"), "the entry and all below it"},
	{DITADD, 'S', NULL, NUMBER("sid", 0, 4095, "a server ID from 0 to 4095"),
         "server ID in generated CSNs, 0 to 4095"},
	{DITINDEX, 't', NULL, FLAG, "as if it were always given; changes nothing"},
	{DITSPLIT, 'T', NULL, NUMBER("n", 1, 1024, "a number from 1 to 1024"),
         "1: packed input has no thread of its own"},
	{DITADD | DITCAT | DITCHECK | DITINDEX, 'T', NULL,
         NUMBER("n", 1, 1024, "a number from 1 to 1024"),
         "threads that do the work [tool-threads of slapd.conf, else one per processor]"},
	{DITADD, 'u', NULL, FLAG, "dry run: check the input, touch no database"},
	{DITADD, 'v', NULL, FLAG, "print every entry stored"},
	{DITCAT, 'v', NULL, FLAG, "print the ID of each entry before it"},
	{DITCHECK, 'v', NULL, FLAG, "say more about each file"},
	{DITINDEX, 'v', NULL, FLAG, "print the ID of every entry"},
	{DIT_ALL, 'V', "version", FLAG, "print the version"},
	{DITADD, 'w', NULL, FLAG,
         "write contextCSN: the highest entryCSN of each server"},

	{DITADD, OPT_ABANDON, "abandon", FLAG,
         "remove what --prepare has made; load nothing"},
	{DITCHECK, OPT_COMPARE, "compare", FLAG,
         "compare the content of two database directories, entry by entry: exit status 0 "
         "if it is the same, 1 if it differs"},
	{DITCAT, OPT_COMPRESS, "compress", WORD("gzip|zstd"),
         "compress what is written, on all threads"},
	{DITSPLIT, OPT_COMPRESS, "compress", WORD("none|gzip|zstd"),
         "compress the files of the shards [zstd]"},
	{DITCHECK, OPT_DATABASE, "database", TEXT("dir"),
         "check this directory, or data file, in place of the configured one; with "
         "--quick and --stats, no configuration is read"},
	{DITINDEX, OPT_DROP_UNCONFIGURED, "drop-unconfigured", FLAG,
         "remove index databases that are not configured any more"},
	{DITADD, OPT_ESTIMATE, "estimate", WORD("[=text|json]"),
         "load nothing: say from a sample of the input what the load will need, and "
         "whether it fits (exit status 0) or not (1) [text]"},
	{DITINDEX, OPT_ESTIMATE, "estimate", WORD("[=text|json]"),
         "change nothing: say from some of the entries what the work will need, and "
         "whether it fits (exit status 0) or not (1) [text]"},
	{DITCHECK, OPT_EXACT, "exact", FLAG,
         "compare: record by record, as it is stored: IDs, the order of values"},
	{DITADD, OPT_EXPLAIN, "explain", WORD("[=yes|no]"),
         "after the messages about a refused record, one line that says where the fault "
         "is and what to do; no: slapadd's lines alone [yes]"},
	{DITCHECK, OPT_FILTER_LOG, "filter-log", TEXT("file"),
         "with --stats: say which indexes searches use, by slapd's log (loglevel stats) "
         "or a filter a line; gzip too; -: standard input"},
	{DITCHECK, OPT_GENERATED, "generated", FLAG,
         "compare: values that differ in each load do not count"},
	{DITADD, OPT_GROW, "grow", FLAG, "the result may be larger than maxsize"},
	{DIT_ALL, OPT_HELP, "help", FLAG, "print this text"},
	{DITADD, OPT_IF_EMPTY, "if-empty", FLAG,
         "load into a database without entries; say so and exit with 0 if there are some"},
	{DITCHECK, OPT_IGNORE_INTEGERKEY, "ignore-integerkey", FLAG,
         "compare --exact: an index may have integer keys on one side only"},
	{DITADD | DITINDEX, OPT_INDEX_KEYS, "index-keys", WORD("integer|bytes"),
         "new index databases compare hashed keys as integers, or as slapd does [integer]"},
	{DITADD, OPT_JSON, "json", FLAG, "with --status: print one JSON object"},
	{DITCHECK, OPT_JSON, "json", FLAG, "print one JSON object instead of lines"},
	{DITSPLIT, OPT_MAP, "map", TEXT("file"), "which entries go to which shards"},
	{DITCHECK, OPT_MAX_FINDINGS, "max-findings",
         NUMBER("n", 0, UINT64_MAX, "a number"),
         "print n findings of each file at most, count the others; 0: print all [1000]; "
         "compare: n differences of each database [20]"},
	{DITADD | DITSPLIT, OPT_MAX_RECORD, "max-record", SIZE("size", 0),
         "bytes of an LDIF record at most, with suffix K, M or G [a quarter of the "
         "machine's memory, 4G at most]"},
	{DITADD, OPT_MAX_REJECTS, "max-rejects", NUMBER("n", 0, UINT64_MAX, "a number"),
         "-c, but give up when more than n records were left out"},
	{DITADD | DITINDEX, OPT_MEMORY, "memory", SIZE("size", DIT_LOAD_MEMORY_MIN),
         "memory to use, with suffix K, M or G [a quarter of the machine's, 4G at "
         "most]"},
	{DITCHECK, OPT_MEMORY, "memory", SIZE("size", MIB(16)),
         "memory to sort in, with suffix K, M or G [a quarter of the machine's, 4G at "
         "most]"},
	{DITCAT, OPT_NO_INDEX, "no-index", FLAG,
         "read all entries, also where an index tells which ones match"},
	{DITCAT, OPT_NO_LOCK, "no-lock", FLAG,
         "has no effect: LMDB's write lock is never taken"},
	{DITADD | DITSPLIT, OPT_NO_URLS, "no-urls", FLAG,
         "read no file that the LDIF names (attr:< file:..., include:)"},
	{DITINDEX, OPT_ONLINE, "online", FLAG,
         "slapd may run and change the database; print how long its writers had to wait"},
	{DITADD, OPT_OPENLDAP, "openldap", WORD("2.5|2.6|2.7"),
         "make a database for this release of OpenLDAP, and read the configuration as it "
         "does\n[the release of " DIT_DEFAULT_SLAPD ", without it 2.6]"},
	{DITCAT | DITCHECK | DITINDEX | DITSPLIT, OPT_OPENLDAP, "openldap",
         WORD("2.5|2.6|2.7"),
         "read the configuration as this release of OpenLDAP does\n"
         "[the release of " DIT_DEFAULT_SLAPD ", without it 2.6]"},
	{DITSPLIT, OPT_OUTPUT, "output", TEXT("dir"),
         "where a folder for each shard is made"},
	{DITSPLIT, OPT_PART, "part", TEXT("r/n"),
         "take part r of n, counted from 0 [what Slurm, Kubernetes, Open MPI or PMI say "
         "in the environment, else 0/1]"},
	{DITSPLIT, OPT_PARTS, "parts", NUMBER("n", 1, UINT_MAX, "a number from 1 on"),
         "how many parts there are, where the environment says only which one this is"},
	{DITADD, OPT_PREPARE, "prepare", FLAG,
         "load into DIRECTORY/ditkit-prepared, which nobody sees, for --publish"},
	{DIT_ALL, OPT_PROGRESS, "progress", TEXT("none|bar|lines|json|seconds"),
         "what to show during the work; a line every so many seconds; with -d nothing [bar "
         "on a terminal, else lines every 10 seconds]"},
	{DITADD, OPT_PUBLISH, "publish", FLAG,
         "put in place what --prepare has made, all databases or none; load nothing"},
	{DITCHECK, OPT_QUICK, "quick", FLAG,
         "check the structure of the file alone: that LMDB can read it"},
	{DITADD, OPT_REJECTS, "rejects", TEXT("file"),
         "write the records that were left out to this LDIF file"},
	{DITADD, OPT_REPLACE, "replace", FLAG,
         "the new database takes the place of one that has entries or is damaged"},
	{DITADD | DITINDEX, OPT_REPORT, "report", TEXT("file"),
         "write a page about the work to this HTML file"},
	{DITCHECK, OPT_REPORT, "report", TEXT("file"),
         "with --stats: write a page for a browser as well"},
	{DITADD, OPT_SPECIAL_URLS, "special-urls", FLAG,
         "the LDIF may name pipes and devices, not only regular files"},
	{DITADD | DITINDEX, OPT_STATS, "stats", TEXT("[=file]"),
         "print what was done and how long it took; with a file, write more of that to it, "
         "as JSON"},
	{DITCAT, OPT_STATS, "stats", FLAG,
         "print how much was written, on standard error"},
	{DITSPLIT, OPT_STATS, "stats", FLAG, "print the records and bytes of each shard"},
	{DITCHECK, OPT_STATS, "stats", FLAG,
         "the same as --quick, and print what each database takes: keys, postings, pages, "
         "bytes, ranges, the longest list; then advice"},
	{DITADD, OPT_STATUS, "status", FLAG,
         "say what is prepared, a line for each database; load nothing"},
	{DITADD, OPT_STRICT, "strict", FLAG,
         "refuse \"version: 1\", \"changetype: add\" and \"control:\" lines, as slapadd "
         "does"},
	{DITCHECK, OPT_STRICT, "strict", FLAG,
         "count notes as findings: the exit status is 1 if there are any"},
	{DITADD | DITCHECK | DITINDEX, OPT_TMPDIR, "tmpdir", TEXT("dir"),
         "where to spill what does not fit the memory [$TMPDIR, /tmp]"},
	{DITADD, OPT_WRITER, "writer", WORD("pages|append"),
         "who makes the pages of a new database: ditadd on all threads, or liblmdb on one "
         "[pages, if liblmdb has the known format]"},
	{0, 0, NULL, FLAG, NULL},
};
/* clang-format on */

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
	row = row == NULL ? rows : row + 1;
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
