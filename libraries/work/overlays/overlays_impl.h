/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Three tables of pairs, sorted by a digest: names of entries; names of members, each
 * with its group; values that are to be unique. README.md has an example.
 *
 *   key     64 bits of the digest (XXH3, with a seed that nobody knows)
 *   value   40 bits ID of the entry, or of the group; 16 bits more of the digest; 8 bits:
 *           of members the rule and FLAG_NO_GROUP, of others the flags below
 *
 * A fourth table has entries whose DN is kept: a hash of the ID, and where it is.
 *
 * So a wrong answer takes two digests that agree in 80 bits. Pairs of one key are in the
 * order of IDs.
 *
 *   overlay_tables.c  the tables: made, looked up
 *   overlays.c        entries: taken, asked about
 */
#ifndef DITKIT_OVERLAYS_IMPL_H
#define DITKIT_OVERLAYS_IMPL_H

#include <ldap.h>

#include "base/digest.h"
#include "overlays/overlays.h"
#include "sort/radix.h"

#define ID_MAX        (((uint64_t)1 << 40) - 1)
#define FLAG_NO_GROUP 0x01u /* the entry is no group: addcheck alone sees it */
#define RULE_SHIFT    1

/* For names and values */
#define FLAG_SEEKS 0x01u /* one entry alone may have it: this one asks for others */
#define FLAG_FOUND 0x02u /* others find this one */

#define SYNTAX_NAME_UID "1.3.6.1.4.1.1466.115.121.1.34"

enum overlay_table_kind {
	NAMES,
	MEMBERS,
	VALUES,
	KEPT,
	DOUBTS, /* in order: what slapd can refuse entries for, until that is known */
	NTABLES,
};

/* As a producer fills it, unsorted; then of all producers. Zero is empty. */
struct overlay_table {
	struct dit_pair *list; /* a slab; owned */
	size_t n;
	size_t size;
	/* Where the keys with each value of their highest bits begin: a slab; owned */
	uint32_t *starts;
	size_t nstarts;
	unsigned shift;
};

/* [own: producer; main's when they are at rest] */
struct overlay_producer {
	struct overlay_table tables[NTABLES];
	struct dit_arena kept; /* DNs */
	struct dit_arena scratch;
	/* The answer about an entry. */
	struct dit_overlay_item *items; /* owned */
	size_t nitems;
	size_t items_size;
	uint64_t nlate;
};

struct dit_overlays {
	struct dit_overlays_opts
		opts; /* [const], as what follows, once names are joined */
	uint64_t seed;
	struct dit_sum128 rootdn; /* its digest */
	struct overlay_producer *producers;
	struct overlay_table tables[NTABLES];
	uint64_t *refused; /* in order: a bit for each ID up to the last one; owned */
	size_t nrefused;   /* words */
};

/** Which entries an LDAP URL is about. @param match  points into @p ret @param ret
 * owned. 0; DIT_E_INVALID; -ENOMEM */
int dit_overlay_url_read(const char *text, struct dit_entry_match_opts *match,
                         LDAPURLDesc **ret);

/** 0; -ENOMEM */
int dit_overlay_push(struct overlay_table *table, uint64_t key, uint64_t value);
/** The key of an entry in the table of those that are kept. */
static inline uint64_t dit_overlay_kept_key(uint64_t id)
{
	return id * 0x9e3779b97f4a7c15u;
}
/** The pair of a table with a digest that comes after another one. @param before  NULL:
 * the first one is meant. @return NULL: there is none */
const struct dit_pair *dit_overlay_next(const struct overlay_table *table,
                                        struct dit_sum128 digest,
                                        const struct dit_pair *before);
/** The lowest ID of those with the digest that others find and slapd does not refuse; 0:
 * there is none. For names and values. */
uint64_t dit_overlay_first(const struct dit_overlays *overlays,
                           enum overlay_table_kind kind, struct dit_sum128 digest);
bool dit_overlay_is_refused(const struct dit_overlays *overlays, uint64_t id);
/** The DN of an entry, if it is kept; NULL: it is not. */
const struct dit_dn_text *dit_overlay_kept_find(const struct dit_overlays *overlays,
                                                uint64_t id);
/** That will be looked up soon: a look-up waits for memory. */
void dit_overlay_kept_prefetch(const struct dit_overlays *overlays, uint64_t id);
/**
 * Does slapd not find a member when it adds the group? It finds neither the group itself,
 * nor what comes after it. It does not look for the one who adds.
 */
bool dit_overlay_is_dangling(const struct dit_overlays *overlays, uint64_t group,
                             struct dit_sum128 member);

static inline uint64_t dit_overlay_id(const struct dit_pair *pair)
{
	return pair->value >> 24;
}

/* The rule of memberof that a pair of the table of members is about. */
static inline uint32_t dit_overlay_rule(const struct dit_pair *pair)
{
	return (pair->value & 0xff) >> RULE_SHIFT;
}

#endif
