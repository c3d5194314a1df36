/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * slapd's configuration as far as it matters to stored data (config.md).
 *
 *   dit_settings_read();  dit_settings_choose();  use;  dit_settings_free()
 *
 * It comes from a slapd.conf or from a cn=config tree; both fill the same settings.
 *
 * Directives that cannot matter are skipped in silence; what could matter and is not
 * understood, or not built yet, is an error with file and line, in slapd's words where
 * it has them.
 *
 * Threads: one thread reads; afterwards all is constant (the schema has own rules).
 */
#ifndef DITKIT_SETTINGS_H
#define DITKIT_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/report.h"
#include "schema/schema.h"

#define DIT_INDEX_PRES   0x1u
#define DIT_INDEX_EQ     0x2u
#define DIT_INDEX_APPROX 0x4u
#define DIT_INDEX_SUB    0x8u

/** One index definition: "index cn pres,eq". */
struct dit_index_spec {
	const struct dit_ad *ad; /* type, or type with options */
	unsigned kinds;          /* DIT_INDEX_... */
};

/** One attribute of "multival cn 100,50" (config.md 3.6). */
struct dit_multival_spec {
	const struct dit_ad *ad; /* of exactly this description, not of others below it */
	uint32_t hi;             /* more values than this are stored apart */
	uint32_t lo;             /* at most hi */
};

#define DIT_MULTIVAL_NONE UINT32_MAX /* hi: all values stay in the entry */

/** Parameters of key generation (config.md 3.1). */
struct dit_index_params {
	unsigned substr_if_minlen; /* 2 */
	unsigned substr_if_maxlen; /* 4 */
	unsigned substr_any_len;   /* 4 */
	unsigned intlen;           /* 4; 4..255 */
	bool hash64;
};

struct dit_database {
	int number;       /* as -n counts: 0 is the config database */
	const char *type; /* "mdb", "ldap", ... */
	bool has_suffix;
	struct dit_span suffix; /* pretty */
	struct dit_span suffix_norm;
	struct dit_span rootdn; /* pretty; empty: none */
	struct dit_span rootdn_norm;
	bool lastmod; /* default true */
	bool is_hidden;
	bool is_disabled;
	bool is_subordinate;
	bool has_dds;           /* "overlay dds" */
	bool sync_use_subentry; /* contextCSN is kept in cn=ldapsync */
	const char *directory;
	uint64_t maxsize_bytes;      /* default 10485760 */
	mode_t mode;                 /* default 0600 */
	unsigned maxreaders;         /* 0: LMDB's default */
	uint64_t maxentrysize_bytes; /* 0: none */
	struct dit_index_spec *indexes;
	size_t nindexes;
	struct dit_multival_spec *multivals; /* each description once */
	size_t nmultivals;
	uint32_t multival_hi; /* of all other descriptions; default DIT_MULTIVAL_NONE */
	uint32_t multival_lo;
	const char *file; /* where "database" stands, or the tree; NULL for number 0 */
	unsigned long line;
};

struct dit_settings {
	struct dit_schema *schema; /* sealed; owned */
	struct dit_index_params index;
	const struct dit_attr_type **sortvals; /* each once, with all its options */
	size_t nsortvals;
	unsigned idlexp;                /* 16..30, default 16 */
	unsigned tool_threads;          /* 0: not configured */
	struct dit_database *databases; /* in order of definition, config first */
	size_t ndatabases;
	void *memory; /* private */
};

/** Where the configuration is; nothing is owned. */
struct dit_settings_source {
	const char *file;         /* -f; NULL: not given */
	const char *dir;          /* -F; NULL: not given */
	const char *default_file; /* NULL: the one of configure */
	const char *default_dir;  /* likewise */
};

/** A slapd.conf and nothing else. */
#define DIT_SETTINGS_FILE(path)                                                          \
 (&(struct dit_settings_source){                                                         \
	 .file = (path),                                                                 \
 })

/**
 * Read the configuration (config.md 6.1): the tree in @p source->dir, the file, or,
 * without both, the default tree if there is one and else the default file. With both the
 * file is read, and the tree has to be empty.
 *
 * @param report  gets one diagnostic per problem, then "bad configuration file!" or "bad
 *                configuration directory!" as an error
 *
 * @return 0; DIT_E_CONFIG; -ENOMEM
 */
int dit_settings_read(struct dit_settings **ret, const struct dit_settings_source *source,
                      dit_report_fn report, void *ctx);
void dit_settings_free(struct dit_settings *settings);

/** Which database a load is for (config.md 5). */
struct dit_settings_choice {
	int number;         /* -n; -1: not given */
	const char *suffix; /* -b; NULL: not given. Not both (the caller's usage error) */
};

/**
 * @return 0; DIT_E_CONFIG after a report in slapadd's words. @p ret points into @p
 * settings
 */
int dit_settings_choose(const struct dit_settings *settings,
                        const struct dit_settings_choice *choice, dit_report_fn report,
                        void *ctx, const struct dit_database **ret);

/**
 * The database that slapd would select for an entry: the first, in order of definition,
 * whose suffix is the DN or above it and that is neither hidden nor disabled; NULL: none.
 */
const struct dit_database *dit_settings_select(const struct dit_settings *settings,
                                               struct dit_span norm_dn);

/** The same, but subordinate databases do not count: the superior has their entries. */
const struct dit_database *dit_settings_select_superior(
	const struct dit_settings *settings, struct dit_span norm_dn);

/**
 * The database that a subordinate one is glued to: the first after it, in order of
 * definition, that is not subordinate itself and whose suffix is above. Hidden and
 * disabled ones count. NULL: none, which slapd takes for an error.
 */
const struct dit_database *dit_settings_superior(const struct dit_settings *settings,
                                                 const struct dit_database *subordinate);

#endif
