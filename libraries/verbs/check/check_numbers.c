/* SPDX-License-Identifier: BSD-2-Clause */
/* ad2i, record by record. */
#include "check/check_content.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/grow.h"

struct numbers {
	struct dit_check_content *content;
	uint32_t next;    /* the number that is to come */
	uint32_t *firsts; /* by ordinal of the description: its number; 0: none yet */
	size_t size;
};

#define FIND(numbers, kind, ...)                                                         \
 DIT_CHECK_REPORT_AT((numbers)->content, (kind), "ad2i", 0, __VA_ARGS__)

static int note_first(struct numbers *numbers, const struct dit_ad *ad, uint32_t number)
{
	if (DIT_GROW_CLEARED(numbers->firsts, numbers->size, ad->ordinal + 1) < 0) {
		return -ENOMEM;
	}
	if (numbers->firsts[ad->ordinal] == 0) {
		numbers->firsts[ad->ordinal] = number;
		return 0;
	}
	FIND(numbers, DIT_CHECK_AD_TWICE, "the numbers %u and %u have one name, %s",
	     numbers->firsts[ad->ordinal], number, ad->name.data);
	return 0;
}

static int check_name(struct numbers *numbers, uint32_t number, struct dit_span name)
{
	const struct dit_ad *ad = NULL;
	const char *reason = "";
	char shown[DIT_CHECK_SHOWN];
	int r = dit_ad_find(numbers->content->settings->schema, NULL, name, &ad, &reason);

	if (r == DIT_E_UNKNOWN) {
		FIND(numbers, DIT_CHECK_AD_NAME, "number %u is \"%s\": %s", number,
		     dit_check_show(shown, name), reason);
		return 0;
	}
	if (r < 0) {
		return r;
	}
	if (!dit_span_eq(ad->name, name)) {
		FIND(numbers, DIT_CHECK_AD_NAME,
		     "number %u is \"%s\", which slapd spells \"%s\"", number,
		     dit_check_show(shown, name), ad->name.data);
	}
	return note_first(numbers, ad, number);
}

static int check_record(struct numbers *numbers, struct dit_span key,
                        struct dit_span name)
{
	uint32_t number = 0;

	if (key.len != sizeof(number)) {
		FIND(numbers, DIT_CHECK_AD_GAP, "a number has %zu bytes, not %zu",
		     key.len, sizeof(number));
		return 0;
	}
	memcpy(&number, key.data, sizeof(number));
	if (number > numbers->next) {
		FIND(numbers, DIT_CHECK_AD_GAP,
		     "number %u is missing; slapd counts the records, and takes "
		     "those that follow for others",
		     numbers->next);
	} else if (number == 0) {
		FIND(numbers, DIT_CHECK_AD_GAP,
		     "there is a number 0; numbers begin with 1");
	}
	numbers->next = number + 1;
	return number == 0 ? 0 : check_name(numbers, number, name);
}

int dit_check_numbers(struct dit_check_content *content)
{
	struct numbers numbers = {.content = content, .next = 1};
	struct dit_tree_cursor *cursor = NULL;
	struct dit_span key;
	struct dit_span name;
	int r = dit_snapshot_cursor_open(&cursor, content->snapshot, 0, "ad2i");

	while (r >= 0 && (r = dit_tree_cursor_next(cursor, &key, &name)) > 0) {
		r = check_record(&numbers, key, name);
	}
	dit_tree_cursor_close(cursor);
	free(numbers.firsts);
	return r;
}
