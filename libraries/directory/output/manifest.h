/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A database that was prepared, and waits to be put in place:
 *
 *   DIR/ditkit-prepared/data.mdb        complete and synced
 *   DIR/ditkit-prepared/manifest.json   what is in it; doc/stats.md names the fields
 *
 * | state      | the directory has                                                  |
 * |------------|--------------------------------------------------------------------|
 * | nothing    | no ditkit-prepared, no ditkit-staging                              |
 * | unfinished | ditkit-staging alone, or ditkit-prepared without a manifest        |
 * | ready      | both files, and data.mdb has the length that the manifest names    |
 * | published  | a manifest alone that says "published"; DIR/data.mdb is there      |
 * | damaged    | anything else                                                      |
 *
 * The manifest says "published" on the disk before the rename of data.mdb. So with
 * data.mdb in the directory it is still ready, whatever the manifest says.
 *
 * Whoever copies a prepared database writes the manifest last. Everything in the file is
 * checked: texts have the characters that their kind allows, or are printed escaped.
 *
 * Threads: no state; any thread.
 */
#ifndef DITKIT_MANIFEST_H
#define DITKIT_MANIFEST_H

#include <stdint.h>

#include "base/stop.h"
#include "files/fault.h"
#include "output/prepared_state.h"

struct json_t; /* jansson.h */

#define DIT_MANIFEST_NAME   "manifest.json"
#define DIT_MANIFEST_FORMAT 1
/** A longer file is none: JSON takes up to 80 times its length in memory. */
#define DIT_MANIFEST_MAX ((size_t)1 << 20)

/** Texts point into `json`. Zero: none. */
struct dit_manifest {
	struct json_t *json;   /* owned; an object */
	const char *set;       /* of the databases that were prepared together; random */
	const char *suffix;    /* normal form */
	const char *release;   /* of OpenLDAP */
	const char *digest;    /* of data.mdb; as in base/digest.h */
	const char *content;   /* of its entries; likewise */
	const char *time;      /* when it was prepared: 2026-01-31T23:59:59Z */
	const char *published; /* likewise; NULL: not yet */
	uint64_t nentries;
	uint64_t bytes; /* of data.mdb */
};

/** The prepared database of a directory. Zero: none. */
struct dit_prepared {
	enum dit_prepared_state state;
	int fd;                       /* ditkit-prepared; -1: there is none */
	struct dit_manifest manifest; /* of READY and PUBLISHED */
	struct dit_fault fault;       /* of DAMAGED: what is wrong */
};

/**
 * Look at a database directory. Others may work there at the same time.
 *
 * @param ret  filled in every case; the caller's, for dit_prepared_deinit()
 *
 * @return 0; -ENOTDIR with the fault of @p ret: the name belongs to no directory; other
 *         -errno
 */
int dit_prepared_look(int dir_fd, struct dit_prepared *ret);
void dit_prepared_deinit(struct dit_prepared *prepared);

/** @param holder  lets others wait: "NAME, process NUMBER"; "another process" */
typedef void (*dit_prepared_wait_fn)(void *ctx, const char *holder);

/**
 * The same, and lock the folder, because the caller will change it: wait until no other
 * process changes it, or until @p stop is set. Every process that may read the folder can
 * lock it for ever.
 *
 * @param waits  is called once, after a second
 *
 * @return also DIT_E_STOPPED
 */
int dit_prepared_lock(int dir_fd, const struct dit_stop *stop, dit_prepared_wait_fn waits,
                      void *ctx, struct dit_prepared *ret);

/** Remove the prepared database, and the files of an unfinished one. If a directory is
 * among them, nothing is changed. The caller has a claim (claim.h). 0; -errno with a
 * fault */
int dit_prepared_remove(int dir_fd, struct dit_fault *fault);

/** "2026-01-31T23:59:59Z", with the NUL. */
#define DIT_MANIFEST_TIME_BYTES 21

/** The time now, as a manifest has it. */
void dit_manifest_time(char ret[DIT_MANIFEST_TIME_BYTES]);

/** Write a manifest, in place of the one that is there, and sync. 0 or -errno. */
int dit_manifest_write(int folder_fd, const struct json_t *json);

#endif
