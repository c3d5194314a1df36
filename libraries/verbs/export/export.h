/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Write the entries of back-mdb databases as LDIF, the bytes that slapcat writes, or as
 * JSON.
 *
 *     struct dit_export_opts opts = DIT_EXPORT_OPTS_INIT;
 *     struct dit_export_stats stats;
 *
 *     opts.conf = "/etc/ldap/slapd.conf";
 *     opts.output = "people.ldif";
 *     opts.report = print_line;
 *     r = dit_export(&opts, &stats);
 *
 * The export reads one state of a database (scan.h). slapd may run and change the
 * database meanwhile. Several glued databases are read one after the other, the superior
 * one first, each in a state of its own.
 *
 * Threads: dit_export() blocks. It starts and joins its own threads, and it calls the
 * callbacks from the calling thread only. One process may run several exports at once.
 * An export to a file forks if root runs it and before_open is set: the child stays root
 * and gives the file its name (export_file.h).
 */
#ifndef DITKIT_EXPORT_H
#define DITKIT_EXPORT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <ditkit/before_open.h>
#include <ditkit/error.h>
#include <ditkit/export_file.h>
#include <ditkit/openldap.h>
#include <ditkit/progress.h>
#include <ditkit/report.h>
#include <ditkit/scan.h>

/** The phases of dit_progress. The first one comes again for each database. */
enum dit_export_phase {
	DIT_EXPORT_ENTRIES, /* entries are read and written; entries and holes */
	DIT_EXPORT_PUBLISH, /* the file is synced and renamed; nothing is counted */
	DIT_EXPORT_NPHASES,
};

enum dit_export_format {
	DIT_EXPORT_LDIF,
	DIT_EXPORT_JSONL, /* a JSON object a line and entry: ditcat(8), JSON LINES */
};

#define DIT_EXPORT_WRAP_DEFAULT 78
#define DIT_EXPORT_WRAP_NONE    0
#define DIT_EXPORT_WRAP_MIN     2

struct dit_export_opts {
	size_t size; /* of this struct: DIT_EXPORT_OPTS_INIT sets it */
	/* As of dit_load(): which database of which configuration. */
	const char *conf;
	const char *conf_dir;
	const char *suffix;
	int database;
	enum dit_openldap_version openldap;
	bool no_glue; /* -g: leave its subordinate databases out */

	/*
	 * A DN; NULL: the suffix of the database. If suffix and database are not given,
	 * base chooses the database as well.
	 */
	const char *base;
	enum dit_scope scope;
	const char *filter; /* RFC 4515; NULL: all entries */
	bool no_index; /* read all entries, even if an index tells which ones can match */

	/*
	 * A file, which appears when it is complete: the export is written next to it and
	 * renamed. Devices, pipes and names below /dev and /proc are opened and written
	 * to. NULL: standard output.
	 */
	const char *output;
	enum dit_export_compression compression;
	/* Columns of a line of LDIF; DIT_EXPORT_WRAP_...; 1 counts as 2. */
	unsigned wrap;
	bool is_verbose; /* "# id=0000000a" before each entry; in JSON a member "id" */
	bool keep_going; /* -c: leave out entries that cannot be read, and go on */

	unsigned threads; /* 0: tool-threads of the configuration, else one per CPU */
	bool no_lock;     /* as in scan.h */

	dit_report_fn report; /* may be NULL */
	void *report_ctx;
	/* May be NULL: a program that runs as root can become another user there. */
	dit_before_open_fn before_open;
	void *before_open_ctx;
	dit_progress_fn progress; /* may be NULL */
	void *progress_ctx;
	/* May be NULL; a value other than 0 ends the export. */
	const volatile sig_atomic_t *stop;
	/* A database directory in place of the configured one; it implies no_glue. NULL:
	 * the configured one */
	const char *directory;
	enum dit_export_format format;
};

/** Options to begin with: all defaults. Not for static objects. */
#define DIT_EXPORT_OPTS_INIT dit_export_opts_init()
DIT_OPTS(dit_export_opts, opts.database = -1, opts.wrap = DIT_EXPORT_WRAP_DEFAULT)

struct dit_export_stats {
	uint64_t nentries;    /* written */
	uint64_t nunreadable; /* "# no data for entry"; JSON has nothing of them */
	uint64_t nbytes;      /* written */
	uint64_t ncandidates; /* entries that indexes name; 0: no index was used */
	unsigned threads;     /* tool threads used */
	uint64_t reserved[8]; /* room for later releases; 0 */
};

/**
 * Run one export.
 *
 * @param ret  filled also on failure, as far as the export came
 *
 * @return 0: all is written. slapcat's exit status is 1 all the same if nunreadable is
 *         not 0. On any other result a report has told the failure, and the file `output`
 *         is unchanged; standard output, pipes and devices have got a part of the
 *         entries:
 *         DIT_E_CONFIG: the configuration, the choice of a database, the base or the
 *         filter is wrong;
 *         DIT_E_CORRUPT: an entry cannot be read, and keep_going is off;
 *         DIT_E_STOPPED: the caller set *stop;
 *         -EINVAL: an option is out of range;
 *         -EPIPE: the pipe has no reader (SIGPIPE is to be ignored); -ENOSPC and other
 *         -errno; LMDB's codes
 */
DIT_PUBLIC int dit_export(const struct dit_export_opts *opts,
                          struct dit_export_stats *ret);

/** An LDAP URL, taken apart. */
struct dit_export_url {
	char *base;   /* owned; NULL: none */
	char *filter; /* likewise */
	enum dit_scope scope;
};

/**
 * Read a URL such as "ldap:///ou=people,dc=x??one?(sn=*)": without a host, attributes and
 * extensions.
 *
 * @param ret  dit_export_url_deinit() it; empty on failure
 *
 * @return 0; DIT_E_SYNTAX; -ENOMEM
 */
DIT_PUBLIC int dit_export_url_read(struct dit_export_url *ret, const char *text);
DIT_PUBLIC void dit_export_url_deinit(struct dit_export_url *url);

#endif
