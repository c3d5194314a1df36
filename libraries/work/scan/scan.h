/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Read the entries of a back-mdb database, on many threads or one, in one state.
 *
 *     struct dit_entry_scan_opts opts = DIT_ENTRY_SCAN_OPTS_INIT;
 *     struct dit_entry_scan_ops ops = {.entry = count_values};
 *     struct dit_entry_scan *scan;
 *
 *     opts.conf = "/etc/ldap/slapd.conf";
 *     r = dit_entry_scan_open(&scan, &opts);
 *     if (r == 0) {
 *             r = dit_entry_scan_run(scan, &ops, counters);
 *             dit_entry_scan_close(scan);
 *     }
 *
 * Or the program pulls the entries, on threads of its own:
 *
 *     while ((r = dit_entry_scan_next(scan, 0, &entry)) > 0) {
 *             look_at(entry);
 *     }
 *
 * dit_entry_scan_open() pins a snapshot: the state that the latest commit left. All
 * threads of all runs see that state until dit_entry_scan_close(), whatever other
 * processes commit meanwhile. slapd may run. Only dit_entry_scan_open() can wait for a
 * writer, for a moment; no writer waits for a scan. LMDB keeps pages that a snapshot
 * needs, so a database that changes a lot grows while it is scanned.
 *
 * In a run entries come in ranges of neighbouring IDs. A tool thread reads a range from
 * its first ID to its last. Then it takes the next range that no thread has taken:
 *
 *   ID        1 .......... 41 ......... 80 ......... 122 ........ 160
 *   tool-0    begin entry entry.. end               begin entry entry.. end
 *   tool-1                 begin entry entry.. end
 *   caller                              in_order(1)  in_order(2)  in_order(3)
 *
 * The callbacks leave what they have found in the range's `result`. in_order gets the
 * ranges one by one, in the order of IDs. Without in_order the order of ranges is not
 * defined.
 *
 * Memory: the scan copies no page of the file. Some hundred ranges exist at a time. A
 * range has the entries of a few leaf pages of the B-tree, at most some 150 per page.
 *
 * Threads: a scan belongs to one thread, which makes all calls but dit_entry_scan_next();
 * each reader of that is on one thread at a time, and no run at the same time. Each run
 * starts threads and joins them, as many as dit_entry_scan_nthreads() says; with one,
 * everything happens in the caller. begin, entry and end are called on tool threads,
 * several at once, but for one range on one thread; in_order and drop on the caller's.
 */
#ifndef DITKIT_SCAN_H
#define DITKIT_SCAN_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <ditkit/entry_view.h>
#include <ditkit/error.h>
#include <ditkit/openldap.h>
#include <ditkit/report.h>

struct dit_entry_scan;

/** Which entries below the base. */
enum dit_scope {
	DIT_SCOPE_SUBTREE, /* the base and all below it */
	DIT_SCOPE_BASE,
	DIT_SCOPE_ONE,      /* its children */
	DIT_SCOPE_CHILDREN, /* all below it */
};

struct dit_entry_scan_opts {
	size_t size; /* of this struct: DIT_ENTRY_SCAN_OPTS_INIT sets it */
	/* As of dit_load(): which database of which configuration. */
	const char *conf;
	const char *conf_dir;
	const char *suffix;
	int database;
	enum dit_openldap_version openldap;

	/*
	 * A database directory. Then a configuration is read only if a field above names
	 * one, as for sealed pages (ditcheck(8), "Encrypted databases"); without one
	 * dit_attr_view.ad is NULL. NULL: not given.
	 */
	const char *path;

	/*
	 * Which entries; all by default, holes among them. With one of these there are no
	 * holes, but entries that cannot be read are shown: nobody knows whether they
	 * match. They need a configuration, so -EINVAL with a path alone.
	 */
	const char *base; /* a DN; NULL: the suffix. It chooses the database as well, if
	                   * suffix and database do not */
	enum dit_scope scope;
	const char *filter; /* RFC 4515; NULL: none */
	bool no_index; /* read all entries, even if an index tells which ones can match */
	/*
	 * Which attributes, by their descriptions; subtypes and options come with them.
	 * None: all. A configuration is needed as well.
	 */
	const char *const *attrs;
	size_t nattrs;

	unsigned threads; /* 0: tool-threads of the configuration, else one per CPU */
	bool without_dn;  /* leave the DNs of entries empty, and save their look-up; not
	                   * with base, scope or filter */
	bool no_lock;     /* has no effect: LMDB's write lock is never taken */
	unsigned wait_ms; /* the longest wait if LMDB's table of readers is full */
	/* Leaf pages of id2e in a range; with long entries 1 in any case. 0: 4. */
	unsigned range_pages;

	dit_report_fn report; /* may be NULL; called in dit_entry_scan_open() alone */
	void *report_ctx;
	/*
	 * May be NULL. A signal handler, or any thread, gives it a value other than 0 to
	 * end a run. All threads look at it before each entry.
	 */
	const volatile sig_atomic_t *stop;
};

/** Options to begin with: all defaults. Not for static objects. */
#define DIT_ENTRY_SCAN_OPTS_INIT dit_entry_scan_opts_init()
DIT_OPTS(dit_entry_scan_opts, opts.database = -1, opts.wait_ms = 10000)

/** A range of IDs on its way. */
struct dit_scan_range {
	uint64_t number;   /* 0, 1, 2 ... in the order of IDs */
	uint64_t first_id; /* the range holds entries from here on */
	uint64_t end_id;   /* up to here, this one not included; 0: no end */
	uint64_t nread;  /* entries and holes so far, those that are not shown included */
	unsigned member; /* 0 .. nthreads - 1: the tool thread that has it */
	void *result;    /* the callbacks' own; NULL at first */
};

/** The callbacks. All get the ctx of the run; a negative result ends the run. */
struct dit_entry_scan_ops {
	/** On a tool thread, before the first entry of a range. May be NULL. */
	int (*begin)(void *ctx, struct dit_scan_range *range);
	/**
	 * On a tool thread, for each entry, and for each hole.
	 *
	 * @param entry  valid until the callback returns. Names of attributes stay valid
	 *               while the scan is open, and so do values and the record if the
	 *               database is not encrypted. An entry that
	 *               cannot be read has name_error or record_error: the callback
	 *               decides whether the run goes on
	 */
	int (*entry)(void *ctx, struct dit_scan_range *range,
	             const struct dit_entry_view *entry);
	/** On a tool thread, after the last entry of a range. May be NULL. */
	int (*end)(void *ctx, struct dit_scan_range *range);
	/** On the caller, once for each range, in the order of IDs. May be NULL. */
	int (*in_order)(void *ctx, struct dit_scan_range *range);
	/**
	 * On the caller, after a run that has failed or was ended: once for each range
	 * that was begun and that in_order did not get, or whose in_order failed. Frees
	 * what the result refers to; the result is NULL if begin failed. May be NULL.
	 */
	void (*drop)(void *ctx, struct dit_scan_range *range);
};

/**
 * Pin a snapshot.
 *
 * @param opts  copied, with its texts; only what `stop` points to has to stay
 *
 * @return 0. On any other result a report has told the failure:
 *         DIT_E_CONFIG: the configuration is wrong, the database is not of type mdb, or
 *         the filter or the base cannot be read;
 *         DIT_E_FORMAT: the database is of another generation of LMDB;
 *         DIT_E_UNKNOWN: it is not back-mdb's: a named database is missing;
 *         DIT_E_CORRUPT: the B-tree of entries contradicts its format;
 *         -EAGAIN: commits came too fast;
 *         -EINVAL: an option is out of range, or one that others exclude is given;
 *         -EPERM: root does not work in a directory of another user, as is that of
 *         slapd; the program becomes that user first, or runs as it;
 *         -ENOMEM and other -errno;
 *         LMDB's codes, among them MDB_READERS_FULL: no slot in the table of readers
 *         became free within wait_ms. The scan clears slots of processes that have
 *         ended
 */
DIT_PUBLIC int dit_entry_scan_open(struct dit_entry_scan **ret,
                                   const struct dit_entry_scan_opts *opts);

/** Let the snapshot go. NULL is fine. */
DIT_PUBLIC void dit_entry_scan_close(struct dit_entry_scan *scan);

/**
 * Read all entries once. May be called again: the next run sees the same entries.
 *
 * @param ops  borrowed; entry is not NULL
 *
 * @return 0; what a callback returned (of the range with the lowest IDs, if several
 *         failed); DIT_E_STOPPED; DIT_E_CORRUPT: a key of id2e is no ID; LMDB's codes;
 *         -ENOMEM, -EAGAIN and other codes of pthread_create()
 */
DIT_PUBLIC int dit_entry_scan_run(struct dit_entry_scan *scan,
                                  const struct dit_entry_scan_ops *ops, void *ctx);

/**
 * The next entry, in place of a run: the caller's threads are the tool threads.
 *
 *     while ((r = dit_entry_scan_next(scan, 0, &entry)) > 0) ...
 *
 * Readers share the entries: each is shown once, to one of them, and to each reader in
 * the order of IDs. A run begins all of this again.
 *
 * @param reader  0 .. dit_entry_scan_nthreads() - 1; each on one thread at a time
 * @param ret     points into the reader, until its next call; its values as in a run.
 *                Without a choice of entries it may be a hole, and it may always have
 *                name_error or record_error
 *
 * @return 1; 0: the end; DIT_E_STOPPED; DIT_E_CORRUPT; LMDB's codes; -ENOMEM; -EINVAL: no
 *         such reader. After an error the reader has no further entries, and the others
 *         end soon, with 0
 */
DIT_PUBLIC int dit_entry_scan_next(struct dit_entry_scan *scan, unsigned reader,
                                   const struct dit_entry_view **ret);

/**
 * Memory for the result of a range. To be called in begin, entry or end. All bytes are
 * zero. The scan frees the memory after the range's in_order or drop.
 *
 * @return NULL: no memory
 */
DIT_PUBLIC void *dit_scan_range_alloc(struct dit_scan_range *range, size_t size);

/** The number of tool threads of each run. */
DIT_PUBLIC unsigned dit_entry_scan_nthreads(const struct dit_entry_scan *scan);
/** The number of ranges of each run. */
DIT_PUBLIC uint64_t dit_entry_scan_nranges(const struct dit_entry_scan *scan);
/** The number of records in id2e: entries and holes. */
DIT_PUBLIC uint64_t dit_entry_scan_nrecords(const struct dit_entry_scan *scan);
/** The number of LMDB's transaction whose state the scan sees. */
DIT_PUBLIC uint64_t dit_entry_scan_txn_id(const struct dit_entry_scan *scan);

#endif
