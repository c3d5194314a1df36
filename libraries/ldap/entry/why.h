/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Why a record is refused: a kind, and what it is about. The refusing function sets it
 * next to the notes, which are slapadd's words; entry/explain.h makes a sentence of it.
 *
 * Threads: as the notes.
 */
#ifndef DITKIT_WHY_H
#define DITKIT_WHY_H

#include <stddef.h>

#include "base/notes.h"
#include "base/span.h"
#include "schema/schema.h"

/** doc/messages.md has the table; why.c the texts, in this order. */
enum dit_why_kind {
	DIT_WHY_NONE,

	/* The record and its DN. */
	DIT_WHY_NO_DN,
	DIT_WHY_NOTHING,
	DIT_WHY_DN_INVALID,
	DIT_WHY_DN_TYPE,
	DIT_WHY_DN_NESTED,
	DIT_WHY_DN_TWICE,
	DIT_WHY_DN_EMPTY,
	DIT_WHY_DN_SCOPE,
	DIT_WHY_CHANGE,
	DIT_WHY_CONTROL,

	/* A line. */
	DIT_WHY_NO_COLON,
	DIT_WHY_NUL,
	DIT_WHY_NAME_EMPTY,
	DIT_WHY_NAME_BYTES,
	DIT_WHY_OPTION,
	DIT_WHY_UNDEFINED,
	DIT_WHY_TWO_NAMES,
	DIT_WHY_BINARY,
	DIT_WHY_BASE64,
	DIT_WHY_URL,

	/* A value. */
	DIT_WHY_VALUE,
	DIT_WHY_VALUE_NAME,
	DIT_WHY_VALUE_NESTED,
	DIT_WHY_VALUE_TWICE,
	DIT_WHY_VALUE_RULE,
	DIT_WHY_NO_VALIDATOR,
	DIT_WHY_RANGE_OPTION,
	DIT_WHY_INDEX_KEY,

	/* An attribute in its place. */
	DIT_WHY_UNSUPPORTED,
	DIT_WHY_ROOTDSE,
	DIT_WHY_DYNAMIC,
	DIT_WHY_PLACE,
	DIT_WHY_COLLECTIVE,
	DIT_WHY_SINGLE,
	DIT_WHY_NOT_ALLOWED,

	/* Object classes. */
	DIT_WHY_NO_CLASS,
	DIT_WHY_CLASS_UNDEFINED,
	DIT_WHY_CLASS_CHAIN,
	DIT_WHY_CLASS_NONE,
	DIT_WHY_CLASS_OBSOLETE,
	DIT_WHY_CLASS_ABSTRACT,
	DIT_WHY_CLASS_ROOTDSE,
	DIT_WHY_CLASS_SUBENTRY,
	DIT_WHY_CLASS_DYNAMIC,
	DIT_WHY_CLASS_REQUIRES,
	DIT_WHY_OWN_UNDEFINED,
	DIT_WHY_OWN_KIND,
	DIT_WHY_OWN_OBSOLETE,
	DIT_WHY_OWN_OTHER,
	DIT_WHY_RULE_OBSOLETE,
	DIT_WHY_RULE_REQUIRES,
	DIT_WHY_RULE_PRECLUDES,
	DIT_WHY_RULE_CLASS,

	/* Naming values. */
	DIT_WHY_NAMING_OPERATIONAL,
	DIT_WHY_NAMING_COLLECTIVE,
	DIT_WHY_NAMING_OBSOLETE,
	DIT_WHY_NAMING_RULE,
	DIT_WHY_NAMING_VALUE,

	/* The database. */
	DIT_WHY_EXISTS,
	DIT_WHY_STORED,
	DIT_WHY_RDN_SIZE,
	DIT_WHY_ENTRY_SIZE,
	DIT_WHY_SPLIT_SIZE,
	DIT_WHY_FOREIGN,
	DIT_WHY_NOT_STORABLE,

	DIT_WHY_NKINDS,
};

/** Where in the record. */
enum dit_why_place {
	DIT_WHY_AT_RECORD, /* its first line */
	DIT_WHY_AT_DN,     /* its last dn line */
	DIT_WHY_AT_LINE,   /* the line with this name and value */
	DIT_WHY_AT_VALUE,  /* the attribute's line with this value, the last one */
	DIT_WHY_AT_ATTR,   /* the attribute's last line */
};

struct dit_why {
	enum dit_why_kind kind;
	enum dit_why_place place;
	const struct dit_ad *ad; /* of VALUE and ATTR */
	struct dit_span name;    /* {a} in the texts; empty: the name of ad */
	struct dit_span value;   /* {v}; data NULL: none */
	struct dit_span detail;  /* {d} */
	uint32_t number;         /* {n}: index of the value */
};

/** How a kind is told. Static texts, for dit_why_fill(). */
struct dit_why_text {
	const char *name;   /* as in the table of doc/messages.md */
	const char *what;   /* what is wrong */
	const char *advice; /* what to do */
};

/** @param kind  not NONE */
const struct dit_why_text *dit_why_text(enum dit_why_kind kind);

/**
 * Put in what the record is refused for: {a}, {v}, {d} and {n} as above, each up to a
 * NUL.
 *
 * @return a string in the arena; NULL: no memory
 */
char *dit_why_fill(const struct dit_why *why, const char *text, struct dit_arena *arena);

/**
 * Note why the record is refused; the newest reason counts. The texts are borrowed for as
 * long as the arena of the notes. Without memory nothing is noted.
 */
void dit_why_set(struct dit_notes *notes, struct dit_why why);

#endif
