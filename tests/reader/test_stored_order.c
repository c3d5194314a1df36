/* SPDX-License-Identifier: BSD-2-Clause */
/* The orders and flags of back-mdb's databases. */
#include "test.h"

#include <lmdb.h>

#include "reader/stored_order.h"

static struct dit_key_orders orders_of(const char *name, unsigned flags)
{
	struct dit_key_orders orders;

	memset(&orders, 0, sizeof(orders));
	dit_stored_order(NULL, dit_span_of(name), flags, &orders);
	return orders;
}

static int compare(const struct dit_key_order *order, struct dit_span a,
                   struct dit_span b)
{
	int r = order->compare(order->ctx, (struct dit_span){NULL, 0}, a, b);

	return (r > 0) - (r < 0);
}

TEST(flags_are_those_of_storage_md)
{
	static const struct {
		const char *name;
		unsigned flags;
		bool is_right;
	} cases[] = {
		{"ad2i", 0x08, true},  {"ad2i", 0x00, false}, {"dn2i", 0x0c, true},
		{"dn2i", 0x04, false}, {"id2e", 0x08, true},  {"id2e", 0x0c, false},
		{"id2v", 0x04, true},  {"id2v", 0x34, false}, {"ixck", 0x08, true},
		{"ixck", 0x34, false}, {"cn", 0x34, true},    {"cn", 0x3c, true},
		{"cn", 0x14, false},   {"cn", 0x08, false},   {"id2", 0x08, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(dit_stored_flags_are_right(
					 dit_stored_find(dit_span_of(cases[i].name)),
					 cases[i].flags),
		                 cases[i].is_right);
	}
}

TEST(lengths_are_known)
{
	assert_int_equal(orders_of("ad2i", 0x08).keys.bytes, 4);
	assert_int_equal(orders_of("dn2i", 0x0c).keys.bytes, 8);
	assert_int_equal(orders_of("id2e", 0x08).keys.bytes, 8);
	assert_int_equal(orders_of("id2v", 0x04).keys.bytes, 10);
	assert_int_equal(orders_of("ixck", 0x08).keys.bytes, 2);
	assert_int_equal(orders_of("cn", 0x34).keys.bytes, 0);
	assert_int_equal(orders_of("cn", 0x34).items.bytes, 8);
	assert_int_equal(orders_of("id2v", 0x04).items.kind, DIT_ORDER_UNKNOWN);
}

/* As numbers they are in this order, as bytes they are not. */
TEST(keys_of_id2v_are_two_numbers)
{
	const struct dit_key_orders orders = orders_of("id2v", 0x04);
	const struct dit_span keys[] = {
		{"\xff\0\0\0\0\0\0\0\x02\x01", 10}, /* 255, 258 */
		{"\xff\0\0\0\0\0\0\0\x01\x02", 10}, /* 255, 513 */
		{"\0\x01\0\0\0\0\0\0\x01\0", 10},   /* 256, 1 */
	};

	for (int i = 0; i < 3; i++) {
		for (int j = 0; j < 3; j++) {
			assert_int_equal(compare(&orders.keys, keys[i], keys[j]),
			                 (i > j) - (i < j));
		}
	}
}

TEST(names_are_compared_by_length_and_rdn_alone)
{
	const struct dit_key_orders orders = orders_of("dn2i", 0x0c);

	/* a child: length with the flag, RDN, pretty RDN, numbers */
	assert_int_equal(compare(&orders.items,
	                         DIT_SPAN("\x80\x04"
	                                  "cn=b\0x\0"),
	                         DIT_SPAN("\x80\x05"
	                                  "cn=aa\0x\0")),
	                 -1);
	assert_int_equal(compare(&orders.items,
	                         DIT_SPAN("\x80\x04"
	                                  "cn=b\0x\0"),
	                         DIT_SPAN("\x80\x04"
	                                  "cn=b\0y\0")),
	                 0);
	assert_int_equal(compare(&orders.items,
	                         DIT_SPAN("\0\x09"
	                                  "cn=itself"),
	                         DIT_SPAN("\x80\x01"
	                                  "a")),
	                 -1);
	/* A length that is not there, and records without one. */
	assert_int_equal(compare(&orders.items,
	                         DIT_SPAN("\xff\xff"
	                                  "cn=b"),
	                         DIT_SPAN("\xff\xff"
	                                  "cn=c")),
	                 -1);
	assert_int_equal(compare(&orders.items, DIT_SPAN("x"), DIT_SPAN("y")), -1);
}
