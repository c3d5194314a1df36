/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A small database with some bytes changed, made again from memory for each input of a
 * fuzz target.
 *
 *   changed_database_init(&db, DIT_OPENLDAP_2_6);           once; removed at exit
 *   changed_database_restore(&db);                          for each input
 *   changed_database_change(&db, data, nchanges, CHANGED_RECORDS);
 *
 * A list of changes has CHANGE_BYTES bytes each: database, record, place in the value (2
 * bytes), byte. A byte of 0 removes the record. liblmdb makes the changes, so that the
 * structure stays sound. With the highest bit of the first byte set a byte of the file is
 * changed instead, at the place that the next three bytes name.
 *
 * Whatever goes wrong here aborts.
 */
#ifndef DITKIT_CHANGED_DATABASE_H
#define DITKIT_CHANGED_DATABASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "load/load_fixture.h"

#define CHANGE_BYTES 5u

enum changed_parts {
	CHANGED_RECORDS = 1, /* only of LMDB 0.9 */
	CHANGED_FILE = 2,
};

struct changed_database {
	struct load_fixture fixture;
	char file[4300]; /* data.mdb */
	char *whole;     /* its bytes without changes */
	size_t len;
};

/** Load a few people. */
void changed_database_init(struct changed_database *db,
                           enum dit_openldap_version openldap);

/** @param extra  lines for the database section */
void changed_database_init_with(struct changed_database *db,
                                enum dit_openldap_version openldap, const char *extra);

/** The file without changes, alone in its directory. */
void changed_database_restore(struct changed_database *db);

/** @param parts  enum changed_parts; changes of other parts are passed over */
void changed_database_change(struct changed_database *db, const uint8_t *data,
                             size_t nchanges, unsigned parts);

/** Do the file's bytes begin with these, but for pages that are free? */
bool changed_database_is(const struct changed_database *db, const char *bytes,
                         size_t len);
/** The file's bytes; to be freed. */
char *changed_database_bytes(const struct changed_database *db, size_t *ret_len);

/** Any file's bytes; to be freed. */
char *fuzz_read_file(const char *path, size_t *ret_len);

/** Abort unless that holds. */
void fuzz_require(bool is_right);

#endif
