/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of randdit (randdit.c) and of randchanges (randchanges.c): random numbers,
 * text that grows, attributes, values, lines of LDIF, and trees of names that are
 * spelled in another way each time they are written.
 *
 * Single-threaded; every allocation that fails ends the program.
 */
#ifndef TESTS_ORACLE_RANDOM_H
#define TESTS_ORACLE_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- random numbers: SplitMix64; the same everywhere for the same seed ---- */

struct rng {
	uint64_t state;
};

uint64_t rng_next(struct rng *rng);
/* 0 .. n-1; n > 0 */
unsigned rng_below(struct rng *rng, unsigned n);
bool rng_chance(struct rng *rng, unsigned percent);
/* Streams of one seed that do not disturb each other. */
struct rng rng_stream(uint64_t seed, uint64_t number);

/* ---- bytes that grow ---- */

struct text {
	char *data; /* never NULL after the first byte; not terminated */
	size_t len;
	size_t size;
};

void text_clear(struct text *text);
void text_byte(struct text *text, char byte);
void text_bytes(struct text *text, const char *data, size_t len);
void text_string(struct text *text, const char *string);
void text_free(struct text *text);

/* ---- attributes ---- */

/* The look of values, and which index types the equality and substring rules allow. */
enum kind {
	KIND_DIRECTORY, /* UTF-8, case ignored */
	KIND_EXACT,
	KIND_IA5,
	KIND_IA5_EXACT,
	KIND_INTEGER,
	KIND_NUMERIC,
	KIND_PHONE,
	KIND_LIST,
	KIND_DN,
	KIND_NAME_UID,
	KIND_OCTETS,
	KIND_BLOB, /* no equality rule */
	KIND_TIME,
	KIND_CSN,
	KIND_UUID,
	KIND_BOOLEAN,
	KIND_BITS,
	KIND_OID,
	KIND_COUNTRY,
};

struct attribute {
	const char *names[3]; /* canonical first; the rest other spellings or NULL */
	enum kind kind;
	bool is_single;
	bool has_sub;
	bool can_name; /* used in RDNs */
};

#define OWN_MAX 8

/* The attributes of a run: those of the schema files and of the run's own. */
struct attributes {
	struct attribute list[96];
	unsigned n;
	unsigned nown; /* the last ones; defined in the configuration */
	char own_names[OWN_MAX][2][40];
};

void attributes_init(struct attributes *attributes, struct rng *rng);
/* Definitions of the own ones, and a class oAux that allows them all. */
void attributes_define(const struct attributes *attributes, struct text *out);
/* "eq,sub": something the attribute's rules allow; at least one word */
void attribute_index_types(const struct attribute *attribute, struct rng *rng,
                           struct text *out);
/* One of its names, cases mixed. */
void attribute_spell(const struct attribute *attribute, struct rng *rng,
                     struct text *out);

/* ---- trees ---- */

struct ava {
	const struct attribute *attribute;
	struct text value;
};

struct node {
	unsigned parent; /* its number; of the suffix: NO_PARENT */
	unsigned navas;
	struct ava avas[3];
};

#define NO_PARENT UINT32_MAX

struct tree {
	struct node *nodes;
	unsigned n;
	unsigned size;
	const char *suffix; /* canonical spelling; "" is the whole tree */
};

/* A new node below another (NO_PARENT: below the suffix). Its number. */
unsigned tree_grow(struct tree *tree, const struct attributes *attributes,
                   unsigned parent, struct rng *rng);
/* The DN in one of many spellings; calm: the plainest. NO_PARENT: the suffix. */
void tree_spell(const struct tree *tree, unsigned node, bool is_calm, struct rng *rng,
                struct text *out);
void tree_free(struct tree *tree);

/* ---- values ---- */

/* A value of the kind: mostly valid, sometimes not; repeats itself often enough. */
void value_make(enum kind kind, const struct tree *tree, struct rng *rng,
                struct text *out);
/* The same, and hardly ever one that is not of the kind. */
void value_of_kind(enum kind kind, const struct tree *tree, struct rng *rng,
                   struct text *out);
/* A value that its kind's rules accept in an RDN. */
void value_for_name(enum kind kind, struct rng *rng, struct text *out);

/* ---- LDIF ---- */

/* "name: value", plain or in base64, folded or not. */
void ldif_pair(const char *line_end, const struct text *name, const struct text *value,
               struct rng *rng, struct text *out);
void ldif_string_pair(const char *line_end, const char *name, const char *value,
                      struct rng *rng, struct text *out);

#endif
