/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A record is its head, words for each attribute, and the values of each, in the same
 * order. The words and the values of one attribute are left out of each part, and the new
 * ones put there:
 *
 *   head | words before | new words | words after | values before | new | values after
 */
#include "codec/entry_edit.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "codec/entry_codec.h"

#define WORD_BYTES 4
#define HEAD_BYTES (4 * WORD_BYTES)
#define PAD_BYTES  8

/* The part to leave out, as offsets into the record; empty: the place of a new one. */
struct gap {
	size_t words_begin;
	size_t words_end;
	size_t values_begin;
	size_t values_end;
	uint32_t nattrs; /* 1 or 0 */
	uint32_t nslots;
};

static uint32_t word_at(struct dit_span record, size_t at)
{
	uint32_t word = 0;

	memcpy(&word, record.data + at, sizeof(word));
	return word;
}

static size_t size_of_values(const struct dit_span *values, uint32_t n)
{
	size_t size = 0;

	for (uint32_t i = 0; values != NULL && i < n; i++) {
		size += values[i].len + 1;
	}
	return size;
}

static struct gap find_gap(struct dit_span record, const struct dit_stored_entry *entry,
                           uint32_t ad_number)
{
	size_t words = HEAD_BYTES;
	size_t values = HEAD_BYTES + (size_t)word_at(record, 3 * WORD_BYTES) * WORD_BYTES;

	for (uint32_t i = 0; i < entry->nattrs; i++) {
		const struct dit_stored_attr *attr = &entry->attrs[i];
		uint32_t nlists = (attr->values != NULL) + (attr->normal != NULL);
		size_t nwords = 2 + (size_t)attr->nvalues * nlists;
		size_t nbytes = size_of_values(attr->values, attr->nvalues) +
		                size_of_values(attr->normal, attr->nvalues);

		if (attr->ad_number == ad_number) {
			return (struct gap){words,  words + nwords * WORD_BYTES,
			                    values, values + nbytes,
			                    1,      (attr->nvalues + 1) * nlists};
		}
		words += nwords * WORD_BYTES;
		values += nbytes;
	}
	return (struct gap){words, words, values, values, 0, 0};
}

static char *put_bytes(char *out, const char *bytes, size_t len)
{
	memcpy(out, bytes, len);
	return out + len;
}

static char *put_word(char *out, uint32_t word)
{
	return put_bytes(out, (const char *)&word, sizeof(word));
}

int dit_entry_set_values(struct dit_span record, uint32_t ad_number,
                         const struct dit_span *values, uint32_t nvalues,
                         struct dit_arena *arena, struct dit_span *ret)
{
	struct dit_stored_entry entry = {0};
	struct gap gap = {0};
	size_t nwords = 2 + (size_t)nvalues;
	size_t len = 0;
	char *bytes = NULL;
	char *out = NULL;
	int r = dit_entry_decode(record, arena, &entry);

	if (r < 0) {
		return r;
	}
	gap = find_gap(record, &entry, ad_number);
	if (gap.nattrs > 0 && gap.nslots == 0) {
		return DIT_E_UNSUPPORTED;
	}
	len = entry.content_len - (gap.words_end - gap.words_begin) -
	      (gap.values_end - gap.values_begin) + nwords * WORD_BYTES +
	      size_of_values(values, nvalues);
	len = (len + PAD_BYTES - 1) / PAD_BYTES * PAD_BYTES;
	if (len > UINT32_MAX) {
		return DIT_E_TOOLONG;
	}
	bytes = dit_arena_alloc(arena, len);
	if (bytes == NULL) {
		return -ENOMEM;
	}
	memset(bytes, 0, len);
	out = put_word(bytes, entry.nattrs - gap.nattrs + 1);
	out = put_word(out, entry.nslots - gap.nslots + nvalues + 1);
	out = put_word(out, entry.oc_flags);
	out = put_word(out, (uint32_t)(word_at(record, 3 * WORD_BYTES) + nwords -
	                               (gap.words_end - gap.words_begin) / WORD_BYTES));
	out = put_bytes(out, record.data + HEAD_BYTES, gap.words_begin - HEAD_BYTES);
	out = put_word(out, ad_number);
	out = put_word(out, nvalues);
	for (uint32_t i = 0; i < nvalues; i++) {
		out = put_word(out, (uint32_t)values[i].len);
	}
	out = put_bytes(out, record.data + gap.words_end,
	                gap.values_begin - gap.words_end);
	for (uint32_t i = 0; i < nvalues; i++) {
		out = put_bytes(out, values[i].data, values[i].len);
		out = put_bytes(out, "", 1);
	}
	(void)put_bytes(out, record.data + gap.values_end,
	                entry.content_len - gap.values_end);
	*ret = (struct dit_span){bytes, len};
	return 0;
}
