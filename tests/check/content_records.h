/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For content_damages.h: records of each database of a directory, written, changed and
 * removed by liblmdb, in a transaction of the caller.
 */
#ifndef DITKIT_CONTENT_RECORDS_H
#define DITKIT_CONTENT_RECORDS_H

#include "base/span.h"
#include "codec/name_fixture.h"
#include "lmdb_test.h"

#define INDEX (MDB_DUPSORT | MDB_DUPFIXED | MDB_INTEGERDUP)

/* ---- databases of liblmdb ---- */

static struct dit_span bytes(const char *data, size_t len)
{
	return (struct dit_span){data, len};
}

static MDB_val val(struct dit_span span)
{
	return (MDB_val){span.len, (void *)span.data};
}

static void put(MDB_txn *txn, const char *name, struct dit_span key,
                struct dit_span value)
{
	test_put(txn, test_dbi(txn, name, 0), key.data, key.len, value.data, value.len);
}

static void del(MDB_txn *txn, const char *name, struct dit_span key,
                const struct dit_span *value)
{
	MDB_val k = val(key);
	MDB_val v = value == NULL ? (MDB_val){0, NULL} : val(*value);

	assert_int_equal(
		mdb_del(txn, test_dbi(txn, name, 0), &k, value == NULL ? NULL : &v), 0);
}

static struct dit_span id_span(uint64_t id)
{
	static uint64_t kept[8];
	static unsigned next;
	uint64_t *at = &kept[next++ % 8];

	*at = id;
	return (struct dit_span){(const char *)at, sizeof(*at)};
}

static void del_id(MDB_txn *txn, const char *name, uint64_t id)
{
	del(txn, name, id_span(id), NULL);
}

static void drop(MDB_txn *txn, const char *name, bool is_removed)
{
	assert_int_equal(mdb_drop(txn, test_dbi(txn, name, 0), is_removed), 0);
}

/* ---- ad2i ---- */

static void put_number(MDB_txn *txn, uint32_t number, const char *name)
{
	put(txn, "ad2i", bytes((const char *)&number, sizeof(number)), dit_span_of(name));
}

static void del_number(MDB_txn *txn, uint32_t number)
{
	del(txn, "ad2i", bytes((const char *)&number, sizeof(number)), NULL);
}

static uint32_t number_of(MDB_txn *txn, const char *name)
{
	for (uint32_t number = 1;; number++) {
		MDB_val key = {sizeof(number), &number};
		MDB_val value;

		assert_int_equal(mdb_get(txn, test_dbi(txn, "ad2i", 0), &key, &value), 0);
		if (value.mv_size == strlen(name) &&
		    memcmp(value.mv_data, name, value.mv_size) == 0) {
			return number;
		}
	}
}

/* ---- id2e ---- */

struct record {
	size_t len;
	union {
		uint32_t words[1024];
		char bytes[4096];
	};
};

/* Two at a time. */
static struct record *get_entry(MDB_txn *txn, uint64_t id)
{
	static struct record records[2];
	static unsigned next;
	struct record *record = &records[next++ % 2];
	MDB_val key = {sizeof(id), &id};
	MDB_val value;

	assert_int_equal(mdb_get(txn, test_dbi(txn, "id2e", 0), &key, &value), 0);
	assert_in_range(value.mv_size, 16, sizeof(record->bytes));
	record->len = value.mv_size;
	memcpy(record->bytes, value.mv_data, value.mv_size);
	return record;
}

static void put_entry(MDB_txn *txn, uint64_t id, const struct record *record)
{
	put(txn, "id2e", id_span(id), bytes(record->bytes, record->len));
}

static char *find_text(struct record *record, const char *text)
{
	char *found = memmem(record->bytes, record->len, text, strlen(text));

	if (found == NULL) {
		fail_msg("the entry has no \"%s\"", text);
	}
	return found;
}

/* The first place of a text gets another one of the same length. */
static void change(struct record *record, const char *text, const char *other)
{
	assert_int_equal(strlen(text), strlen(other));
	memcpy(find_text(record, text), other, strlen(text));
}

/* The word with the number of an attribute. */
static size_t attr_word(MDB_txn *txn, const struct record *record, const char *name)
{
	uint32_t number = number_of(txn, name);
	size_t at = 4;

	for (uint32_t i = 0; i < record->words[0]; i++) {
		uint32_t head = record->words[at];
		uint32_t count = record->words[at + 1];

		if ((head & 0x3fffffff) == number) {
			return at;
		}
		at += 2;
		if ((head & 1u << 30) == 0) {
			at += (count & 0x7fffffff) * ((count & 1u << 31) != 0 ? 2 : 1);
		}
	}
	fail_msg("no attribute %s", name);
	return 0;
}

static void without_sorted(MDB_txn *txn, uint64_t id, const char *name)
{
	struct record *record = get_entry(txn, id);

	record->words[attr_word(txn, record, name)] &= ~(1u << 31);
	put_entry(txn, id, record);
}

/*
 * An attribute with one value and its normal form of the same length, both of letters
 * alone, becomes one with two values and no normal forms.
 */
static void without_normal(MDB_txn *txn, uint64_t id, const char *name)
{
	struct record *record = get_entry(txn, id);
	size_t at = attr_word(txn, record, name);

	assert_int_equal(record->words[at + 1], 1 | 1u << 31);
	record->words[at + 1] = 2;
	record->words[1]--; /* of 2 + 2 slots 2 + 1 are left */
	put_entry(txn, id, record);
}

/* ---- dn2i ---- */

static char name_bytes[4][DIT_NAME_RECORD_MAX];
static unsigned next_name;

static struct dit_span self2(const char *norm, const char *pretty, uint64_t parent)
{
	char *at = name_bytes[next_name++ % 4];
	int len = encode_self(at, dit_span_of(norm), dit_span_of(pretty), parent);

	assert_true(len > 0);
	return bytes(at, (size_t)len);
}

static struct dit_span self(const char *rdn, uint64_t parent)
{
	return self2(rdn, rdn, parent);
}

static struct dit_span child2(const char *norm, const char *pretty, uint64_t id,
                              uint64_t nsubs)
{
	char *at = name_bytes[next_name++ % 4];
	int len = encode_child(at, dit_span_of(norm), dit_span_of(pretty), id, nsubs);

	assert_true(len > 0);
	return bytes(at, (size_t)len);
}

static struct dit_span child(const char *rdn, uint64_t id, uint64_t nsubs)
{
	return child2(rdn, rdn, id, nsubs);
}

static struct dit_span dummy(void)
{
	return bytes("\0\0\0\0\0\0\0\0\0\0\0\0", 12);
}

static void put_name(MDB_txn *txn, uint64_t id, struct dit_span record)
{
	put(txn, "dn2i", id_span(id), record);
}

/* 400 nodes above each other, and above ID 1000 + 399 the suffix. */
static void put_long_chain(MDB_txn *txn)
{
	char rdn[241];

	memset(rdn, 'x', sizeof(rdn) - 1);
	memcpy(rdn, "cn=", 3);
	rdn[sizeof(rdn) - 1] = '\0';
	for (uint64_t id = 1000; id < 1400; id++) {
		put_name(txn, id, self(rdn, id + 1 < 1400 ? id + 1 : 1));
	}
}

/* Nodes from an ID on, whose parents form a circle. */
static void put_circle(MDB_txn *txn, uint64_t first, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		put_name(txn, first + i, self("cn=round", first + (i + 1) % n));
	}
}

static void del_name(MDB_txn *txn, uint64_t id, struct dit_span record)
{
	del(txn, "dn2i", id_span(id), &record);
}

/* ---- id2v ---- */

/* Most rules order by length, then by bytes; what is ordered ends with the first NUL. */
static int compare_values(const MDB_val *a, const MDB_val *b)
{
	size_t x = strnlen(a->mv_data, a->mv_size);
	size_t y = strnlen(b->mv_data, b->mv_size);

	return x != y ? (x > y) - (x < y) : memcmp(a->mv_data, b->mv_data, x);
}

static int compare_backwards(const MDB_val *a, const MDB_val *b)
{
	return compare_values(b, a);
}

static struct dit_span split_key(MDB_txn *txn, uint64_t id, const char *name)
{
	static char key[10];
	uint16_t number = (uint16_t)number_of(txn, name);

	memcpy(key, &id, sizeof(id));
	memcpy(key + sizeof(id), &number, sizeof(number));
	return bytes(key, sizeof(key));
}

static void put_raw_value(MDB_txn *txn, uint64_t id, const char *name,
                          struct dit_span record)
{
	assert_int_equal(mdb_set_dupsort(txn, test_dbi(txn, "id2v", 0), compare_values),
	                 0);
	put(txn, "id2v", split_key(txn, id, name), record);
}

static struct dit_span value_record(const char *norm, const char *value)
{
	static char record[100];
	size_t norm_len = strlen(norm);
	size_t len = strlen(value);
	uint16_t stored = (uint16_t)len;

	memcpy(record, norm, norm_len + 1);
	memcpy(record + norm_len + 1, value, len + 1);
	memcpy(record + norm_len + len + 2, &stored, sizeof(stored));
	return bytes(record, norm_len + len + 2 + sizeof(stored));
}

static void put_value(MDB_txn *txn, uint64_t id, const char *name, const char *norm,
                      const char *value)
{
	put_raw_value(txn, id, name, value_record(norm, value));
}

static void del_values(MDB_txn *txn, uint64_t id, const char *name)
{
	del(txn, "id2v", split_key(txn, id, name), NULL);
}

static void del_value(MDB_txn *txn, uint64_t id, const char *name, const char *norm)
{
	struct dit_span record = value_record(norm, norm);

	assert_int_equal(mdb_set_dupsort(txn, test_dbi(txn, "id2v", 0), compare_values),
	                 0);
	del(txn, "id2v", split_key(txn, id, name), &record);
}

static void disorder_values(MDB_txn *txn, uint64_t id, const char *name)
{
	static const char *const values[] = {"one", "two", "three"};

	assert_int_equal(
		mdb_set_dupsort(txn, test_dbi(txn, "id2v", 0), compare_backwards), 0);
	del_values(txn, id, name);
	for (int i = 0; i < 3; i++) {
		put(txn, "id2v", split_key(txn, id, name),
		    value_record(values[i], values[i]));
	}
}

/* ---- indexes ---- */

static struct dit_span presence(void)
{
	return bytes("\0\0\0\0", 4);
}

static void put_posting(MDB_txn *txn, const char *name, struct dit_span key, uint64_t id)
{
	put(txn, name, key, id_span(id));
}

static void del_posting(MDB_txn *txn, const char *name, struct dit_span key, uint64_t id)
{
	struct dit_span value = id_span(id);

	del(txn, name, key, &value);
}

static void del_key(MDB_txn *txn, const char *name, struct dit_span key)
{
	del(txn, name, key, NULL);
}

/* The n-th key that an entry has in an index. */
static struct dit_span key_of(MDB_txn *txn, const char *name, uint64_t id, unsigned n)
{
	static char kept[8];
	MDB_cursor *cursor = NULL;
	MDB_val key;
	MDB_val value;

	assert_int_equal(mdb_cursor_open(txn, test_dbi(txn, name, 0), &cursor), 0);
	for (;;) {
		assert_int_equal(mdb_cursor_get(cursor, &key, &value, MDB_NEXT), 0);
		if (memcmp(value.mv_data, &id, sizeof(id)) == 0 && n-- == 0) {
			break;
		}
	}
	assert_in_range(key.mv_size, 1, sizeof(kept));
	memcpy(kept, key.mv_data, key.mv_size);
	mdb_cursor_close(cursor);
	return bytes(kept, key.mv_size);
}

static void make_range(MDB_txn *txn, const char *name, struct dit_span key, uint64_t low,
                       uint64_t high)
{
	del_key(txn, name, key);
	put_posting(txn, name, key, 0);
	put_posting(txn, name, key, low);
	put_posting(txn, name, key, high);
}

static void make_index(MDB_txn *txn, const char *name)
{
	(void)test_dbi(txn, name, MDB_CREATE | INDEX);
}

static void make_pending(MDB_txn *txn)
{
	uint16_t zero = 0;

	(void)test_dbi(txn, "ixck", MDB_CREATE | MDB_INTEGERKEY);
	put(txn, "ixck", bytes((const char *)&zero, sizeof(zero)), id_span(3));
}

#endif
