/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table:
 *
 *   database      keys   records  branch   leaf  overflow  fill    bytes  per entry ...
 *   cn          243810    512001      12   1900         0   94%  7831552       78.3 ...
 */
#include "check_sizes_output.h"

#include <stdio.h>

#include <jansson.h>

#include "json_text.h"
#include "run_record.h"

#define KEY_HEX   (2 * 511 + 1)
#define NAME_SIZE (4 * 511 + 5) /* with escapes */

static void print_hex(char *text, struct dit_span key)
{
	for (size_t i = 0; i < key.len && 2 * i + 3 <= KEY_HEX; i++) {
		(void)snprintf(text + 2 * i, 3, "%02x", (unsigned char)key.data[i]);
	}
	text[2 * key.len] = '\0';
}

static double part(uint64_t n, uint64_t of)
{
	return of == 0 ? 0 : (double)n / (double)of;
}

static void print_head(void)
{
	(void)printf("%-22s %9s %10s %7s %7s %8s %4s %11s %9s %6s %9s\n", "database",
	             "keys", "records", "branch", "leaf", "overflow", "fill", "bytes",
	             "per entry", "ranges", "longest");
}

static void print_pages(uint64_t nbranches, uint64_t nleaves, uint64_t noverflows,
                        double fill, uint64_t bytes, double per_entry)
{
	(void)printf(" %7llu %7llu %8llu %3.0f%% %11llu %9.1f",
	             (unsigned long long)nbranches, (unsigned long long)nleaves,
	             (unsigned long long)noverflows, 100 * fill,
	             (unsigned long long)bytes, per_entry);
}

static void print_longest(const struct dit_check_database *database)
{
	char hex[KEY_HEX];

	for (size_t i = 0; i < database->nlongest; i++) {
		print_hex(hex, database->longest[i].key);
		(void)printf("  key %s: %llu posting%s\n", hex,
		             (unsigned long long)database->longest[i].nids,
		             database->longest[i].nids == 1 ? "" : "s");
	}
}

void sizes_table_row(struct sizes_table *table, const struct dit_check_database *database,
                     bool is_verbose)
{
	char name[NAME_SIZE];

	if (table->nrows++ == 0) {
		print_head();
	}
	text_escape(name, sizeof(name), database->name);
	(void)printf("%-22s %9llu %10llu", name, (unsigned long long)database->nkeys,
	             (unsigned long long)database->nrecords);
	print_pages(database->nbranches, database->nleaves, database->noverflows,
	            part(database->used_bytes, database->bytes), database->bytes,
	            part(database->bytes, database->nentries));
	if (database->is_index) {
		(void)printf(" %5.1f%% %9llu",
		             100 * part(database->nranges, database->nkeys),
		             database->nlongest == 0
		                     ? 0
		                     : (unsigned long long)database->longest[0].nids);
	}
	(void)putchar('\n');
	if (is_verbose) {
		print_longest(database);
	}
	table->nbranches += database->nbranches;
	table->nleaves += database->nleaves;
	table->noverflows += database->noverflows;
	table->bytes += database->bytes;
	table->used_bytes += database->used_bytes;
	table->nentries = database->nentries;
}

void sizes_table_end(struct sizes_table *table)
{
	if (table->nrows > 0) {
		(void)printf("%-22s %9s %10s", "all", "", "");
		print_pages(table->nbranches, table->nleaves, table->noverflows,
		            part(table->used_bytes, table->bytes), table->bytes,
		            part(table->bytes, table->nentries));
		(void)putchar('\n');
	}
	*table = (struct sizes_table){.nrows = 0};
}

static json_t *longest_json(const struct dit_check_database *database)
{
	json_t *longest = json_array();
	char hex[KEY_HEX];

	for (size_t i = 0; i < database->nlongest; i++) {
		print_hex(hex, database->longest[i].key);
		(void)json_array_append_new(
			longest, json_pack("{s:s, s:I}", "key", hex, "postings",
		                           (json_int_t)database->longest[i].nids));
	}
	return longest;
}

static json_t *presence_json(const struct dit_check_database *database)
{
	return !database->has_presence
	               ? json_null()
	               : json_pack("{s:b, s:I}", "range",
	                           (int)database->is_presence_range, "postings",
	                           (json_int_t)database->npresent);
}

struct json_t *sizes_json(const struct dit_check_database *database)
{
	json_t *json = json_pack(
		"{s:o, s:o, s:b, s:i, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "file",
		json_text(database->file), "database", json_text(database->name), "index",
		(int)database->is_index, "depth", (int)database->depth, "keys",
		(json_int_t)database->nkeys, "postings", (json_int_t)database->nrecords,
		"branch_pages", (json_int_t)database->nbranches, "leaf_pages",
		(json_int_t)database->nleaves, "overflow_pages",
		(json_int_t)database->noverflows, "bytes", (json_int_t)database->bytes,
		"used_bytes", (json_int_t)database->used_bytes, "entries",
		(json_int_t)database->nentries);

	if (json != NULL && database->is_index) {
		(void)json_object_set_new(json, "ranges",
		                          json_integer((json_int_t)database->nranges));
		(void)json_object_set_new(json, "list_lengths",
		                          run_lengths_json(database->nlists));
		(void)json_object_set_new(json, "longest", longest_json(database));
		(void)json_object_set_new(json, "presence", presence_json(database));
	}
	return json;
}
