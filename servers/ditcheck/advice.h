/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Advice to administrators, made of what a check has found (`ditcheck --stats --json`,
 * doc/stats.md): which indexes cost more than they help, which ones are missing, what
 * runs out.
 *
 * Each piece says what one rule has seen, of all indexes, with figures, why that matters,
 * and the steps that change it. A rule is silent where its figures are missing or too
 * small to judge by. Advice for faster searches comes first, then that for less room.
 * ditcheck(8) lists the rules; advice_rules.tsv has them.
 *
 * Threads: belongs to one thread.
 */
#ifndef DITCHECK_ADVICE_H
#define DITCHECK_ADVICE_H

#include <stdbool.h>
#include <stdint.h>

struct json_t; /* jansson.h */

/**
 * {"advice": [], "advised": []}: for each piece
 *
 *   {"kind", "file", "indexes": [], "title", "seen", "figures": {}, "why", "steps": []}
 *
 * and the configuration of each file when all of its advice is followed, if that changes:
 *
 *   {"file", "lines": [], "command"}
 *
 * @param check    {"files", "databases", "configuration"}
 * @param options  of the configuration, for commands: "", " -f my.conf"
 *
 * @return owned; NULL: no memory
 */
struct json_t *advice_make(const struct json_t *check, const char *options);

/* ---- the facts that rules look at, and the rules: gen_advice.awk makes them ---- */

/** Kinds of an index, in the order of slapd.conf(5). */
enum advice_kinds {
	PRES = 1,
	EQ = 2,
	APPROX = 4,
	SUB = 8,
	ALL = 15,
};
#define ADVICE_NKINDS 4
extern const char *const advice_kind_names[ADVICE_NKINDS];

enum advice_of {
	OF_FILE,   /* the whole file */
	OF_CLASS,  /* objectClass, whether it is indexed or not */
	OF_SEARCH, /* an attribute that searches asked for without an index */
	OF_INDEX,  /* a configured index, stored or not */
	OF_STORED, /* an index that is stored and not configured */
};

struct advice_facts {
	enum advice_of of;
	const char *name; /* of the attribute; "" of the file */
	unsigned kinds;   /* enum advice_kinds: that are configured */
	unsigned unused;  /* of these: enough searches could have looked them up */
	unsigned wanted;  /* that searches asked for */
	bool numeric;     /* by its syntax */
	bool own;         /* slapd itself looks it up, and no log shows that */
	bool presence_range;
	uint64_t present;  /* entries with the attribute */
	uint64_t values;   /* in the sampled entries */
	uint64_t digits;   /* of these: nothing else */
	uint64_t searches; /* that asked for the attribute */
	uint64_t keys;
	uint64_t ranges;
	uint64_t bytes;

	/* Facts about the file. */
	bool configured; /* its configuration was read */
	uint64_t entries;
	uint64_t sampled;
	uint64_t counted; /* searches of the log */
	uint64_t pages;
	uint64_t pages_free;
	uint64_t free_bytes;
	uint64_t used_bytes;
	uint64_t entry_bytes;
	uint64_t maxsize_bytes; /* 0: not known */
	uint64_t raised_bytes;  /* a larger maxsize */
	uint64_t more;          /* entries that there is room for */
};

/** Texts are patterns (patterns.h) with the names of facts, but for title, why, also. */
struct advice_rule {
	const char *kind;
	bool is_urgent; /* comes before what is ranked by the bytes that it saves */
	enum advice_of of;
	bool (*when)(const struct advice_facts *f);
	unsigned (*then)(const struct advice_facts *f); /* the kinds; NULL: as they are */
	const char *title;
	const char *each;    /* of each that it is true of; "" */
	const char *between; /* two of these */
	const char *all;     /* after them, with the sums of bytes and searches; "" */
	const char
		*figures; /* "field", or "figure=field", with a blank between two; "" */
	const char *why;
	const char *steps; /* "one|another", before the configuration is changed; "" */
	const char *also;  /* another way; "" */
};

/** Ends with a kind of NULL. */
extern const struct advice_rule advice_rules[];

#endif
