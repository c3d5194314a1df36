/* SPDX-License-Identifier: BSD-2-Clause */
#include "run_facts.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

uint64_t fact_number(const json_t *object, const char *name)
{
	json_int_t n = json_integer_value(json_object_get(object, name));

	return n < 0 ? 0 : (uint64_t)n;
}

double fact_seconds(const json_t *object, const char *name)
{
	return json_number_value(json_object_get(object, name));
}

const char *fact_text(const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));

	return text == NULL ? "" : text;
}

uint64_t fact_sum(const json_t *array, const char *name)
{
	uint64_t n = 0;

	for (size_t i = 0; i < json_array_size(array); i++) {
		n += fact_number(json_array_get(array, i), name);
	}
	return n;
}

json_t *fact_named(const json_t *array, const char *name)
{
	for (size_t i = 0; i < json_array_size(array); i++) {
		json_t *object = json_array_get(array, i);

		if (strcmp(fact_text(object, "name"), name) == 0) {
			return object;
		}
	}
	return NULL;
}

/* The field that counts entries. */
static const char *entries_field(const json_t *json)
{
	const json_t *records = json_object_get(json, "records");

	return json_is_integer(json_object_get(records, "stored"))    ? "stored"
	       : json_is_integer(json_object_get(records, "changed")) ? "changed"
	                                                              : "read";
}

uint64_t fact_entries(const json_t *json)
{
	return fact_number(json_object_get(json, "records"), entries_field(json));
}

uint64_t fact_left_out(const json_t *json)
{
	const json_t *records = json_object_get(json, "records");

	return fact_number(records, "refused") + fact_number(records, "not_stored");
}

const char *fact_verb(const json_t *json)
{
	const char *field = entries_field(json);

	return strcmp(fact_text(json, "result"), "checked") == 0 ? "checked"
	       : strcmp(field, "read") == 0                      ? "indexed"
	                                                         : field;
}

/* ---- sorted ---- */

/* The fields that count, in order: greater numbers and lesser texts come first. */
static const char *const by_size[] = {"bytes", "database", NULL};
static const char *const by_cost[] = {"wall_s", "bytes", "postings", "name", NULL};
static const char *const by_length[] = {"postings", NULL};

static int compare(const void *a, const void *b, void *fields)
{
	const json_t *x = *(json_t *const *)a;
	const json_t *y = *(json_t *const *)b;
	int order = 0;

	for (const char *const *field = fields; *field != NULL && order == 0; field++) {
		double s = fact_seconds(x, *field);
		double t = fact_seconds(y, *field);

		order = s != t ? (s < t) - (s > t)
		               : strcmp(fact_text(x, *field), fact_text(y, *field));
	}
	return order;
}

/* Takes the array. Sorts by the first field, then by the next, and so on. @return owned;
 * NULL: the array is empty, or there is no memory */
static json_t *sort(json_t *array, const char *const *fields)
{
	size_t n = json_array_size(array);
	json_t **items = n == 0 ? NULL : calloc(n, sizeof(json_t *));
	json_t *sorted = items == NULL ? NULL : json_array();

	for (size_t i = 0; i < n && items != NULL; i++) {
		items[i] = json_array_get(array, i);
	}
	if (items != NULL) {
		qsort_r(items, n, sizeof(json_t *), compare, (void *)fields);
	}
	for (size_t i = 0; i < n && sorted != NULL; i++) {
		(void)json_array_append(sorted, items[i]);
	}
	free(items);
	json_decref(array);
	return sorted;
}

json_t *fact_largest(const json_t *databases, size_t from)
{
	json_t *largest = json_array();

	for (size_t i = from; i < json_array_size(databases); i++) {
		(void)json_array_append(largest, json_array_get(databases, i));
	}
	return sort(largest, by_size);
}

json_t *fact_indexes(const json_t *json)
{
	const json_t *databases = json_object_get(json, "databases");
	json_t *indexes = json_array();

	for (size_t i = 0; i < json_array_size(databases); i++) {
		(void)json_array_extend(
			indexes,
			json_object_get(json_array_get(databases, i), "indexes"));
	}
	return sort(indexes, by_cost);
}

json_t *fact_longest(json_t *lists)
{
	return sort(lists, by_length);
}

/* ---- facts into JSON ---- */

void text_escape(char *ret, size_t size, const char *text)
{
	size_t at = 0;

	for (; *text != '\0' && at + 4 < size; text++) {
		unsigned char c = (unsigned char)*text;
		bool is_plain = c >= 0x20 && c <= 0x7e;

		at += (size_t)snprintf(ret + at, size - at, is_plain ? "%c" : "\\%02x",
		                       c);
	}
	ret[at] = '\0';
}

struct json_t *json_number(uint64_t n)
{
	return json_integer((json_int_t)n);
}

struct json_t *json_list(size_t n, struct json_t *(*make)(const void *ctx, size_t i),
                         const void *ctx)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++) {
		if (json_array_append_new(list, make(ctx, i)) < 0) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

int json_print(FILE *out, struct json_t *json, size_t flags)
{
	int r = json == NULL ? -1 : json_dumpf(json, out, flags);

	(void)fputc('\n', out);
	json_decref(json);
	return r;
}

struct json_t *json_text(const char *text)
{
	json_t *json = text == NULL ? json_null() : json_string(text);
	char *escaped = NULL;
	size_t size = 0;

	if (json != NULL) {
		return json;
	}
	size = 3 * strlen(text) + 5;
	escaped = malloc(size);
	if (escaped != NULL) {
		text_escape(escaped, size, text);
		json = json_string(escaped);
	}
	free(escaped);
	return json;
}
