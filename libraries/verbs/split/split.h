/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Split LDIF into shards: each record goes, as it is, to the shards that a map names.
 *
 *     static const char *const inputs[] = {"people.ldif"};
 *     struct dit_split_opts opts = DIT_SPLIT_OPTS_INIT;
 *     struct dit_split_stats stats;
 *
 *     opts.conf = "/etc/ldap/slapd.conf";
 *     opts.map = "shards.map";
 *     opts.inputs = inputs;
 *     opts.ninputs = 1;
 *     opts.part = 2;
 *     opts.nparts = 4;
 *     opts.output = "shards";
 *     opts.report = print_line;
 *     r = dit_split(&opts, &stats);
 *     dit_split_stats_deinit(&stats);
 *
 * Several processes can share the work: each takes one part of the same input. Part R has
 * the records whose first byte lies from size * R / N on, and before size * (R + 1) / N,
 * of each plain file, and each packed file whose place in the order of inputs is R modulo
 * N. All parts together have each record once.
 *
 * The result is a file for each shard, SHARD/part-R-of-N.ldif, which may be packed, and
 * next to it one with digests of it and of the map, SHARD/part-R-of-N.ldif.xxh128, as
 * xxh128sum(1) prints them. SHARD/map is a copy of the map, after a line with the
 * shard and the bytes of all inputs. Files appear when all of them are complete, those
 * with digests last. The same input gives the same bytes.
 *
 * Only DNs are read. Whether a record is right is the matter of the load that gets it. A
 * record whose DN cannot be read goes to the first shard. ditsplit(8) describes maps.
 *
 * Threads: dit_split() blocks, and calls the callbacks from the calling thread only. It
 * starts a thread for packed input, unless threads is 1. One process may run several.
 */
#ifndef DITKIT_SPLIT_H
#define DITKIT_SPLIT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <ditkit/error.h>
#include <ditkit/export_file.h>
#include <ditkit/openldap.h>
#include <ditkit/progress.h>
#include <ditkit/report.h>

/* Names of results: of part R of N, without the ending of the compression; of the copy of
 * the map; and the ending of a file with digests. */
#define DIT_SPLIT_PART    "part-%u-of-%u.ldif"
#define DIT_SPLIT_MAP     "map"
#define DIT_SPLIT_DIGESTS ".xxh128"

/** The phases of dit_progress. */
enum dit_split_phase {
	DIT_SPLIT_RECORDS, /* records are read and written; bytes of the input */
	DIT_SPLIT_PUBLISH, /* the files are synced and renamed; nothing is counted */
	DIT_SPLIT_NPHASES,
};

struct dit_split_opts {
	size_t size; /* of this struct: DIT_SPLIT_OPTS_INIT sets it */
	/* As of dit_load(): the configuration whose schema compares DNs. It may have no
	 * database; suffix or database must be of one, if given. */
	const char *conf;
	const char *conf_dir;
	const char *suffix;
	int database;
	enum dit_openldap_version openldap;

	const char *map;
	/* LDIF files, packed or not; NULL among them, and none: standard input */
	const char *const *inputs;
	size_t ninputs;
	bool no_urls; /* "include:" is refused, and no DN is read from a file */
	unsigned part;
	unsigned nparts;    /* 0: 1. More than 1: all inputs are regular files */
	const char *output; /* a directory; it is made if its parent is there */
	enum dit_export_compression compression;
	uint64_t record_max_bytes; /* as of dit_load() */
	unsigned threads;

	dit_report_fn report; /* may be NULL */
	void *report_ctx;
	dit_progress_fn progress; /* may be NULL */
	void *progress_ctx;
	/* May be NULL; a value other than 0 ends the work. */
	const volatile sig_atomic_t *stop;
};

/** Options to begin with: all defaults. Not for static objects. */
#define DIT_SPLIT_OPTS_INIT dit_split_opts_init()
DIT_OPTS(dit_split_opts, opts.database = -1, opts.compression = DIT_EXPORT_ZSTD)

struct dit_split_shard {
	char *name;           /* owned */
	uint64_t nrecords;    /* in this part */
	uint64_t nbytes;      /* of its file */
	uint64_t reserved[8]; /* room for later releases; 0 */
};

struct dit_split_stats {
	uint64_t nrecords;              /* read, each once */
	uint64_t nunmatched;            /* of these, without a line of the map */
	uint64_t nunnamed;              /* without a DN that can be read */
	uint64_t bytes_read;            /* packed ones, if the input is packed */
	struct dit_split_shard *shards; /* in the order of the map */
	size_t nshards;
	uint64_t reserved[8]; /* room for later releases; 0 */
};

/**
 * Split one part.
 *
 * @param ret  filled also on failure; the caller passes it to dit_split_stats_deinit() in
 *             every case
 *
 * @return 0: all files are in place. On any other result a report has told the failure,
 *         and files appeared only if the failure came while they were put in place:
 *         DIT_E_CONFIG: the configuration or the map is wrong;
 *         DIT_E_REFUSED: nunmatched is not 0;
 *         DIT_E_INVALID, DIT_E_UNSUPPORTED, DIT_E_TOOLONG: as of dit_load();
 *         DIT_E_STOPPED: the caller set *stop;
 *         -EINVAL: there is no such part, or an option is out of range;
 *         -ESPIPE: an input cannot be read in parts;
 *         -ENOSPC and other -errno
 */
DIT_PUBLIC int dit_split(const struct dit_split_opts *opts, struct dit_split_stats *ret);

/** Free the memory that dit_split() put into @p stats. */
DIT_PUBLIC void dit_split_stats_deinit(struct dit_split_stats *stats);

#endif
