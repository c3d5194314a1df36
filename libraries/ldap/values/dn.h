/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Distinguished names: parse, pretty form, normal form (RFC 4514, values.md 5).
 *
 * One pass over the text gives both forms and the offset of each RDN in them. The string
 * from the offset of RDN i on is the DN of that RDN and everything above it:
 *
 *     norm    "uid=jdoe,ou=people,dc=example,dc=com"
 *     norm_at  0        9         19         30        (nrdns = 4)
 *
 * So the normal form of the parent begins at norm_at[1].
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

#define DIT_DN_CACHE_SLOTS 256

/*
 * Parent DNs that a thread has met: of a DN below one only the first RDN is parsed. Each
 * thread has one of its own for dit_dn_parse(), and one for dit_dn_normalize(). Zero is
 * empty; dit_dn_cache_deinit() frees the memory.
 */
struct dit_dn_cache {
	struct dit_arena arena;
	size_t nbytes; /* of texts that were copied to the arena */
	struct dit_dn_cache_slot {
		struct dit_span text;   /* of the parent, as written; data NULL: empty */
		struct dit_dn parent;   /* its normal form alone, of dit_dn_normalize() */
	} slots[DIT_DN_CACHE_SLOTS];    /* by a hash of the text */
	struct dit_dn_cache_slot *last; /* that was found; NULL: none */
	const struct dit_attr_type *last_type; /* of the latest RDN; NULL: none */
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

/**
 * The normal form of a value that is a DN, as dit_value_normalize() makes it.
 *
 * @param cache  of the calling thread
 * @param ret    in the arena, or the text itself
 */
int dit_dn_normalize(const struct dit_schema *schema, struct dit_span text,
                     struct dit_arena *arena, struct dit_dn_cache *cache,
                     struct dit_span *ret);

/** True if normal form @p dn is @p suffix or below it. */
bool dit_dn_is_below(struct dit_span dn, struct dit_span suffix);

/** All of @p dn, as written or in normal form, but its first RDN; points into it. */
struct dit_span dit_dn_parent(struct dit_span dn);
/** How many RDNs such a DN has. */
unsigned dit_dn_depth(struct dit_span dn);
/** The first RDN of such a DN; points into it. */
struct dit_span dit_dn_first_rdn(struct dit_span dn);

/**
 * Split a name and optional UID (uniqueMember): "cn=a,dc=x" or "cn=a,dc=x#'0101'B"
 * (values.md 4.10). The text after the last '#' is a UID only if it is a bit string;
 * "cn=a#b" is a DN.
 *
 * @param ret_uid  with its '#'; empty if there is none
 */
void dit_name_uid_split(struct dit_span text, struct dit_span *ret_dn,
                        struct dit_span *ret_uid);

#endif
