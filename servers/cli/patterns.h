/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text with fields of JSON objects in braces: what a person sees of the statistics of a
 * run or of a check (doc/stats.md), on a terminal and on a page, comes from the JSON
 * through patterns.
 *
 *   {name}                      a field; text, or a number as it is
 *   {longest.0.postings}        a field inside of it
 *   {/wall_s}                   a field of the whole JSON
 *   {-22 name} {11 keys:count}  in so many columns, of plain text alone; a name that has
 *                               more has a line of its own
 *   [, {bytes:bytes}]           nothing, if the first field in it is missing, 0, false or
 *                               empty; {numeric:if} is such a field and shows nothing
 *   [!{value:if}none]           only then
 *
 * A word after the field says how it is shown:
 *
 *   {keys:count} {bytes:bytes} {wall_s:seconds}   a figure; 0 bytes: "-", with
 *                               {bytes:bytes:0} "0 B"
 *   {wall_s:ms}                 with three digits of a second
 *   {eq:known}                  as count; nothing if there is no such field
 *   {n:plural}                  "s", or nothing for 1
 *   {used:share:bytes} {bytes:each:entries}       in relation to another field
 *   {:number}                   of the row, from 1 on
 *   {name:phase}                a phase in words
 *   {steps:list} {lines:lines} {command:words}    the strings of an array; as lines they
 *                               may stand below each other, {steps:lines:9}
 *   {why:wrap:9}                words in lines that begin at a column, to their end;
 *                               of plain text alone
 *   {wall_s:percent:/wall_s}    in relation to another field, as a bare number
 *   {bytes:bar:postings}        likewise, to the greatest of all rows; where there are no
 *                               bytes, postings count
 *   {rate:greatest:count} {memory:greatest:bytes} the greatest of all rows
 *   {wall_s:part:2}             a part of a time, or all of it
 *   {style:raw}                 markup as it is
 *   {name:escaped}              \xx for each byte that is no printable ASCII
 *   {list_lengths:lengths}      the lengths of its lists, as columns of a chart
 *
 * Blocks, which end with <!--end-->:
 *
 *   <!--each rows-->            for each row of an array, or each member of an object, as
 *                               {key} and {value}
 *   <!--with rows-->            once; nothing, if the array is empty or missing
 *   <!--if wall_s-->            nothing, if the field is missing, 0, false or empty
 *   <!--above rate-->           nothing, if no row of the array around it has more than 0
 *
 * In plain text, '?' stands for a control character, where no columns are asked for. On a
 * page text is escaped, and a figure stands in a <data> element with its value.
 * Columns and lists are for pages alone.
 *
 * Threads: belongs to one thread.
 */
#ifndef DITKIT_CLI_PATTERNS_H
#define DITKIT_CLI_PATTERNS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

/** The source of what a pattern is filled with. */
struct filler {
	FILE *out;
	const json_t *json; /* the whole */
	const json_t *row;
	const json_t *rows; /* with this one among them; NULL: there are none */
	bool is_page;
};

/** The patterns of the programs; gen_text.awk makes them of files with these names. */
extern const char check_end_txt[], check_file_txt[], diff_summary_txt[], estimate_txt[];
extern const char report_page_html[], report_page_css[], summary_txt[];

/** Up to the end of @p pattern, or to that of the block that it is in. */
void pattern_fill(const struct filler *filler, const char *pattern);

/* ---- of all rows ---- */

#define PATTERN_CLASSES 32

/**
 * Add up "list_lengths" of all rows: how many lists there are for each power of two.
 * Returns how many classes are in use.
 */
unsigned pattern_lengths(const json_t *rows, uint64_t classes[PATTERN_CLASSES]);

#endif
