/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Distinguished names: parse, pretty form, normal form (RFC 4514, values.md 5).
 *
 * One pass over the text gives both forms and where each RDN begins in them. The forms
 * of RDN i and everything above it are the tail of the string from its offset on:
 *
 *     norm    "uid=jdoe,ou=people,dc=example,dc=com"
 *     norm_at  0        9         19         30        (nrdns = 4)
 *
 * so the parent's normal form is the tail from norm_at[1] on.
 *
 * Threads: no state. Results live in the caller's arena.
 */
#ifndef DITKIT_DN_H
#define DITKIT_DN_H

#include "base/arena.h"
#include "schema/schema.h"

#define DIT_DN_MAX 8192 /* longest DN text accepted, bytes */

/** One attribute value assertion of the first RDN, values without DN escapes. */
struct dit_ava {
	const struct dit_attr_type *type;
	struct dit_span value; /* pretty */
	struct dit_span norm;  /* normal; equal to value if the rule has no normaliser */
};

struct dit_dn {
	struct dit_span pretty;
	struct dit_span norm;
	unsigned nrdns;
	const uint32_t *pretty_at;  /* nrdns offsets into pretty, ascending */
	const uint32_t *norm_at;    /* nrdns offsets into norm */
	const struct dit_ava *avas; /* of the first RDN, in stored order */
	unsigned navas;
};

/*
 * A per-thread memory of the last parent DN seen, so that a run of siblings parses only
 * its first RDN. Zero is empty. Owned by one thread; holds memory: dit_dn_cache_deinit().
 */
struct dit_dn_cache {
	struct dit_arena arena;
	struct dit_span text; /* of the parent, as written */
	struct dit_dn parent;
	bool is_set;
};

void dit_dn_cache_deinit(struct dit_dn_cache *cache);

/**
 * Parse an entry's DN: pretty form, then normal form of the pretty values.
 *
 * @param text   borrowed; the result never points into it
 * @param cache  of the calling thread, or NULL
 *
 * @return 0; DIT_E_INVALID; DIT_E_UNSUPPORTED; -ENOMEM. An empty text is the root DN
 *         with nrdns 0.
 */
int dit_dn_parse(const struct dit_schema *schema, struct dit_span text,
                 struct dit_arena *arena, struct dit_dn_cache *cache, struct dit_dn *ret);

/** Normal form alone, from the raw values (DN-valued attributes, values.md 5.3). */
int dit_dn_normalize(const struct dit_schema *schema, struct dit_span text,
                     struct dit_arena *arena, struct dit_span *ret);

/** Pretty form alone. */
int dit_dn_pretty(const struct dit_schema *schema, struct dit_span text,
                  struct dit_arena *arena, struct dit_span *ret);

/** Normal form of the first RDN alone (rdnMatch). */
int dit_rdn_normalize(const struct dit_schema *schema, struct dit_span text,
                      struct dit_arena *arena, struct dit_span *ret);

/** Is @p text a DN that slapd's validator accepts? 0 or DIT_E_INVALID. */
int dit_dn_validate(const struct dit_schema *schema, struct dit_span text);

/** True if normal form @p dn is @p suffix or below it. */
bool dit_dn_is_below(struct dit_span dn, struct dit_span suffix);

#endif
