/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A page as data: its head, key figures, and sections, each of which shows objects of the
 * JSON as rows of a table or of a list. A section without rows is left out.
 *
 *   report_page_begin();  report_page_cards()
 *   report_page_sections()
 *   report_page_end()
 *
 * Rows are printed by patterns (patterns.h).
 */
#ifndef DITKIT_CLI_REPORT_PAGE_H
#define DITKIT_CLI_REPORT_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "patterns.h"

struct report_column {
	const char *title; /* NULL: no further column */
	const char *pattern;
	const char *class; /* "chart", "chart broad", "path"; NULL: none */
};

#define REPORT_COLUMNS 11

struct report_table {
	const char *class; /* "rows": rows become blocks on a narrow screen; "" */
	const char *mark;  /* pattern of an attribute of each row, from a space on; "" */
	struct report_column columns[REPORT_COLUMNS];
};

struct report_section {
	const char *id;
	const char *title;
	const char *note;                    /* NULL: none */
	const char *array;                   /* rows are those of the JSON; or */
	json_t *(*rows)(const json_t *json); /* owned. NULL, []: no section */
	void (*body)(const struct filler *page, const json_t *rows); /* NULL: none */
	const struct report_table *table; /* after the body; NULL: none */
	const char *list;                 /* a list of class "refusals"; its pattern */
};

/**
 * Up to the end of the head. Returns what patterns of the page are filled with.
 *
 * @param array  of the JSON; each of its rows is shown below the title by @p paths
 */
struct filler report_page_begin(FILE *out, const json_t *json, const char *title,
                                const char *array, const char *paths);
void report_page_end(FILE *out);

/** One of the key figures. */
struct report_card {
	const char *id;
	const char *title;
	uint64_t value;
	bool is_bytes;
	bool is_bad; /* shown as such */
};
void report_page_cards(FILE *out, const struct report_card *cards, size_t n);

void report_page_sections(const struct filler *page,
                          const struct report_section *sections, size_t n);

/* For bodies. */
void report_page_table(struct filler page, const struct report_table *table,
                       const json_t *rows);

/** Rows of a section that is always there: the JSON itself. */
json_t *report_page_always(const json_t *json);

/*
 * Charts are boxes of percents: as wide as their place, on a phone as in print.
 * Their colours are classes of the style sheet.
 */

/** One part of a bar. @param width  pattern of its percents */
#define REPORT_PART(colour, title, width)                                                \
 "<i class=\"" colour "\" title=\"" title "\" style=\"width:" width "%\"></i>"
/** Parts of a bar, one after the other. @param title  for those who do not see them */
#define REPORT_BAR(title, parts)                                                         \
 "<div class=\"bar\" role=\"img\" aria-label=\"" title "\">" parts "</div>"
/** A bar as long as the figure next to that of the other rows. */
#define REPORT_SIZE(figure)                                                              \
 REPORT_BAR("size, next to the largest one",                                             \
	    REPORT_PART("indexes", "size", "{" figure "}"))
/** The lengths of the lists of an index. */
#define REPORT_LISTS                                                                     \
 "<div class=\"columns\" role=\"img\" aria-label=\"lengths of lists, from one ID to "    \
 "many\">{list_lengths:lengths}</div>"
/** The meaning of a colour, an element of <ul class="key">. */
#define REPORT_KEY(colour, text) "<li><i class=\"swatch " colour "\"></i>" text "</li>\n"

/** How many entries the keys of indexes lead to. @param indexes  taken */
json_t *report_page_lengths(json_t *indexes);
extern const struct report_table report_lengths_table;
#define REPORT_LENGTHS_NOTE "How many entries a key leads to, over all indexes."

#endif
