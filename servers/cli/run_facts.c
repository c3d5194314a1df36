/* SPDX-License-Identifier: BSD-2-Clause */
#include "run_facts.h"

#include <stdlib.h>
#include <string.h>

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

const char *fact_phase_title(const char *name)
{
	return strcmp(name, "publish") == 0 ? "sync and put in place" : name;
}

/* ---- sorted ---- */

static int compare_numbers(const json_t *x, const json_t *y, const char *name)
{
	uint64_t a = fact_number(x, name);
	uint64_t b = fact_number(y, name);

	return (a < b) - (a > b);
}

static int compare_sizes(const void *a, const void *b)
{
	const json_t *x = *(json_t *const *)a;
	const json_t *y = *(json_t *const *)b;
	int order = compare_numbers(x, y, "bytes");

	return order != 0 ? order
	                  : strcmp(fact_text(x, "database"), fact_text(y, "database"));
}

static int compare_indexes(const void *a, const void *b)
{
	const json_t *x = *(json_t *const *)a;
	const json_t *y = *(json_t *const *)b;
	double s = fact_seconds(x, "wall_s");
	double t = fact_seconds(y, "wall_s");
	int order = (s < t) - (s > t);

	if (order == 0) {
		order = compare_numbers(x, y, "bytes");
	}
	if (order == 0) {
		order = compare_numbers(x, y, "postings");
	}
	return order != 0 ? order : strcmp(fact_text(x, "name"), fact_text(y, "name"));
}

static int compare_lists(const void *a, const void *b)
{
	return compare_numbers(*(json_t *const *)a, *(json_t *const *)b, "postings");
}

/* Takes the array. */
static json_t *sort(json_t *array, int (*compare)(const void *, const void *))
{
	size_t n = json_array_size(array);
	json_t **items = n == 0 ? NULL : calloc(n, sizeof(json_t *));
	json_t *sorted = items == NULL ? NULL : json_array();

	for (size_t i = 0; i < n && items != NULL; i++) {
		items[i] = json_array_get(array, i);
	}
	if (items != NULL) {
		qsort(items, n, sizeof(json_t *), compare);
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
	return sort(largest, compare_sizes);
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
	return sort(indexes, compare_indexes);
}

json_t *fact_longest(json_t *lists)
{
	return sort(lists, compare_lists);
}
