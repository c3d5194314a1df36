/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Check back-mdb databases without changing them.
 *
 *     struct dit_check_opts opts = DIT_CHECK_OPTS_INIT;
 *     struct dit_check_stats stats;
 *
 *     opts.conf = "/etc/ldap/slapd.conf";
 *     opts.found = print_finding;
 *     r = dit_check(&opts, &stats);
 *     dit_check_stats_deinit(&stats);
 *
 * The check has two parts:
 *
 *   structure   The data file follows LMDB's format (0.9 or 1.0), so that
 *               liblmdb can read every record.
 *   content     Entries, tree and indexes fit each other and the
 *               configuration. Not with is_quick.
 *
 * slapd may change the database during a check: the check looks at one snapshot, which
 * does not change while the check holds it.
 *
 * Threads: dit_check() blocks. It starts and joins its own threads, and it calls the
 * callbacks from the calling thread only.
 */
#ifndef DITKIT_CHECK_H
#define DITKIT_CHECK_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ditkit/before_open.h>
#include <ditkit/error.h>
#include <ditkit/index_cost.h>
#include <ditkit/openldap.h>
#include <ditkit/progress.h>
#include <ditkit/report.h>
#include <ditkit/span.h>

#define DIT_CHECK_NO_PAGE UINT64_MAX

/** Something that is wrong, or a note. The pointers are valid during the callback. */
struct dit_check_finding {
	const char *file; /* the data file */
	const char *kind; /* "page-twice"; the man page of ditcheck has all kinds */
	/*
	 * Named database: "cn", "id2e"; "(main)" and "(free)" are LMDB's own; NULL: the
	 * file as a whole.
	 */
	const char *database;
	uint64_t page;         /* DIT_CHECK_NO_PAGE: not about one page */
	long node;             /* -1: not about one node */
	uint64_t id;           /* of an entry; 0: not about one entry */
	const char *dn;        /* of the entry; NULL: not known */
	const char *attribute; /* NULL: not about one attribute */
	bool is_note;          /* worth knowing, and not wrong: not counted (is_strict) */
	const char *text;
};

typedef void (*dit_check_found_fn)(void *ctx, const struct dit_check_finding *finding);

/** A dynlist-attrset of the configuration, with wants_overlays. */
struct dit_check_dynlist {
	const char *group;     /* object class */
	const char *attribute; /* of URLs */
	uint64_t nentries;     /* of that class */
	uint64_t nurls;        /* values of the attribute in them */
	uint64_t nignored;     /* those that slapd passes over: findings */
};

/** One data file, after its check. The pointers are valid during the callback only. */
struct dit_check_file {
	const char *file;
	bool is_held; /* the snapshot was held against changes by others */
	uint64_t transaction;
	unsigned page_bytes;
	uint64_t npages; /* up to the last one in use */
	uint64_t nused;  /* in trees */
	uint64_t nfree;  /* in the free list */
	size_t ndatabases;
	uint64_t nfindings;
	uint64_t nnotes;
	const struct dit_check_dynlist *dynlists; /* in the order of the configuration */
	size_t ndynlists;
};

typedef void (*dit_check_file_fn)(void *ctx, const struct dit_check_file *file);

/** The phases of dit_progress. They come again for each data file. */
enum dit_check_phase {
	DIT_CHECK_STRUCTURE, /* pages of the file */
	DIT_CHECK_ENTRIES,   /* entries are read and verified; entries and holes */
	/* id2v is compared; index databases and the tree, too, if sums differ; done and
	 * total are postings */
	DIT_CHECK_INDEXES,
	DIT_CHECK_NPHASES,
};

/* ---- sizes ---- */

/** How many of the longest lists are told. */
#define DIT_CHECK_LONGEST 5

struct dit_check_list {
	struct dit_span key; /* as stored */
	uint64_t nids;
	/* The text of the key: "smith"; "*": presence; "sm*", "*mith*", "*ith": pieces of
	 * values. NULL: no value of the first entries has it, or none was read. */
	const char *value;
};

/** The size of a named database. The pointers are valid during the callback only. */
struct dit_check_database {
	const char *file;
	const char *name;
	bool is_index;
	unsigned depth;
	unsigned page_bytes;
	uint64_t nkeys;
	uint64_t nrecords;  /* of an index: postings */
	uint64_t nbranches; /* pages */
	uint64_t nleaves;
	uint64_t noverflows;
	uint64_t bytes;      /* of all these pages */
	uint64_t used_bytes; /* the part of bytes that is in use */
	uint64_t nentries;   /* records of id2e, holes included; for sizes per entry */

	/* In an index. */
	bool has_presence;      /* it has the key of presence (storage.md 5.4) ... */
	bool is_presence_range; /* ... which has a range, not a list */
	uint64_t npresent;      /* the IDs of that list */
	uint64_t nranges;       /* keys that have a range, not a list */
	const uint64_t *nlists; /* the others, DIT_LIST_LENGTHS classes */
	const struct dit_check_list *longest; /* ranges are not among them */
	size_t nlongest;
};

typedef void (*dit_check_database_fn)(void *ctx,
                                      const struct dit_check_database *database);

/* ---- use ---- */

/** Kinds of an index; of a search, the kind that can answer an item of its filter. */
#define DIT_CHECK_PRES        0x1u
#define DIT_CHECK_EQ          0x2u /* also items of order, cn>=a */
#define DIT_CHECK_APPROX      0x4u
#define DIT_CHECK_SUB         0x8u
#define DIT_CHECK_INDEX_KINDS 4

/** A search that somebody has made, for example one of slapd's log. */
struct dit_check_search {
	struct dit_span
		base; /* data is NULL: not known, then it is one of all databases */
	int scope;    /* as in LDAP: 0 is the base alone */
	struct dit_span filter;
};

/**
 * The next search.
 *
 * @param ret  its spans stay valid until the next call
 *
 * @return 1; 0: there are no more; negative: the check ends with this error
 */
typedef int (*dit_check_search_fn)(void *ctx, struct dit_check_search *ret);

/** A configured index. */
struct dit_check_index_use {
	const char *name; /* also of its named database */
	unsigned kinds;   /* DIT_CHECK_... */
	bool is_numeric;  /* its syntax has nothing but numbers */
	/* For an index with DIT_CHECK_SUB: values of the first entries, and those of
	 * digits alone. */
	uint64_t nvalues;
	uint64_t ndigits;
	/* How many searches each kind was looked up for, DIT_CHECK_PRES first. */
	uint64_t nuses[DIT_CHECK_INDEX_KINDS];
};

/** Items of searches that no index answered, but for presence in nearly every entry. */
struct dit_check_missing {
	const char *attribute;
	unsigned kind;      /* one DIT_CHECK_... */
	uint64_t nsearches; /* those of nunindexed that asked for it */
};

/**
 * The configuration of one data file, and what searches make of it. The pointers are
 * valid during the callback only.
 */
struct dit_check_config {
	const char *file;
	struct dit_span suffix;
	uint64_t maxsize_bytes;
	unsigned idlexp;
	const struct dit_check_index_use *indexes; /* in the order of the configuration */
	size_t nindexes;
	uint64_t nsampled; /* entries whose values were looked at */

	/* Searches; 0 without the option `searches`. */
	uint64_t nsearches;  /* of this database, counted in what follows */
	uint64_t nbases;     /* of one entry alone: no index is looked up for these */
	uint64_t nelsewhere; /* of other databases */
	uint64_t nunread;    /* the filter is none, or the base is no DN */
	/* Searches for which slapd looked at every entry in scope, or at nearly every
	 * one: no index answered. */
	uint64_t nunindexed;
	const struct dit_check_missing *missing; /* the most searches first */
	size_t nmissing;
};

typedef void (*dit_check_config_fn)(void *ctx, const struct dit_check_config *config);

struct dit_check_opts {
	size_t size; /* of this struct: DIT_CHECK_OPTS_INIT sets it */
	/* As of dit_load(): which database of which configuration. */
	const char *conf;
	const char *conf_dir;
	const char *suffix;
	int database;
	bool no_glue; /* -g: leave its subordinate databases out */
	enum dit_openldap_version openldap;

	/*
	 * A database directory, or its data file, instead of the configured one. With
	 * path and is_quick a configuration is read only if a field above names one: for
	 * sealed pages (ditcheck(8), "Encrypted databases").
	 */
	const char *path;
	bool is_quick; /* the structure alone */

	unsigned threads; /* 0: tool-threads of the configuration, else one per CPU */
	/* How many findings of a file are told; the others are counted. 0: no limit. */
	uint64_t max_findings;

	/* For what is compared piece by piece; 0: as dit_load(); at least 16 MiB */
	uint64_t memory_bytes;
	const char *tmpdir; /* without effect: no temporary files are made */

	dit_report_fn report; /* may be NULL */
	void *report_ctx;
	/* May be NULL: a program that runs as root can become another user there. */
	dit_before_open_fn before_open;
	void *before_open_ctx;
	dit_check_found_fn found; /* sorted by database, page, node, ID; NULL: counted */
	void *found_ctx;
	/* May be NULL. Called after the findings, in the order of names. */
	dit_check_database_fn sizes;
	void *sizes_ctx;
	/*
	 * May be NULL. Called before `sizes`, if `sizes` is wanted and the configuration
	 * was read.
	 */
	dit_check_config_fn config;
	void *config_ctx;
	dit_check_search_fn searches; /* for `config`; may be NULL; called first of all */
	void *searches_ctx;
	dit_check_file_fn file; /* may be NULL; called after the findings of the file */
	void *file_ctx;
	dit_progress_fn progress; /* may be NULL; done and total are of one file */
	void *progress_ctx;
	/* May be NULL; a value other than 0 ends the check. */
	const volatile sig_atomic_t *stop;
	bool is_strict; /* what would be a note is a finding */
	/* Look at all that the overlays memberof, refint, unique and dynlist of the
	 * database ask for; it is a finding. Without, memberships alone are looked at,
	 * for notes */
	bool wants_overlays;
};

/** Options to begin with: all defaults. Not for static objects. */
#define DIT_CHECK_OPTS_INIT dit_check_opts_init()
DIT_OPTS(dit_check_opts, opts.database = -1)

struct dit_check_kind_stats {
	const char *kind; /* static */
	uint64_t nfindings;
	uint64_t reserved[8]; /* room for later releases; 0 */
};

struct dit_check_stats {
	uint64_t nfindings;                 /* of all files, reported or not */
	struct dit_check_kind_stats *kinds; /* those with findings; by name; owned */
	size_t nkinds;
	uint64_t reserved[8]; /* room for later releases; 0 */
};

/**
 * @return 0, with findings or without; DIT_E_CONFIG, DIT_E_STOPPED, -errno and other
 *         errors if something could not be checked; -EINVAL: an option is out of range.
 *         A report tells the reason
 */
DIT_PUBLIC int dit_check(const struct dit_check_opts *opts, struct dit_check_stats *ret);

/** Also after an error. */
DIT_PUBLIC void dit_check_stats_deinit(struct dit_check_stats *stats);

#endif
