/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Entries as stored in id2e; the layout is in the header.
 *
 * Example, one attribute ou (number 11) with the value "People", from offset 16 on:
 *
 *   0b000000  01000080  06000000  06000000     number, 1 value + normal, lengths 6 and 6
 *   "People" 00  "people" 00
 *
 * and 4 slots: slapd's reader keeps each list of values with an empty one at its end.
 *
 * slapd leaves the bytes that pad a record as they happen to be; here they are zero.
 */
#include "codec/entry_codec.h"

#include <errno.h>

#include "base/error.h"
#include "base/short_bytes.h"

#define HEAD_WORDS 4
#define FLAGS_WORD 2
#define WORD_BYTES sizeof(uint32_t)
#define PAD_BYTES  8

/* The values of larger records are not copied. */
#define HUGE_BYTES ((uint64_t)1 << 20)

#define ATTR_SORTED  0x80000000u
#define ATTR_SPLIT   0x40000000u
#define COUNT_NORMAL 0x80000000u

#define LINE_BYTES 64   /* of the cache of usual processors */
#define FETCH_MAX  4096 /* longer records fetch themselves, value by value */

/* ---- encoding ---- */

struct measure {
	uint64_t nwords; /* after the head */
	uint64_t nslots;
	uint64_t nsplit_bytes; /* lengths and data that are stored apart */
	bool is_too_long;
};

static void measure_split(struct measure *measure, const struct dit_span *values,
                          uint32_t n)
{
	for (uint32_t i = 0; values != NULL && i < n; i++) {
		measure->is_too_long |= values[i].len >= UINT32_MAX;
		measure->nsplit_bytes += WORD_BYTES + values[i].len + 1;
	}
}

/* An attribute without values: its values are in id2v already. */
static bool is_split(const struct dit_split_rules *rules, const struct dit_attr *attr)
{
	return attr->values == NULL || dit_split_applies(rules, attr);
}

static void measure_entry(struct measure *measure, const struct dit_entry *entry,
                          const struct dit_split_rules *rules)
{
	for (uint32_t i = 0; i < entry->nattrs; i++) {
		const struct dit_attr *attr = &entry->attrs[i];
		bool has_normal = attr->normal != NULL;

		measure->is_too_long |= attr->nvalues >= COUNT_NORMAL;
		measure->nwords += 2;
		measure->nslots += ((uint64_t)attr->nvalues + 1) << has_normal;
		if (is_split(rules, attr)) {
			measure_split(measure, attr->values, attr->nvalues);
			measure_split(measure, attr->normal, attr->nvalues);
		} else {
			measure->nwords += (uint64_t)attr->nvalues << has_normal;
		}
	}
	measure->is_too_long |= measure->nwords > UINT32_MAX / WORD_BYTES;
}

/* @param nbytes  what the values take is added */
static inline uint32_t *put_lengths(uint32_t *word, const struct dit_span *values,
                                    uint32_t n, uint64_t *nbytes)
{
	for (uint32_t i = 0; i < n; i++) {
		*word++ = (uint32_t)values[i].len;
		*nbytes += values[i].len + 1;
	}
	return word;
}

/* The head of the record. @return bytes of the values after it */
static uint64_t put_head(const struct dit_entry *entry,
                         const struct dit_split_rules *rules,
                         const struct measure *measure, struct dit_encoded *encoded)
{
	uint32_t *first = (uint32_t *)(void *)encoded->bytes;
	uint32_t *word = first + HEAD_WORDS;
	uint64_t nbytes = 0;

	first[0] = entry->nattrs;
	first[1] = (uint32_t)measure->nslots;
	first[FLAGS_WORD] = entry->oc_flags;
	first[3] = (uint32_t)measure->nwords;
	for (uint32_t i = 0; i < entry->nattrs; i++) {
		const struct dit_attr *attr = &entry->attrs[i];
		bool has_normal = attr->normal != NULL;

		encoded->ads[i] = attr->ad;
		encoded->ad_words[i] = (uint32_t)(word - first);
		*word++ = attr->is_sorted ? ATTR_SORTED : 0;
		*word++ = attr->nvalues | (has_normal ? COUNT_NORMAL : 0);
		if (is_split(rules, attr)) {
			word[-2] |= ATTR_SPLIT;
			continue;
		}
		word = put_lengths(word, attr->values, attr->nvalues, &nbytes);
		if (has_normal) {
			word = put_lengths(word, attr->normal, attr->nvalues, &nbytes);
		}
	}
	return nbytes;
}

/*
 * Values, with a NUL after each, to @p out; or, for a huge entry, where they are to
 * @p list. One is NULL, a constant where these functions are used.
 */
#define INLINE static inline __attribute__((always_inline))

INLINE void put_values(const struct dit_span *values, uint32_t n, char **out,
                       struct dit_span **list)
{
	if (list != NULL) {
		memcpy(*list, values, n * sizeof(*values));
		*list += n;
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		dit_short_copy(*out, values[i].data, values[i].len);
		*out += values[i].len;
		*(*out)++ = '\0';
	}
}

INLINE void put_all_values(const struct dit_entry *entry,
                           const struct dit_encoded *encoded, char **out,
                           struct dit_span **list)
{
	const uint32_t *words = (const uint32_t *)(const void *)encoded->bytes;

	for (uint32_t i = 0; i < entry->nattrs; i++) {
		const struct dit_attr *attr = &entry->attrs[i];

		if ((words[encoded->ad_words[i]] & ATTR_SPLIT) != 0) {
			continue;
		}
		put_values(attr->values, attr->nvalues, out, list);
		if (attr->normal != NULL) {
			put_values(attr->normal, attr->nvalues, out, list);
		}
	}
}

/* The whole record, the head of which is there. 0 or -ENOMEM */
static int add_values(const struct dit_entry *entry, struct dit_arena *arena,
                      struct dit_encoded *encoded)
{
	char *bytes = dit_arena_alloc(arena, encoded->len);
	char *out = NULL;

	if (bytes == NULL) {
		return -ENOMEM;
	}
	out = bytes + encoded->nbytes;
	memcpy(bytes, encoded->bytes, encoded->nbytes);
	put_all_values(entry, encoded, &out, NULL);
	memset(out, 0, (size_t)(bytes + encoded->len - out));
	encoded->bytes = bytes;
	encoded->nbytes = encoded->len;
	return 0;
}

/* The same for a huge entry. */
static int list_values(const struct dit_entry *entry, struct dit_arena *arena,
                       struct dit_encoded *encoded)
{
	size_t nwords = encoded->nbytes / WORD_BYTES - HEAD_WORDS;
	struct dit_span *list = NULL;

	encoded->nvalues = nwords - (size_t)2 * entry->nattrs;
	list = dit_arena_alloc(arena, encoded->nvalues * sizeof(*list));
	if (list == NULL) {
		return -ENOMEM;
	}
	encoded->values = list;
	put_all_values(entry, encoded, NULL, &list);
	return 0;
}

int dit_entry_encode(const struct dit_entry *entry, const struct dit_split_rules *rules,
                     struct dit_arena *arena, struct dit_encoded *ret)
{
	struct measure measure = {0};
	struct dit_encoded encoded = {.nopen = entry->nattrs};
	uint64_t len = 0;
	int r = 0;

	measure_entry(&measure, entry, rules);
	if (measure.is_too_long) {
		return DIT_E_TOOLONG;
	}
	encoded.nbytes = (HEAD_WORDS + measure.nwords) * WORD_BYTES;
	encoded.bytes = dit_arena_alloc(arena, encoded.nbytes);
	encoded.ads = dit_arena_alloc(arena, entry->nattrs * sizeof(*encoded.ads));
	encoded.ad_words =
		dit_arena_alloc(arena, entry->nattrs * sizeof(*encoded.ad_words));
	if (encoded.bytes == NULL || encoded.ads == NULL || encoded.ad_words == NULL) {
		return -ENOMEM;
	}
	len = encoded.nbytes + put_head(entry, rules, &measure, &encoded);
	if (len > UINT32_MAX - PAD_BYTES) { /* then each length fits its word, too */
		return DIT_E_TOOLONG;
	}
	/* The limit counts a length word and a NUL for each value: what we write here,
	 * and as much for the values in id2v. */
	encoded.size_limit_bytes = len + measure.nsplit_bytes;
	encoded.len = (len + PAD_BYTES - 1) / PAD_BYTES * PAD_BYTES;
	r = len > HUGE_BYTES ? list_values(entry, arena, &encoded)
	                     : add_values(entry, arena, &encoded);
	if (r == 0 && rules != NULL) {
		r = dit_split_encode(entry, rules, arena, &encoded.splits);
	}
	if (r < 0) {
		return r;
	}
	*ret = encoded;
	return 0;
}

/* ---- a record in pieces ---- */

/* Bytes of the next value and the NUL after it. @return their number */
static size_t next_of_value(struct dit_encoded_cursor *cursor, char *out, size_t len)
{
	const struct dit_span *value = &cursor->encoded->values[cursor->nvalues];
	size_t rest = value->len - cursor->nbytes;
	size_t n = rest < len ? rest : len;

	if (n > 0) {
		memcpy(out, value->data + cursor->nbytes, n);
	}
	cursor->nbytes += n;
	if (n < len) {
		out[n++] = '\0';
		cursor->nvalues++;
		cursor->nbytes = 0;
	}
	return n;
}

void dit_encoded_next(void *ctx, char *out, size_t len)
{
	struct dit_encoded_cursor *cursor = ctx;
	const struct dit_encoded *encoded = cursor->encoded;

	while (len > 0) {
		size_t n = encoded->nbytes - cursor->nhead;

		if (n > 0) {
			n = n < len ? n : len;
			memcpy(out, encoded->bytes + cursor->nhead, n);
			cursor->nhead += n;
		} else if (cursor->nvalues < encoded->nvalues) {
			n = next_of_value(cursor, out, len);
		} else {
			memset(out, 0, len); /* padding */
			n = len;
		}
		out += n;
		len -= n;
	}
}

/* ---- decoding ---- */

/* How far the decoder is. It lives in registers, so its address is not taken. */
struct decoder {
	const char *word;      /* next word */
	const char *words_end; /* but for two words of each attribute that comes yet */
	const char *data;      /* next value */
	const char *end;
	struct dit_span
		*span; /* next one that is free: one for each word before the end */
};

static inline uint32_t word_at(const char *at)
{
	uint32_t word = 0;

	memcpy(&word, at, WORD_BYTES);
	return word;
}

/* @return where it stands then; at NULL: the values are not there */
static inline struct decoder decode_values(struct decoder at, uint32_t n)
{
	if (n > (size_t)(at.words_end - at.word) / WORD_BYTES) {
		at.word = NULL;
		return at;
	}
	for (; n > 0; n--) {
		size_t len = word_at(at.word);

		if (len >= (size_t)(at.end - at.data) || at.data[len] != '\0') {
			at.word = NULL;
			return at;
		}
		*at.span++ = (struct dit_span){at.data, len};
		at.word += WORD_BYTES;
		at.data += len + 1;
	}
	return at;
}

/* The same without a look at the values. */
static inline struct decoder pass_values(struct decoder at, uint64_t n)
{
	uint64_t nbytes = n; /* NULs */

	if (n > (size_t)(at.words_end - at.word) / WORD_BYTES) {
		at.word = NULL;
		return at;
	}
	for (; n > 0; n--) {
		nbytes += word_at(at.word);
		at.word += WORD_BYTES;
	}
	if (nbytes > (size_t)(at.end - at.data)) {
		at.word = NULL;
		return at;
	}
	at.data += nbytes;
	return at;
}

/* All of the next attribute but its values. */
static inline struct decoder take_head(struct decoder at, struct dit_stored_attr *attr)
{
	uint32_t head = word_at(at.word);
	uint32_t count = word_at(at.word + WORD_BYTES);

	*attr = (struct dit_stored_attr){.ad_number = head & ~(ATTR_SORTED | ATTR_SPLIT),
	                                 .is_sorted = (head & ATTR_SORTED) != 0,
	                                 .is_split = (head & ATTR_SPLIT) != 0,
	                                 .has_normal = (count & COUNT_NORMAL) != 0,
	                                 .nvalues = count & ~COUNT_NORMAL};
	at.word += 2 * WORD_BYTES;
	at.words_end += 2 * WORD_BYTES;
	return at;
}

static inline struct decoder take_values(struct decoder at, struct dit_stored_attr *attr)
{
	if (attr->is_split) {
		return at;
	}
	attr->values = at.span;
	at = decode_values(at, attr->nvalues);
	if (at.word != NULL && attr->has_normal) {
		attr->normal = at.span;
		at = decode_values(at, attr->nvalues);
	}
	return at;
}

static inline bool is_unwanted(const struct dit_unwanted_ads *unwanted, uint32_t number)
{
	return number < unwanted->n && unwanted->is_unwanted[number];
}

/* The attributes, which must use up all words and all bytes but the padding. */
static int decode_attrs(struct decoder at, const struct dit_unwanted_ads *unwanted,
                        struct dit_stored_entry *entry)
{
	struct dit_stored_attr *attr = entry->attrs;
	uint64_t nslots = 0; /* that the reader needs */

	for (uint32_t i = 0; i < entry->nattrs; i++) {
		at = take_head(at, attr);
		nslots += ((uint64_t)attr->nvalues + 1) << attr->has_normal;
		if (!is_unwanted(unwanted, attr->ad_number)) {
			at = take_values(at, attr);
			attr++;
		} else if (!attr->is_split) {
			at = pass_values(at, (uint64_t)attr->nvalues << attr->has_normal);
		}
		if (at.word == NULL) {
			return DIT_E_CORRUPT;
		}
	}
	if (at.word != at.words_end || nslots != entry->nslots ||
	    at.end - at.data >= PAD_BYTES) {
		return DIT_E_CORRUPT;
	}
	entry->nattrs = (uint32_t)(attr - entry->attrs);
	entry->content_len -= (size_t)(at.end - at.data);
	return 0;
}

/*
 * All values will be looked at. Each look would wait for memory: the lengths, which are
 * read in turn with them, lie elsewhere.
 */
static void fetch(struct dit_span record)
{
	size_t n = record.len < FETCH_MAX ? record.len : FETCH_MAX;

	for (size_t i = 0; i < n; i += LINE_BYTES) {
		__builtin_prefetch(record.data + i);
	}
}

int dit_entry_decode(struct dit_span record, struct dit_arena *arena,
                     struct dit_stored_entry *ret)
{
	const struct dit_unwanted_ads none = {.n = 0};

	return dit_entry_decode_wanted(record, &none, arena, ret);
}

int dit_entry_decode_flags(struct dit_span record, uint32_t *ret)
{
	if (record.len < HEAD_WORDS * WORD_BYTES) {
		return DIT_E_CORRUPT;
	}
	*ret = word_at(record.data + FLAGS_WORD * WORD_BYTES);
	return 0;
}

int dit_entry_decode_wanted(struct dit_span record,
                            const struct dit_unwanted_ads *unwanted,
                            struct dit_arena *arena, struct dit_stored_entry *ret)
{
	struct dit_stored_entry entry = {.content_len = record.len};
	struct decoder at = {.end = record.data + record.len};
	size_t nwords = 0;
	int r = 0;

	if (record.len < HEAD_WORDS * WORD_BYTES || record.len % PAD_BYTES != 0) {
		return DIT_E_CORRUPT;
	}
	entry.nattrs = word_at(record.data);
	entry.nslots = word_at(record.data + WORD_BYTES);
	entry.oc_flags = word_at(record.data + FLAGS_WORD * WORD_BYTES);
	nwords = word_at(record.data + 3 * WORD_BYTES);
	/* Two words for each attribute; the others are lengths. That keeps the tables in
	 * proportion to the record. */
	if (nwords > record.len / WORD_BYTES - HEAD_WORDS || entry.nattrs > nwords / 2) {
		return DIT_E_CORRUPT;
	}
	at.word = record.data + HEAD_WORDS * WORD_BYTES;
	at.data = at.word + nwords * WORD_BYTES;
	nwords -= 2 * (size_t)entry.nattrs;
	at.words_end = at.word + nwords * WORD_BYTES;
	entry.attrs = dit_arena_alloc(arena, entry.nattrs * sizeof(*entry.attrs));
	at.span = dit_arena_alloc(arena, nwords * sizeof(*at.span));
	if (entry.attrs == NULL || at.span == NULL) {
		return -ENOMEM;
	}
	if (unwanted->n == 0) {
		fetch(record);
	}
	r = decode_attrs(at, unwanted, &entry);
	if (r < 0) {
		return r;
	}
	*ret = entry;
	return 0;
}

/* ---- a stored entry with one attribute changed ---- */

int dit_entry_set_attr(const struct dit_stored_entry *stored, uint32_t at,
                       const struct dit_stored_attr *attr, struct dit_arena *arena,
                       struct dit_span *ret)
{
	uint32_t n = stored->nattrs + (at == stored->nattrs);
	struct dit_entry entry = {.oc_flags = stored->oc_flags, .nattrs = n};
	struct dit_encoded encoded = {0};
	struct dit_encoded_cursor cursor = {.encoded = &encoded};
	uint32_t *words = NULL;
	char *record = NULL;
	int r = 0;

	entry.attrs = dit_arena_calloc(arena, n, sizeof(*entry.attrs));
	if (entry.attrs == NULL) {
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < n; i++) {
		const struct dit_stored_attr *from = i == at ? attr : &stored->attrs[i];

		entry.attrs[i] = (struct dit_attr){.values = from->values,
		                                   .normal = from->normal,
		                                   .nvalues = from->nvalues,
		                                   .is_sorted = from->is_sorted};
	}
	r = dit_entry_encode(&entry, NULL, arena, &encoded);
	record = r < 0 ? NULL : dit_arena_alloc(arena, encoded.len);
	if (record == NULL) {
		return r < 0 ? r : -ENOMEM;
	}
	words = (uint32_t *)(void *)encoded.bytes;
	words[1] = 0;
	for (uint32_t i = 0; i < n; i++) {
		const struct dit_stored_attr *from = i == at ? attr : &stored->attrs[i];
		uint32_t *word = words + encoded.ad_words[i];

		word[0] |= from->ad_number;
		word[1] |= from->has_normal ? COUNT_NORMAL : 0;
		words[1] += (from->nvalues + 1) << from->has_normal;
	}
	dit_encoded_next(&cursor, record, encoded.len);
	*ret = (struct dit_span){record, encoded.len};
	return 0;
}
