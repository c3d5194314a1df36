/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of the sums of the tree: records of dn2i, as a walk tells them, and records of
 * id2e. Two members take turns at both. The tree:
 *
 *   0  the root
 *   1    dc=x
 *   2      ou=a
 *   4        cn=c
 *   3      ou=b
 */
#include "test.h"

#include "nomem.h"

#include "base/error.h"
#include "check/check_tree_sums.h"
#include "codec/name_fixture.h"

#define HALF (UINT64_C(1) << 63)

enum kind {
	UNCHANGED, /* the record of the sound tree */
	GONE,
	BYTES, /* no record that can be decoded */
	IS_DUMMY,
	IS_CHILD,
	IS_SELF,
};

struct record {
	enum kind kind;
	uint64_t key;
	const char *norm; /* of BYTES: the record */
	const char *pretty;
	uint64_t id; /* as in struct dit_name */
	uint64_t nsubs;
};

/* clang-format off */
#define CHILD(parent, rdn, id, nsubs) {IS_CHILD, (parent), (rdn), (rdn), (id), (nsubs)}
#define SELF(id, rdn, parent)         {IS_SELF, (id), (rdn), (rdn), (parent), 0}

enum { ROOT, X_BELOW, X, A_BELOW, A, B_BELOW, B, C_BELOW, C, NSOUND, MORE = NSOUND, MORE2, NRECORDS };

static const struct record sound[NSOUND] = {
	[ROOT] = {.kind = IS_DUMMY},
	[X_BELOW] = CHILD(0, "dc=x", 1, 4),
	[X] = SELF(1, "dc=x", 0),
	[A_BELOW] = CHILD(1, "ou=a", 2, 2),
	[A] = SELF(2, "ou=a", 1),
	[B_BELOW] = CHILD(1, "ou=b", 3, 1),
	[B] = SELF(3, "ou=b", 1),
	[C_BELOW] = CHILD(2, "cn=c", 4, 1),
	[C] = SELF(4, "cn=c", 2),
};

/* Each of them has a finding in check_tree.c. */
static const struct damage {
	const char *name;
	struct {
		unsigned at;
		struct record record;
	} changes[4];
} damages[] = {
	{"no root", {{ROOT, {.kind = GONE}}}},
	{"two roots", {{MORE, {.kind = IS_DUMMY}}}},
	{"a root with a name", {{MORE, SELF(0, "dc=y", 0)}}},
	{"a record of no key is no root's", {{MORE, {IS_DUMMY, .key = 3}}}},
	{"no own record", {{C, {.kind = GONE}}}},
	{"two own records", {{MORE, SELF(4, "cn=d", 2)}}},
	{"no record below the parent", {{C_BELOW, {.kind = GONE}}}},
	{"two records below parents", {{MORE, CHILD(3, "cn=c", 4, 1)}}},
	{"a node without an entry", {{MORE, CHILD(3, "cn=d", 5, 1)}, {MORE2, SELF(5, "cn=d", 3)}, {B_BELOW, CHILD(1, "ou=b", 3, 2)}, {X_BELOW, CHILD(0, "dc=x", 1, 5)}}},
	{"below another parent", {{C_BELOW, CHILD(3, "cn=c", 4, 1)}}},
	{"another parent", {{C, SELF(4, "cn=c", 3)}}},
	{"its own parent", {{C, SELF(4, "cn=c", 4)}}},
	{"another ID below", {{C_BELOW, CHILD(2, "cn=c", 3, 1)}}},
	{"ID 0 below", {{MORE, CHILD(3, "cn=d", 0, 1)}}},
	{"another name", {{C_BELOW, CHILD(2, "cn=d", 4, 1)}}},
	{"another spelling", {{C_BELOW, {IS_CHILD, 2, "cn=c", "CN=c", 4, 1}}}},
	{"names of neighbours", {{A, SELF(2, "ou=b", 1)}, {B, SELF(3, "ou=a", 1)}}},
	{"a count too high", {{B_BELOW, CHILD(1, "ou=b", 3, 2)}}},
	{"a count too low", {{A_BELOW, CHILD(1, "ou=a", 2, 1)}}},
	{"a count of 0", {{C_BELOW, CHILD(2, "cn=c", 4, 0)}}},
	{"the suffix counts wrong", {{X_BELOW, CHILD(0, "dc=x", 1, 5)}}},
	{"the highest count", {{X_BELOW, CHILD(0, "dc=x", 1, UINT64_MAX)}}},
	{"2^63 too many", {{C_BELOW, CHILD(2, "cn=c", 4, HALF + 1)}}},
	{"2^63 too many, of the suffix", {{X_BELOW, CHILD(0, "dc=x", 1, HALF + 4)}}},
	{"2^64 too many together", {{A_BELOW, CHILD(1, "ou=a", 2, HALF + 2)}, {B_BELOW, CHILD(1, "ou=b", 3, HALF + 1)}}},
	{"counts that make up for each other", {{A_BELOW, CHILD(1, "ou=a", 2, 1)}, {B_BELOW, CHILD(1, "ou=b", 3, 2)}}},
	{"a circle", {{A_BELOW, CHILD(4, "ou=a", 2, 2)}, {A, SELF(2, "ou=a", 4)}, {X_BELOW, CHILD(0, "dc=x", 1, 2)}}},
	{"a circle of counts that grow", {{A_BELOW, CHILD(4, "ou=a", 2, 2)}, {A, SELF(2, "ou=a", 4)}, {C_BELOW, CHILD(2, "cn=c", 4, 3)}, {X_BELOW, CHILD(0, "dc=x", 1, 2)}}},
	{"another suffix", {{X, SELF(1, "dc=y", 0)}, {X_BELOW, CHILD(0, "dc=y", 1, 4)}}},
	{"a second topmost node", {{B, SELF(3, "ou=b", 0)}, {B_BELOW, CHILD(0, "ou=b", 3, 1)}, {X_BELOW, CHILD(0, "dc=x", 1, 3)}}},
	{"a record cut off", {{MORE, {BYTES, .key = 3, .norm = "\x80\x01zzzz"}}}},
	{"a record of the root's that is none", {{MORE, {BYTES, .key = 0, .norm = "zz"}}}},
};
/* clang-format on */
#define NDAMAGES (sizeof(damages) / sizeof(damages[0]))

/* ---- what members see ---- */

static struct dit_check_tree_sums *begin(const char *suffix)
{
	struct dit_check_tree_sums *sums = NULL;

	assert_int_equal(dit_check_tree_sums_new(&sums, 2, dit_span_of(suffix)), 0);
	return sums;
}

static struct dit_span encode(const struct record *record, char *out)
{
	int len = 0;

	switch (record->kind) {
	case BYTES:
		return dit_span_of(record->norm);
	case IS_CHILD:
		len = encode_child(out, dit_span_of(record->norm),
		                   dit_span_of(record->pretty), record->id,
		                   record->nsubs);
		break;
	case IS_SELF:
		len = encode_self(out, dit_span_of(record->norm),
		                  dit_span_of(record->pretty), record->id);
		break;
	default:
		return (struct dit_span){"\0\0\0\0\0\0\0\0\0\0\0", 12};
	}
	assert_true(len > 0);
	return (struct dit_span){out, (size_t)len};
}

/* The walk tells the list, then the item. */
static void note(struct dit_check_tree_sums *sums, unsigned member,
                 const struct record *record)
{
	char bytes[DIT_NAME_RECORD_MAX];
	struct dit_walk_list list = {.name = "dn2i",
	                             .key = {(const char *)&record->key, 8},
	                             .nitems = 1,
	                             .items = {"", 0}};

	if (record->kind == UNCHANGED || record->kind == GONE) {
		return;
	}
	dit_check_tree_sums_note(sums, member, &list);
	list.is_more = true;
	list.items = encode(record, bytes);
	dit_check_tree_sums_note(sums, member, &list);
}

static void take(struct dit_check_tree_sums *sums, unsigned member, uint64_t id)
{
	const struct dit_entry_view entry = {.id = id};

	dit_check_tree_sums_take(sums, member, &entry);
}

static void take_all(struct dit_check_tree_sums *sums)
{
	for (uint64_t id = 1; id <= 4; id++) {
		take(sums, id % 2, id);
	}
}

/* @param stride  no divisor of NRECORDS: which record comes after which */
static void note_all(struct dit_check_tree_sums *sums, const struct damage *damage,
                     unsigned stride)
{
	struct record records[NRECORDS] = {{.kind = UNCHANGED}};

	memcpy(records, sound, sizeof(sound));
	for (int i = 0; i < 4 && damage != NULL; i++) {
		if (damage->changes[i].record.kind != UNCHANGED) {
			records[damage->changes[i].at] = damage->changes[i].record;
		}
	}
	for (unsigned i = 0; i < NRECORDS; i++) {
		note(sums, i / 2 % 2, &records[i * stride % NRECORDS]);
	}
}

/* ---- tests ---- */

TEST(a_sound_tree_agrees_in_any_order)
{
	for (unsigned stride = 1; stride < NRECORDS; stride++) {
		struct dit_check_tree_sums *sums = begin("dc=x");

		assert_false(dit_check_tree_sums_end(sums));
		if (stride % 2 == 0) {
			take_all(sums);
		}
		note_all(sums, NULL, stride);
		assert_int_equal(dit_check_tree_sums_end(sums), stride % 2 == 0);
		if (stride % 2 != 0) {
			take_all(sums);
		}
		assert_true(dit_check_tree_sums_end(sums));
		dit_check_tree_sums_free(sums);
	}
}

TEST(every_damage_is_seen)
{
	for (size_t i = 0; i < NDAMAGES; i++) {
		struct dit_check_tree_sums *sums = begin("dc=x");

		note_all(sums, &damages[i], 1);
		take_all(sums);
		if (dit_check_tree_sums_end(sums)) {
			fail_msg("%s", damages[i].name);
		}
		dit_check_tree_sums_free(sums);
	}
}

/* In 64 bits, every second weight would hide the highest bit. */
TEST(a_count_is_seen_with_any_seed)
{
	for (int run = 0; run < 200; run++) {
		for (unsigned bit = 0; bit < 64; bit++) {
			struct damage damage = {"", {{C_BELOW, CHILD(2, "cn=c", 4, 1)}}};
			struct dit_check_tree_sums *sums = begin("dc=x");

			damage.changes[0].record.nsubs += UINT64_C(1) << bit;
			note_all(sums, &damage, 1);
			take_all(sums);
			assert_false(dit_check_tree_sums_end(sums));
			dit_check_tree_sums_free(sums);
		}
	}
}

TEST(with_the_empty_suffix_any_name_is_topmost)
{
	static const struct damage other = {
		"", {{X, SELF(1, "dc=y", 0)}, {X_BELOW, CHILD(0, "dc=y", 1, 4)}}};
	struct dit_check_tree_sums *sums = begin("");

	note_all(sums, &other, 1);
	take_all(sums);
	assert_true(dit_check_tree_sums_end(sums));
	dit_check_tree_sums_free(sums);
}

TEST(entries_are_those_of_the_nodes)
{
	static const struct {
		const char *name;
		uint64_t left_out;
		struct dit_entry_view more;
		bool agree;
	} cases[] = {
		{"none missing", 2, {.id = 2}, true},
		{"another ID", 2, {.id = 5}, false},
		{"a surplus one", 0, {.id = 5}, false},
		{"a high ID", 0, {.id = HALF}, false},
		{"ID 0", 0, {.id = 0}, false},
		{"a hole", 2, {.id = 2, .is_hole = true}, false},
		{"unreadable", 2, {.id = 2, .record_error = DIT_E_CORRUPT}, true},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dit_check_tree_sums *sums = begin("dc=x");

		note_all(sums, NULL, 1);
		for (uint64_t id = 1; id <= 4; id++) {
			if (id != cases[i].left_out) {
				take(sums, 0, id);
			}
		}
		assert_int_equal(dit_check_tree_sums_end(sums), cases[i].left_out == 0);
		dit_check_tree_sums_take(sums, 1, &cases[i].more);
		if (dit_check_tree_sums_end(sums) != cases[i].agree) {
			fail_msg("%s", cases[i].name);
		}
		dit_check_tree_sums_free(sums);
	}
}

TEST(a_key_that_is_no_id_does_not_agree)
{
	const struct dit_walk_list list = {.name = "dn2i",
	                                   .key = {"\x04\0\0\0", 4},
	                                   .nitems = 1,
	                                   .items = {"", 0},
	                                   .is_more = true};
	struct dit_check_tree_sums *sums = begin("dc=x");

	note_all(sums, NULL, 1);
	take_all(sums);
	dit_check_tree_sums_note(sums, 1, &list);
	assert_false(dit_check_tree_sums_end(sums));
	dit_check_tree_sums_free(sums);
}

/* 2 has wrong records, 3 has none. */
TEST(nodes_of_wrong_buckets_are_wanted)
{
	static const struct damage other = {"", {{A, SELF(2, "ou=x", 1)}}};
	struct dit_check_tree_sums *sums = begin("dc=x");

	note_all(sums, &other, 1);
	take_all(sums);
	assert_false(dit_check_tree_sums_end(sums));
	for (uint64_t id = 0; id <= 4; id++) {
		assert_int_equal(dit_check_tree_sums_is_wanted(sums, id), id == 2);
	}
	dit_check_tree_sums_free(sums);
}

/* Its children agree, so only the counts below it tell. */
TEST(a_key_of_children_alone_is_wanted)
{
	static const struct damage counts[] = {
		{"", {{MORE, CHILD(9, "cn=d", 5, 0)}, {MORE2, SELF(5, "cn=d", 9)}}},
		{"", {{MORE, CHILD(9, "cn=d", 5, 1)}, {MORE2, SELF(5, "cn=d", 9)}}},
	};

	for (int i = 0; i < 2; i++) {
		struct dit_check_tree_sums *sums = begin("dc=x");

		note_all(sums, &counts[i], 1);
		take_all(sums);
		take(sums, 0, 5);
		assert_false(dit_check_tree_sums_end(sums));
		assert_true(dit_check_tree_sums_is_wanted(sums, 9));
		dit_check_tree_sums_free(sums);
	}
}

TEST(no_memory_is_an_error)
{
	struct dit_check_tree_sums *sums = NULL;

	for (long n = 0; n < 2; n++) {
		countdown = n;
		assert_int_equal(dit_check_tree_sums_new(&sums, 2, DIT_SPAN("dc=x")),
		                 -ENOMEM);
		countdown = -1;
		assert_null(sums);
	}
	dit_check_tree_sums_free(NULL);
}
