/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * slapd's configuration as far as it matters to stored data (config.md).
 *
 *   dit_settings_read();  dit_settings_choose();  use;  dit_settings_free()
 *
 * The source is a slapd.conf or a cn=config tree; both fill the same settings.
 *
 * Directives that cannot change the stored data are skipped. A directive that could, and
 * that this room does not know or does not support, is an error with file and line, in
 * slapd's words if slapd has a message for it.
 *
 * Threads: one thread reads. Afterwards the settings are constant; schema.h has the rules
 * of the schema.
 */
#ifndef DITKIT_SETTINGS_H
#define DITKIT_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/openldap.h"
#include "base/report.h"
#include "base/words.h"
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

/** Does slapd take an index of it? Not of entryDN, which it computes, or of ";binary". */
bool dit_conf_can_index(const struct dit_ad *ad);

/** One attribute of "multival cn 100,50" (config.md 3.6). */
struct dit_multival_spec {
	const struct dit_ad
		*ad; /* this description alone, none that is derived from it */
	uint32_t hi; /* more values than this are stored apart; NONE: that of the rules */
	uint32_t lo; /* at most hi */
};

#define DIT_MULTIVAL_NONE UINT32_MAX /* no threshold */

/** Parameters of key generation (config.md 3.1). */
struct dit_index_params {
	unsigned substr_if_minlen; /* 2 */
	unsigned substr_if_maxlen; /* 4 */
	unsigned substr_any_len;   /* 4 */
	unsigned intlen;           /* 4; an index set keeps it to 4..255 */
	bool hash64;               /* default of OpenLDAP 2.7: true */
};

/** Where the values of an entry are stored apart ("multival", config.md 3.6). */
struct dit_multival_rules {
	struct dit_multival_spec *specs; /* each description once */
	size_t nspecs;
	size_t specs_size; /* private: for how many there is room */
	uint32_t hi; /* of all other descriptions; default DIT_MULTIVAL_NONE: all values
	                stay in the entry */
	uint32_t lo;
};

/** The data file of a database, and its environment. */
struct dit_data_settings {
	const char *directory;
	uint64_t maxsize_bytes; /* default 10485760 */
	mode_t mode;            /* default 0600 */
	unsigned maxreaders;    /* 0: LMDB's default */
	unsigned page_bytes;    /* of a new data file; 0: the system's. As configured: no
	                         * power of two perhaps */
	bool is_unsynced;       /* slapd's changes are on the disk some time later */
	const char *
		crypto_module; /* that encrypts the pages or gives them checksums; NULL */
	char *passphrase; /* for it; owned, secret memory (system/secret.h); NULL: none */
};

/** A line of an overlay's own directives. */
struct dit_overlay_line {
	const struct dit_overlay_line *next; /* configured before it; NULL: none */
	const char *keyword;                 /* of slapd.conf */
	bool is_attribute;                   /* it is a value in cn=config */
	const char *args[];                  /* NULL after the last */
};

/** An overlay of a database, or of the front end. */
struct dit_overlay {
	const struct dit_overlay *next; /* configured before it; NULL: none */
	const char *name;               /* NULL: of an unknown module */
	/* The last one is the first; of dynlist, memberof, refint and unique alone */
	const struct dit_overlay_line *lines;
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
	bool sync_use_subentry; /* contextCSN is kept in cn=ldapsync */
	/* A copy of one provider's database: syncrepl or updatedn, without multiprovider
	 * (config.md 3.3) */
	bool is_single_shadow;
	struct dit_data_settings data;
	uint64_t maxentrysize_bytes; /* 0: none */
	struct dit_index_spec *indexes;
	size_t nindexes;
	size_t indexes_size; /* private: for how many there is room */
	struct dit_multival_rules multival;
	struct dit_overlay *overlays; /* the last one is the first; NULL: none */
	/* private: normal forms of suffixes after the first, of another type than mdb */
	const struct dit_word *more_suffixes;
	const char *file; /* file with the "database" line, or the tree; NULL: number 0 */
	unsigned long line;
	bool is_shadow;         /* private: syncrepl or updatedn was read */
	bool is_multi_provider; /* private: multiprovider is on */
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
	/* CLOCK_REALTIME: when the files were read, and the latest change of one */
	uint64_t read_us;
	uint64_t changed_us;
	bool is_frontend_subordinate;          /* "subordinate" outside a database */
	struct dit_overlay *frontend_overlays; /* of all databases; as those of one */
	/* private */
	size_t sortvals_size; /* for how many there is room */
	size_t databases_size;
	struct dit_arena arena; /* all strings */
};

/** The overlay of that name that was configured last; NULL: there is none. */
struct dit_overlay *dit_settings_overlay(struct dit_overlay *list, const char *name);

/** The longest list of IDs; a longer one is stored as a range. */
static inline uint32_t dit_settings_list_max(const struct dit_settings *settings)
{
	return ((uint32_t)1 << settings->idlexp) - 1;
}

/** The place of the configuration. All pointers are borrowed. */
struct dit_settings_source {
	const char *file;         /* -f; NULL: not given */
	const char *dir;          /* -F; NULL: not given */
	const char *default_file; /* NULL: the file that was built in */
	const char *default_dir;  /* NULL: the tree that was built in */
	/* whose words, directives and schema; DIT_OPENLDAP_FOUND: 2.6 */
	enum dit_openldap_version openldap;
	const char *built_in; /* into slapd, as in struct dit_slapd; NULL: not known */
	bool all_modules;     /* the schema has what modules bring that are not loaded */
};

/** A slapd.conf and nothing else. */
#define DIT_SETTINGS_FILE(path)                                                          \
 (&(struct dit_settings_source){                                                         \
	 .file = (path),                                                                 \
 })

/**
 * Read the configuration (config.md 6.1).
 *
 *   file and dir   the file is read; dir has to be empty
 *   file           the file is read
 *   dir            the tree is read
 *   neither        the default tree is read if it exists, else the default file
 *
 * @param report  gets one diagnostic for each problem, then "bad configuration file!" or
 *                "bad configuration directory!" as an error
 *
 * @return 0; DIT_E_CONFIG; -ENOMEM
 */
int dit_settings_read(struct dit_settings **ret, const struct dit_settings_source *source,
                      dit_report_fn report, void *ctx);
void dit_settings_free(struct dit_settings *settings);

/** Which database a tool works on (config.md 5). */
struct dit_settings_choice {
	int number;         /* -n; -1: not given */
	const char *suffix; /* -b; NULL: not given. Not both (the caller's usage error) */
	const char *tool;   /* slapd's, for its words; NULL: slapadd */
	bool takes_config;  /* the configuration itself as well, which is no mdb */
};

/**
 * @return 0; DIT_E_CONFIG after a report in slapd's words. @p ret points into @p
 * settings
 */
int dit_settings_choose(const struct dit_settings *settings,
                        const struct dit_settings_choice *choice, dit_report_fn report,
                        void *ctx, const struct dit_database **ret);

/**
 * The database that slapd selects for an entry: the first one, in order of definition,
 * that is neither hidden nor disabled and whose suffix is the DN or above it. NULL: none.
 *
 * @param is_glued  pass subordinate databases over
 */
const struct dit_database *dit_settings_select(const struct dit_settings *settings,
                                               struct dit_span norm_dn, bool is_glued);

/**
 * The superior of a subordinate database: the first database defined after it that is not
 * subordinate and whose suffix is above. It may be hidden or disabled. NULL: there is
 * none; slapd then refuses the configuration.
 */
const struct dit_database *dit_settings_superior(const struct dit_settings *settings,
                                                 const struct dit_database *subordinate);

/* ---- slapd_version.c ---- */

/*
 * The slapd that is installed: its release, and what is built into it. "slapd -VVV" says
 * both. Any thread; the caller waits for slapd to end.
 */

/** The answer of a slapd. */
struct dit_slapd {
	bool is_found; /* it is there and told its release */
	/* its release; the oldest one known for an older slapd, the newest one known for
	 * a newer slapd; DIT_OPENLDAP_ASSUMED without a slapd */
	enum dit_openldap_version version;
	unsigned patch; /* the 10 of 2.6.10; 0: not known, or not of that release */
	/* overlays, and back ends as "back_mdb", each after a space: " ppolicy back_mdb";
	 * empty where only the back ends are built in that each slapd has */
	char built_in[1024];
};

/**
 * Run a slapd.
 *
 * @param slapd  absolute path; run without a shell, argument "-VVV"
 *
 * @return 0, also without a slapd; -EAGAIN, -ENOMEM and other -errno: no process can be
 *         started now, so it is as none
 */
int dit_slapd_look(const char *slapd, struct dit_slapd *ret);

#endif
