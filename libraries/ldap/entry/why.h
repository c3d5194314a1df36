/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Why a record is refused: a kind, and what it is about. The refusing function sets it
 * next to the notes, which are slapadd's words; a sentence is made of it.
 *
 * Threads: as the notes.
 */
#ifndef DITKIT_WHY_H
#define DITKIT_WHY_H

#include <stddef.h>

#include "base/notes.h"
#include "base/span.h"
#include "entry/refusal_kinds.h" /* made of refusals.tsv */
#include "schema/schema.h"

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
	/* slapd's, of an entry that a check has refused; in the arena, or static */
	const char *text;
};

/** About the DN. @param value  {v}; @param detail  {d} */
static inline struct dit_why dit_why_dn(enum dit_why_kind kind, struct dit_span value,
                                        struct dit_span detail)
{
	return (struct dit_why){
		.kind = kind, .place = DIT_WHY_AT_DN, .value = value, .detail = detail};
}

/** About an attribute. */
static inline struct dit_why dit_why_attr(enum dit_why_kind kind, const struct dit_ad *ad,
                                          const char *detail)
{
	return (struct dit_why){.kind = kind,
	                        .place = DIT_WHY_AT_ATTR,
	                        .ad = ad,
	                        .detail = dit_span_of(detail)};
}

/** About a value of an attribute. */
static inline struct dit_why dit_why_value(enum dit_why_kind kind,
                                           const struct dit_ad *ad, struct dit_span value,
                                           uint32_t number, const char *detail)
{
	struct dit_why why = dit_why_attr(kind, ad, detail);

	why.place = DIT_WHY_AT_VALUE;
	why.value = value;
	why.number = number;
	return why;
}

/** Lines of slapd's log about a refusal of the check. */
enum dit_refusal_note {
	DIT_NOTE_NONE,
	DIT_NOTE_COMMA,        /* Entry (DN), TEXT */
	DIT_NOTE_COLON,        /* Entry (DN): TEXT */
	DIT_NOTE_CHECKED,      /* entry_check_schema(DN): TEXT */
	DIT_NOTE_CHECKED_ONLY, /* likewise, and the refusal itself has lost its text */
};

/** A row of refusals.tsv. Static texts, for dit_why_fill(); NULL: none. */
struct dit_refusal {
	const char *name; /* as in the table of doc/messages.md */
	/* dit_why_tell() adds it to the notes. */
	enum dit_report_kind report;
	const char *line;
	/* The check refuses the entry so: the result code and its text. */
	int code; /* 0: the text stands alone */
	enum dit_refusal_note note;
	const char *text;
	/* Our own sentence. */
	const char *what;   /* is wrong */
	const char *advice; /* what to do */
};

extern const struct dit_refusal dit_refusals[DIT_WHY_NKINDS];

/**
 * Put in what the record is refused for: {a}, {v}, {d} and {n} as above, each up to a
 * NUL.
 *
 * @return a string in the arena; NULL: no memory
 */
char *dit_why_fill(const struct dit_why *why, const char *text, struct dit_arena *arena);

/**
 * Note why the record is refused; the newest reason counts. The texts are borrowed for as
 * long as the arena of the notes. 0; -ENOMEM: nothing is noted
 */
int dit_why_set(struct dit_notes *notes, struct dit_why why);

/** The same, and add the line of the kind. @return DIT_E_INVALID */
int dit_why_tell(struct dit_notes *notes, struct dit_why why);

struct dit_entry_context;

struct dit_explanation {
	size_t line;      /* physical lines of the record before the one that is meant */
	const char *text; /* lives in the arena */
};

/**
 * One sentence of our own about a refused record: what is wrong, what to do, and the line
 * of the record that it is about. slapadd's messages stay as they are; this comes after
 * them.
 *
 * @param record  the text of the record, as dit_entry_read() got it
 *
 * @return 0; -ENOMEM
 */
int dit_explain(const struct dit_entry_context *context, const struct dit_why *why,
                struct dit_span record, struct dit_arena *arena,
                struct dit_explanation *ret);

#endif
