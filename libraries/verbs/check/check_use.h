/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How the indexes of one database are used: what is configured, which of them searches
 * look up, and what searches ask for without an answer.
 *
 *   dit_check_use_new()            of each database
 *   dit_check_searches_read()      gives all of them the searches
 *   dit_check_use_sample()         reads some entries
 *   dit_check_use_tell();  dit_check_use_free()
 *
 * The look-ups of slapd for a filter (mdb_index_param(), filter candidates):
 *
 *   (cn=a) (cn>=a) (cn<=a)    eq
 *   (cn~=a)                   approx, if the type has such a rule; else eq
 *   (cn=a*)                   sub
 *   (cn=*)                    pres; of objectClass nothing
 *   (&...)                    all children; one answer suffices
 *   (|...)                    all children; each has to have an answer
 *   (!...)                    nothing: every entry is a candidate
 *
 * The index is that of the description; else of its type, if there are options; else of
 * the nearest supertype.
 *
 * An index of objectClass answers, but with nearly every entry: it counts as an answer
 * only where nothing else was asked.
 *
 * A search reaches the database that holds its base, and those whose suffix is below.
 * Unreadable lines are counted, and no error: logs are cut, and hold what anybody has
 * sent to slapd.
 *
 * Threads: belongs to one thread.
 */
#ifndef DITKIT_CHECK_USE_H
#define DITKIT_CHECK_USE_H

#include "base/stop.h"
#include "check/check_sizes.h"
#include "codec/entry_view.h"
#include "config/settings.h"
#include "reader/snapshot.h"

/** How many entries a sample has at most. */
#define DIT_CHECK_SAMPLE 10000

struct dit_check_use;

/** @param settings  borrowed, as is @p db  @return 0; -ENOMEM */
int dit_check_use_new(struct dit_check_use **ret, const struct dit_settings *settings,
                      const struct dit_database *db);
/** NULL is fine. */
void dit_check_use_free(struct dit_check_use *use);

/**
 * Give all searches of the caller to the uses of @p n databases.
 *
 * @param opts  their callback `searches`, and `stop`
 *
 * @return 0; DIT_E_STOPPED; -ENOMEM; an error of the callback
 */
int dit_check_searches_read(const struct dit_check_opts *opts,
                            const struct dit_settings *settings,
                            struct dit_check_use **uses, size_t n);

/**
 * Read the first entries of a snapshot, once: kinds of values, and what the keys of the
 * longest lists stand for.
 *
 * @param sizes  get these values
 *
 * @return 0; as dit_entry_scan_run()
 */
int dit_check_use_sample(struct dit_check_use *use, struct dit_check_sizes *sizes,
                         struct dit_snapshot *snapshot, const struct dit_stop *stop);

/** @return 0; -ENOMEM */
int dit_check_use_tell(struct dit_check_use *use, const char *file,
                       dit_check_config_fn fn, void *ctx);

/* ---- check_values.c: what the keys of the longest lists stand for ---- */

/*
 * A key is a hash mostly, so values of entries are tried until they give it.
 *
 *   dit_check_values_new()
 *   dit_check_values_try() ...     for each attribute of some entries
 *   dit_check_values_free()
 */

struct dit_check_values;

/**
 * @param sizes     borrowed; gets the values
 * @param snapshot  tells in which format keys are stored
 * @return 0; -ENOMEM; DIT_E_... of the indexes
 */
int dit_check_values_new(struct dit_check_values **ret, struct dit_check_sizes *sizes,
                         struct dit_snapshot *snapshot,
                         const struct dit_settings *settings,
                         const struct dit_database *db);
/** NULL is fine. */
void dit_check_values_free(struct dit_check_values *values);

/** Do attributes of this description have keys? A dit_ad_wanted_fn; ctx: the object. */
int dit_check_values_want(void *ctx, const struct dit_ad *ad);

/** @return 0; -ENOMEM */
int dit_check_values_try(struct dit_check_values *values,
                         const struct dit_attr_view *attr);

#endif
