/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Findings: when twice as many are there as are to be kept, those that come last in the
 * order are forgotten. From then on the place of a finding tells most often that it would
 * be forgotten, and its sentence is not made.
 */
#include "check/check_findings.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

#define TEXT_MAX 1000

#define NAME(kind, name) [kind] = (name),

static const char *const names[DIT_CHECK_NKINDS] = {DIT_WALK_KINDS(NAME)
                                                            DIT_CHECK_KINDS(NAME)};

struct list {
	struct dit_check_finding *kept; /* their texts owned, but for file and kind */
	size_t n;
	size_t size;
	bool is_cut; /* those from `max` on came later, and are in no order */
};

struct dit_check_findings {
	uint64_t max;        /* [const] of each list; 0: none */
	unsigned first_note; /* [const] */

	/* [lock: lock] */
	pthread_mutex_t lock;
	uint64_t by_kind[DIT_CHECK_NKINDS];
	struct list lists[2]; /* findings, notes */
	int error;            /* -ENOMEM: one could not be kept */
};

const char *dit_check_kind_name(unsigned kind)
{
	return names[kind];
}

/* ---- order ---- */

/* NULL comes first. */
static int compare_texts(const char *a, const char *b)
{
	int order = (a != NULL) - (b != NULL);

	return order != 0 || a == NULL ? order : strcmp(a, b);
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_places(const struct dit_check_finding *x,
                          const struct dit_check_finding *y)
{
	int order = compare_texts(x->database, y->database);

	if (order == 0) {
		/* A finding of no page comes first. */
		order = compare_numbers(x->page + 1, y->page + 1);
	}
	order = order ?: (x->node > y->node) - (x->node < y->node);
	order = order ?: compare_numbers(x->id, y->id);
	return order ?: compare_texts(x->attribute, y->attribute);
}

static int compare_kept(const void *a, const void *b)
{
	const struct dit_check_finding *x = a;
	const struct dit_check_finding *y = b;

	return compare_places(x, y) ?: strcmp(x->text, y->text);
}

static void sort(struct list *list)
{
	dit_sort_items(list->kept, list->n, sizeof(*list->kept), compare_kept);
}

/* ---- keeping ---- */

static void forget(struct dit_check_finding *kept)
{
	free((char *)kept->database);
	free((char *)kept->dn);
	free((char *)kept->attribute);
	free((char *)kept->text);
}

static void forget_from(struct list *list, size_t first)
{
	for (size_t i = first; i < list->n; i++) {
		forget(&list->kept[i]);
	}
	if (list->n > first) {
		list->n = first;
	}
}

static int copy(const char **text)
{
	if (*text != NULL) {
		*text = strdup(*text);
		return *text == NULL ? -ENOMEM : 0;
	}
	return 0;
}

static struct list *list_of(struct dit_check_findings *findings, unsigned kind)
{
	return &findings->lists[kind >= findings->first_note];
}

/* Does it come after all that are kept in the end? */
static bool is_late(const struct dit_check_findings *findings, const struct list *list,
                    const struct dit_check_finding *place)
{
	return list->is_cut && compare_places(place, &list->kept[findings->max - 1]) > 0;
}

static int keep(struct dit_check_findings *findings, unsigned kind,
                const struct dit_check_finding *place, const char *text)
{
	struct list *list = list_of(findings, kind);
	struct dit_check_finding kept = *place;
	int r = 0;

	if (DIT_GROW(list->kept, list->size, list->n + 1) < 0) {
		return -ENOMEM;
	}
	kept.kind = dit_check_kind_name(kind);
	kept.is_note = kind >= findings->first_note;
	kept.text = text;
	r |= copy(&kept.database);
	r |= copy(&kept.dn);
	r |= copy(&kept.attribute);
	r |= copy(&kept.text);
	if (r != 0) {
		forget(&kept);
		return -ENOMEM;
	}
	list->kept[list->n++] = kept;
	if (findings->max != 0 && list->n / 2 >= findings->max) {
		sort(list);
		forget_from(list, (size_t)findings->max);
		list->is_cut = true;
	}
	return 0;
}

void dit_check_report(struct dit_check_findings *findings, unsigned kind,
                      const struct dit_check_finding *place, const char *format, ...)
{
	char text[TEXT_MAX];
	va_list args;
	bool is_kept = false;
	int r = 0;

	(void)pthread_mutex_lock(&findings->lock);
	findings->by_kind[kind]++;
	is_kept = !is_late(findings, list_of(findings, kind), place);
	(void)pthread_mutex_unlock(&findings->lock);
	if (!is_kept) {
		return;
	}
	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	(void)pthread_mutex_lock(&findings->lock);
	r = keep(findings, kind, place, text);
	if (r < 0) {
		findings->error = r;
	}
	(void)pthread_mutex_unlock(&findings->lock);
}

const char *dit_check_show(char *text, struct dit_span value)
{
	size_t at = 0;

	for (size_t i = 0; i < value.len && i < DIT_CHECK_SHOWN_BYTES; i++) {
		unsigned char c = (unsigned char)value.data[i];
		bool is_plain = c >= ' ' && c <= '~' && c != '"' && c != '\\';

		if (is_plain) {
			text[at++] = (char)c;
		} else {
			at += (size_t)snprintf(text + at, DIT_CHECK_SHOWN - at, "\\%02x",
			                       c);
		}
	}
	(void)snprintf(text + at, DIT_CHECK_SHOWN - at, "%s",
	               value.len > DIT_CHECK_SHOWN_BYTES ? "..." : "");
	return text;
}

/* ---- the whole ---- */

int dit_check_findings_new(struct dit_check_findings **ret, uint64_t max,
                           unsigned first_note)
{
	struct dit_check_findings *findings = calloc(1, sizeof(*findings));

	if (findings == NULL) {
		return -ENOMEM;
	}
	findings->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	findings->max = max;
	findings->first_note = first_note;
	*ret = findings;
	return 0;
}

void dit_check_findings_free(struct dit_check_findings *findings)
{
	if (findings == NULL) {
		return;
	}
	for (unsigned i = 0; i < 2; i++) {
		forget_from(&findings->lists[i], 0);
		free(findings->lists[i].kept);
	}
	(void)pthread_mutex_destroy(&findings->lock);
	free(findings);
}

uint64_t dit_check_findings_count(const struct dit_check_findings *findings, bool notes,
                                  uint64_t *by_kind)
{
	unsigned first = notes ? findings->first_note : 0;
	unsigned end = notes ? DIT_CHECK_NKINDS : findings->first_note;
	uint64_t sum = 0;

	for (unsigned i = first; i < end; i++) {
		sum += findings->by_kind[i];
		if (by_kind != NULL) {
			by_kind[i] += findings->by_kind[i];
		}
	}
	return sum;
}

int dit_check_findings_tell(struct dit_check_findings *findings, const char *file,
                            dit_check_found_fn found, void *ctx)
{
	if (findings->error < 0) {
		return findings->error;
	}
	for (unsigned i = 0; i < 2 && found != NULL; i++) {
		struct list *list = &findings->lists[i];

		sort(list);
		if (findings->max != 0) {
			forget_from(list, (size_t)findings->max);
		}
		for (size_t k = 0; k < list->n; k++) {
			list->kept[k].file = file;
			found(ctx, &list->kept[k]);
		}
	}
	return 0;
}
