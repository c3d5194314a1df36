/* SPDX-License-Identifier: BSD-2-Clause */
/* The highest change sequence number of each server; texts that have no server. */
#include "test.h"

#include "job/csn_list.h"
#include "nomem.h"

TEST(servers_are_read)
{
	static const struct {
		const char *text;
		int sid;
	} cases[] = {
		{"20260101120000.000000Z#000000#000#000000", 0},
		{"20260101120000.000000Z#000000#00a#000000", 10},
		{"20260101120000.000000Z#000000#fff#000000", 4095},
		{"20260101120000.000000Z#000000#00A#000000", 10},
		{"20260101120000.000000Z#000000#000", -1},
		{"20260101120000.000000Z#000000#00#000000", 0},
		{"20260101120000.000000Z", -1},
		{"#", -1},
		{"##", -1},
		{"##000#", 0},
		{"", -1},
		{"20260101120000.000000Z#000000#000#000000000000000000000000000000", -1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(dit_csn_list_sid(dit_span_of(cases[i].text)),
		                 cases[i].sid);
	}
}

static int take(struct dit_csn_list *list, const char *text, uint64_t id)
{
	return dit_csn_list_take(list, dit_span_of(text), id);
}

TEST(the_highest_of_each_server_is_kept)
{
	struct dit_csn_list list = {.n = 0};

	assert_null(dit_csn_list_find(&list, 0));
	assert_int_equal(take(&list, "5##002#", 1), 0);
	assert_int_equal(take(&list, "3##001#", 2), 0);
	assert_int_equal(take(&list, "4##002#", 3), 1);
	assert_int_equal(take(&list, "5##002#", 4), 0);  /* the same: the later entry */
	assert_int_equal(take(&list, "10##001#", 5), 0); /* longer is higher */
	assert_int_equal(list.n, 2);
	assert_int_equal(list.list[0].sid, 1);
	assert_int_equal(dit_csn_list_find(&list, 1)->id, 5);
	assert_int_equal(dit_csn_list_find(&list, 2)->id, 4);
	assert_null(dit_csn_list_find(&list, 3));
	assert_true(dit_csn_compare(DIT_SPAN("6##002#"), &list.list[1]) > 0);
	assert_true(dit_csn_compare(DIT_SPAN("5##002#"), &list.list[1]) == 0);
	assert_true(dit_csn_compare(DIT_SPAN("##002#"), &list.list[1]) < 0);
	dit_csn_list_deinit(&list);
	assert_null(dit_csn_list_find(&list, 1));
}

TEST(no_memory_is_an_error)
{
	struct dit_csn_list list = {.n = 0};

	assert_no_memory(take(&list, "5##002#", 1));
	assert_int_equal(list.n, 0);
}
