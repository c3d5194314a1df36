/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The promises of index/index_keys.h. The keys of tests/data/index-key-vectors.tsv were
 * made by slapadd 2.5.13; all are checked.
 */
#include "index/index_keys.h"

#include <ctype.h>

#include "base/error.h"
#include "index/index_fixture.h"

#include "index/index_work.h"
#include "index/key_hash.h"

#define VALUES_MAX 16

static unsigned kinds_of(const char *text)
{
	unsigned kinds = 0;

	kinds |= strstr(text, "pres") != NULL ? DIT_INDEX_PRES : 0;
	kinds |= strstr(text, "eq") != NULL ? DIT_INDEX_EQ : 0;
	kinds |= strstr(text, "sub") != NULL ? DIT_INDEX_SUB : 0;
	kinds |= strstr(text, "approx") != NULL ? DIT_INDEX_APPROX : 0;
	return kinds;
}

static struct dit_index_params params_of(const char *directives)
{
	struct dit_index_params params = usual_params;
	const char *number = strrchr(directives, ' ');
	unsigned n = number == NULL ? 0 : (unsigned)atoi(number);

	if (strncmp(directives, "index_intlen", 12) == 0) {
		params.intlen = n;
	} else if (strncmp(directives, "index_substr_if_minlen", 22) == 0) {
		params.substr_if_minlen = n;
	} else if (strncmp(directives, "index_substr_if_maxlen", 22) == 0) {
		params.substr_if_maxlen = n;
	} else if (strncmp(directives, "index_substr_any_len", 20) == 0) {
		params.substr_any_len = n;
	} else if (strcmp(directives, "index_hash64 on") == 0) {
		params.hash64 = true;
	} else if (strcmp(directives, "-") != 0 &&
	           strncmp(directives, "index_substr_any_step", 21) != 0) {
		fail_msg("unknown directive: %s", directives);
	}
	return params;
}

/** "hex:61,hex:62" -> values in the arena. */
static size_t parse_values(struct fixture *f, char *text, struct dit_span *values)
{
	size_t n = 0;

	for (char *v = strtok(text, ","); v != NULL; v = strtok(NULL, ",")) {
		char *bytes = NULL;
		size_t len = 0;

		v += strncmp(v, "hex:", 4) == 0 ? 4 : 0;
		bytes = dit_arena_bytes(&f->arena, strlen(v) / 2 + 1);
		for (; isxdigit((unsigned char)v[2 * len]); len++) {
			unsigned byte = 0;

			assert_int_equal(sscanf(v + 2 * len, "%2x", &byte), 1);
			bytes[len] = (char)byte;
		}
		assert_true(n < VALUES_MAX);
		values[n++] = (struct dit_span){bytes, len};
	}
	return n;
}

/** The classes that the entry of a vector has anyway (see values.md 6.11, appendix A). */
static size_t add_class_values(const char *attribute, struct dit_span *values, size_t n)
{
	if (strcmp(attribute, "objectClass") == 0 && n == 0) {
		values[n++] = DIT_SPAN("domain");
		values[n++] = DIT_SPAN("extensibleObject");
	} else if (strcmp(attribute, "objectClass") == 0) {
		values[n++] = DIT_SPAN("dcObject");
	} else if (strcmp(attribute, "structuralObjectClass") == 0) {
		values[n++] = DIT_SPAN("domain");
	}
	return n;
}

static void check_vector(struct fixture *f, char *const columns[7], bool integer_keys)
{
	struct dit_index_params params = params_of(columns[3]);
	struct dit_index_spec spec = {find_ad(f, columns[1]), kinds_of(columns[2])};
	struct dit_index_set *set = new_set(f, &spec, 1, &params, integer_keys);
	struct dit_index_work *work = NULL;
	struct dit_span values[VALUES_MAX];
	char text[8192] = "";
	char *at = text;
	size_t nvalues = 0;

	(void)snprintf(text, sizeof(text), "%s", columns[4]);
	nvalues = parse_values(f, text, values);
	if (nvalues == 0 && columns[4][0] == '\0' &&
	    strstr(columns[0], "Class") == NULL) {
		values[nvalues++] = DIT_SPAN("");
	}
	nvalues = add_class_values(columns[0], values, nvalues);
	assert_int_equal(dit_index_work_new(&work, set), 0);
	assert_int_equal(keys_of(f, set, work, make_attr(f, columns[0], values, nvalues)),
	                 0);
	dit_index_work_free(work);

	sort_keys(f->keys);
	at += sprintf(at, "%s", f->keys->n == 0 ? "-" : "");
	for (size_t i = 0; i < f->keys->n; i++) {
		at += sprintf(at, "%s%s", i == 0 ? "" : ",",
		              strchr(f->keys->text[i], ' ') + 1);
	}
	if (strcmp(text, columns[5]) != 0) {
		fail_msg("%s: %s of %s: %s, should be %s", columns[1], columns[2],
		         columns[4], text, columns[5]);
	}
	dit_index_set_free(set);
}

SETUP_TEST(vectors_have_slapadds_keys)
{
	struct fixture *f = *state;
	FILE *file = fopen(test_data("index-key-vectors.tsv"), "r");
	char *line = NULL;
	size_t size = 0;
	unsigned nchecked = 0;

	assert_non_null(file);
	assert_true(getline(&line, &size, file) > 0); /* heading */
	while (getline(&line, &size, file) > 0) {
		char *columns[7] = {NULL};
		char *rest = line;

		line[strcspn(line, "\n")] = '\0';
		for (size_t i = 0; i < 7 && rest != NULL; i++) {
			columns[i] = strsep(&rest, "\t");
		}
		assert_non_null(columns[5]);
		check_vector(f, columns, false);
		check_vector(f, columns, true);
		nchecked++;
	}
	assert_int_equal(nchecked, 149);
	free(line);
	fclose(file);
}

/* storage.md 5.2: the measured example, and what follows from the text. */
SETUP_TEST(supertypes_and_options_choose_the_definitions)
{
	static const struct {
		const char *indexes[4]; /* description, kinds, ... */
		const char *attribute;
		const char *value;
		const char *keys[4];
	} cases[] = {
		{{"cn", "pres,eq"}, "cn", "base", {"cn 00000000", "cn c721cab3"}},
		{{"cn", "pres,eq"}, "cn", "b2", {"cn 00000000", "cn 74382b6e"}},
		{{"cn", "pres,eq"},
	         "cn;lang-en",
	         "tagged",
	         {"cn 00000000", "cn 44984567"}},
		{{"cn;lang-en", "pres,eq"},
	         "cn;lang-en",
	         "tagged",
	         {"cn 00000000", "cn 27dd950a"}},
		{{"cn;lang-en", "pres,eq"}, "cn", "base", {NULL}},
		{{"cn;lang-en", "pres,eq"}, "cn;lang-de", "base", {NULL}},
		{{"cn;lang-en", "pres,eq"}, "cn;lang-de;lang-en", "base", {NULL}},
		{{"cn", "pres", "cn;lang-en", "pres,eq"},
	         "cn;lang-en",
	         "tagged",
	         {"cn 00000000", "cn 00000000", "cn 27dd950a"}},
		{{"name;lang-en", "eq"}, "cn;lang-en", "tagged", {"name 097ecfd0"}},
		{{"cn", "eq", "name", "pres"},
	         "cn",
	         "base",
	         {"name 00000000", "cn c721cab3"}},
		{{"cn", "eq", "name", "pres"}, "sn", "base", {"name 00000000"}},
		{{"cn", "eq", "name", "pres"}, "description", "base", {NULL}},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dit_index_spec specs[2];
		struct dit_index_set *set = NULL;
		size_t nspecs = 0;

		for (size_t k = 0; k < 4 && cases[i].indexes[k] != NULL; k += 2) {
			specs[nspecs++] = (struct dit_index_spec){
				find_ad(f, cases[i].indexes[k]),
				kinds_of(cases[i].indexes[k + 1])};
		}
		set = new_set(f, specs, nspecs, &usual_params, i % 2 == 0);
		make_keys(f, set, cases[i].attribute, cases[i].value, NULL);
		for (size_t k = 0; k < 4; k++) {
			if (cases[i].keys[k] == NULL) {
				assert_int_equal(f->keys->n, k);
				break;
			}
			assert_string_equal(f->keys->text[k], cases[i].keys[k]);
		}
		dit_index_set_free(set);
	}
}

SETUP_TEST(definitions_of_a_type_share_its_database)
{
	struct fixture *f = *state;
	struct dit_index_spec specs[] = {
		{find_ad(f, "commonName"), DIT_INDEX_EQ},
		{find_ad(f, "surname"), DIT_INDEX_EQ},
		{find_ad(f, "cn;lang-de"), DIT_INDEX_EQ},
	};
	struct dit_index_set *set = new_set(f, specs, 3, &usual_params, true);

	assert_int_equal(dit_index_set_ndbs(set), 2);
	assert_string_equal(dit_index_set_db(set, 0)->name, "cn");
	assert_string_equal(dit_index_set_db(set, 1)->name, "sn");
	dit_index_set_free(set);
}

/* storage.md 1.5 */
SETUP_TEST(formats_follow_from_the_keys)
{
	static const struct {
		const char *name;
		const char *kinds;
		const char *tagged_kinds; /* of a definition with options, or NULL */
		unsigned intlen;
		bool hash64;
		bool integer_keys;
		enum dit_key_format format;
	} cases[] = {
		{"cn", "pres,eq,sub", NULL, 4, false, true, DIT_KEY_INT32},
		{"cn", "pres,eq,sub", NULL, 4, false, false, DIT_KEY_BYTES32},
		{"cn", "pres", NULL, 4, true, true, DIT_KEY_INT32},
		{"cn", "eq,sub", NULL, 4, true, true, DIT_KEY_INT64},
		{"cn", "eq,sub", NULL, 4, true, false, DIT_KEY_BYTES64},
		{"cn", "pres,eq", NULL, 4, true, true, DIT_KEY_BYTES64},
		{"cn", "eq", "pres", 4, true, true, DIT_KEY_BYTES64},
		{"cn", "eq", "sub", 4, true, true, DIT_KEY_INT64},
		{"cn", "pres", "sub", 4, false, true, DIT_KEY_INT32},
		{"jpegPhoto", "pres", NULL, 4, false, true, DIT_KEY_INT32},
		{"tINT", "eq", NULL, 4, false, true, DIT_KEY_BYTES32},
		{"tINT", "pres,eq", NULL, 4, true, true, DIT_KEY_BYTES32},
		{"tINT", "pres", NULL, 4, false, true, DIT_KEY_BYTES32},
		{"tINT", "eq", NULL, 7, false, true, DIT_KEY_SHORT},
		{"tINT", "pres,eq", NULL, 5, false, true, DIT_KEY_SHORT},
		{"tINT", "eq", NULL, 8, false, true, DIT_KEY_BYTES64},
		{"tINT", "pres,eq", NULL, 8, false, true, DIT_KEY_BYTES64},
		{"tINT", "eq", NULL, 16, false, true, DIT_KEY_WIDE},
		{"tINT", "eq", NULL, 1, false, true, DIT_KEY_BYTES32},
		{"tINT", "eq", NULL, 1000, false, true, DIT_KEY_WIDE},
		{"tGT", "eq", NULL, 4, false, true, DIT_KEY_SHORT},
		{"tGT", "pres,eq", NULL, 4, true, true, DIT_KEY_SHORT},
		{"timeWithPieces", "eq,sub", NULL, 4, false, true, DIT_KEY_SHORT},
		{"timeWithPieces", "eq,sub", NULL, 4, true, true, DIT_KEY_WIDE},
		{"tIFC", "eq", NULL, 4, false, true, DIT_KEY_INT32},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dit_index_params params = usual_params;
		struct dit_index_spec specs[2] = {
			{find_ad(f, cases[i].name), kinds_of(cases[i].kinds)}};
		const struct dit_index_db *db = NULL;
		struct dit_index_set *set = NULL;
		char tagged[64];

		(void)snprintf(tagged, sizeof(tagged), "%s;lang-en", cases[i].name);
		params.intlen = cases[i].intlen;
		params.hash64 = cases[i].hash64;
		if (cases[i].tagged_kinds != NULL) {
			specs[1] = (struct dit_index_spec){
				find_ad(f, tagged), kinds_of(cases[i].tagged_kinds)};
		}
		set = new_set(f, specs, cases[i].tagged_kinds == NULL ? 1 : 2, &params,
		              cases[i].integer_keys);
		db = dit_index_set_db(set, 0);
		print_message("  %s %s\n", cases[i].name, cases[i].kinds);
		assert_int_equal(db->format, cases[i].format);
		assert_true(dit_index_set_longest_key(set, 0) <= 255);
		assert_int_equal(db->is_integerkey,
		                 cases[i].format == DIT_KEY_INT32 ||
		                         cases[i].format == DIT_KEY_INT64);
		assert_int_equal(db->has_presence,
		                 cases[i].format == DIT_KEY_BYTES64 &&
		                         (strstr(cases[i].kinds, "pres") != NULL ||
		                          cases[i].tagged_kinds != NULL));
		dit_index_set_free(set);
	}
}

/* storage.md 5.4: insertions count, so repeats are kept, in slapd's order. */
SETUP_TEST(keys_come_in_order_with_repeats)
{
	struct fixture *f = *state;
	struct dit_index_spec spec = {find_ad(f, "description"),
	                              DIT_INDEX_PRES | DIT_INDEX_EQ | DIT_INDEX_SUB};

	for (int hash64 = 0; hash64 <= 1; hash64++) {
		struct dit_index_params params = usual_params;
		struct dit_index_set *set = NULL;

		params.hash64 = hash64;
		set = new_set(f, &spec, 1, &params, false);
		make_keys(f, set, "description", "aaaaa", "AAAAA");
		assert_int_equal(f->keys->n, 1 + 2 + 2 * (2 + 3 + 3));
		assert_string_equal(f->keys->text[0], "description 00000000");
		assert_string_equal(f->keys->text[1], f->keys->text[2]);
		/* "aaaa" stands at two places of each value. */
		assert_int_equal(count_key(f->keys, f->keys->text[3]), 4);
		/* The presence key comes apart, since it has no ordinal. */
		assert_int_equal(f->keys->ncalls, hash64 ? 2 : 1);
		dit_index_set_free(set);
	}
}

/* Each was seen in slapadd 2.5.13 by filling the list of a class to its limit. */
SETUP_TEST(listed_classes_repeat_and_superclasses_do_not)
{
	struct fixture *f = *state;
	struct dit_index_spec spec = {find_ad(f, "objectClass"), DIT_INDEX_EQ};
	struct dit_index_set *set = new_set(f, &spec, 1, &usual_params, false);

	make_keys(f, set, "objectClass", "inetOrgPerson", NULL);
	assert_int_equal(f->keys->n, 4);
	assert_int_equal(count_key(f->keys, "objectClass 8c70ccf9"), 1); /* person */
	make_keys(f, set, "objectClass", "inetOrgPerson", "person");
	assert_int_equal(f->keys->n, 4);
	make_keys(f, set, "objectClass", "person", "2.5.6.6");
	assert_int_equal(f->keys->n, 3);
	assert_int_equal(count_key(f->keys, "objectClass 8c70ccf9"), 2);
	assert_int_equal(count_key(f->keys, "objectClass 0096defd"), 1); /* top */
	dit_index_set_free(set);
}

/* Lists in turn, with one memory and with a new one each time. */
SETUP_TEST(the_list_before_changes_no_class_keys)
{
	static char name[600];
	static struct dit_span lists[][40] = {
		{DIT_SPAN("person"), DIT_SPAN("inetOrgPerson")},
		{DIT_SPAN("person"), DIT_SPAN("2.5.6.6")},
		{DIT_SPAN("personi"), DIT_SPAN("netOrgPerson")},
		{DIT_SPAN("noSuchClass"), DIT_SPAN("")},
		{DIT_SPAN("a\0b"), DIT_SPAN("c")},
		{DIT_SPAN("a"), DIT_SPAN("b\0c")},
		{{name, sizeof(name)}, DIT_SPAN("person")},
		{DIT_SPAN("person"), {name, 500}},
	};
	static struct keys alone;
	struct fixture *f = *state;
	struct dit_index_spec spec = {find_ad(f, "objectClass"), DIT_INDEX_EQ};
	struct dit_index_set *set = new_set(f, &spec, 1, &usual_params, false);
	struct dit_index_work *work = NULL;

	memset(name, 'n', sizeof(name));
	for (size_t k = 2; k < 40; k++) {
		lists[0][k] = DIT_SPAN("person");
	}
	assert_int_equal(dit_index_work_new(&work, set), 0);
	for (size_t i = 0; i < 400; i++) {
		size_t list = i * i / 3 % (sizeof(lists) / sizeof(lists[0]));
		struct dit_attr attr = {.ad = spec.ad,
		                        .values = lists[list],
		                        .nvalues = list > 0 ? 2 : i % 41};
		struct dit_index_work *fresh = NULL;

		assert_int_equal(dit_index_work_new(&fresh, set), 0);
		assert_int_equal(keys_of(f, set, fresh, attr), 0);
		alone = *f->keys;
		assert_int_equal(keys_of(f, set, work, attr), 0);
		assert_int_equal(f->keys->n, alone.n);
		for (size_t k = 0; k < alone.n; k++) {
			assert_string_equal(f->keys->text[k], alone.text[k]);
		}
		dit_index_work_free(fresh);
	}
	dit_index_work_free(work);
	dit_index_set_free(set);
}

SETUP_TEST(unknown_classes_are_hashed_as_they_are)
{
	struct dit_span values[] = {DIT_SPAN("noSuchClass"), DIT_SPAN("")};
	struct fixture *f = *state;
	struct dit_index_spec spec = {find_ad(f, "objectClass"), DIT_INDEX_EQ};
	struct dit_index_set *set = new_set(f, &spec, 1, &usual_params, false);
	struct dit_attr attr = {
		.ad = find_ad(f, "objectClass"), .values = values, .nvalues = 2};
	struct dit_index_work *work = NULL;

	assert_int_equal(dit_index_work_new(&work, set), 0);
	assert_int_equal(keys_of(f, set, work, attr), 0);
	assert_int_equal(f->keys->n, 2);
	dit_index_work_free(work);
	dit_index_set_free(set);
}

SETUP_TEST(derived_types_have_class_keys_too)
{
	struct fixture *f = *state;
	struct dit_index_spec spec = {find_ad(f, "alsoClass"), DIT_INDEX_EQ};
	struct dit_index_set *set = new_set(f, &spec, 1, &usual_params, false);

	make_keys(f, set, "alsoClass", "person", NULL);
	assert_int_equal(f->keys->n, 2); /* person, top */
	dit_index_set_free(set);
}

SETUP_TEST(only_a_bit_string_at_the_end_is_a_uid)
{
	static const struct {
		const char *value;
		const char *hashed;
	} cases[] = {
		{"cn=a,dc=x", "cn=a,dc=x"},
		{"cn=a,dc=x#'0101'B", "cn=a,dc=x"},
		{"cn=a,dc=x#''B", "cn=a,dc=x"},
		{"#'1'B", ""},
		{"cn=a,dc=x#'012'B", "cn=a,dc=x#'012'B"},
		{"cn=a,dc=x#'B", "cn=a,dc=x#'B"},
		{"cn=a,dc=x#'01'", "cn=a,dc=x#'01'"},
		{"cn=a,dc=x#0'B", "cn=a,dc=x#0'B"},
		{"", ""},
	};
	struct fixture *f = *state;
	struct dit_index_spec spec = {find_ad(f, "uniqueMember"), DIT_INDEX_EQ};
	struct dit_index_set *set = new_set(f, &spec, 1, &usual_params, false);
	struct dit_index_work *work = NULL;

	assert_int_equal(dit_index_work_new(&work, set), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dit_span value = dit_span_of(cases[i].value);
		char text[128] = "uniqueMember" S "342.5.13.23";
		char expected[64];
		uint32_t hash = 0x811c9dc5u;

		strcat(text, cases[i].hashed);
		for (size_t k = 0; text[k] != '\0'; k++) {
			hash = hash * 16777619u ^ (unsigned char)text[k];
		}
		(void)snprintf(expected, sizeof(expected), "uniqueMember %08x",
		               __builtin_bswap32(hash));
		assert_int_equal(keys_of(f, set, work,
		                         (struct dit_attr){.ad = spec.ad,
		                                           .values = &value,
		                                           .normal = &value,
		                                           .nvalues = 1}),
		                 0);
		assert_string_equal(f->keys->text[0], expected);
	}
	dit_index_work_free(work);
	dit_index_set_free(set);
}

SETUP_TEST(times_that_are_none_have_no_key)
{
	struct dit_span value = DIT_SPAN("yesterday");
	struct fixture *f = *state;
	struct dit_index_spec spec = {find_ad(f, "tGT"), DIT_INDEX_EQ};
	struct dit_index_set *set = new_set(f, &spec, 1, &usual_params, false);
	struct dit_index_work *work = NULL;

	assert_int_equal(dit_index_work_new(&work, set), 0);
	assert_int_equal(keys_of(f, set, work,
	                         (struct dit_attr){.ad = spec.ad,
	                                           .values = &value,
	                                           .normal = &value,
	                                           .nvalues = 1}),
	                 0);
	assert_int_equal(f->keys->ncalls, 0);
	dit_index_work_free(work);
	dit_index_set_free(set);
}

SETUP_TEST(errors_of_callbacks_come_back)
{
	struct fixture *f = *state;
	struct dit_index_spec specs[] = {
		{find_ad(f, "cn"), DIT_INDEX_PRES | DIT_INDEX_EQ},
		{find_ad(f, "tINT"), DIT_INDEX_PRES | DIT_INDEX_EQ},
	};
	struct dit_span value = DIT_SPAN("7");
	struct dit_index_params params = usual_params;

	for (int wide = 0; wide <= 1; wide++) {
		struct dit_index_set *set = NULL;
		struct dit_index_work *work = NULL;

		params.hash64 = wide;
		params.intlen = wide ? 16 : 4;
		set = new_set(f, specs, 2, &params, true);
		assert_int_equal(dit_index_work_new(&work, set), 0);
		f->keys->error = -ENOSPC;
		assert_int_equal(keys_of(f, set, work, make_attr(f, "cn", &value, 1)),
		                 -ENOSPC);
		assert_int_equal(f->keys->ncalls, 1);
		assert_int_equal(keys_of(f, set, work, make_attr(f, "tINT", &value, 1)),
		                 -ENOSPC);
		f->keys->error = 0;
		assert_int_equal(keys_of(f, set, work, make_attr(f, "tINT", &value, 1)),
		                 0);
		assert_int_equal(f->keys->n, 2);
		dit_index_work_free(work);
		dit_index_set_free(set);
	}
}

SETUP_TEST(ordinals_sort_as_keys_do)
{
	static const enum dit_key_format formats[] = {DIT_KEY_BYTES32, DIT_KEY_BYTES64,
	                                              DIT_KEY_SHORT};
	uint64_t random = 88172645463325252u;

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		struct dit_index_db db = {.format = formats[i]};

		for (unsigned k = 0; k < 20000; k++) {
			char a[8];
			char b[8];
			size_t na = db.format == DIT_KEY_BYTES32 ? 4 : 8;
			size_t nb = na;
			int order = 0;

			for (unsigned j = 0; j < 8; j++) {
				random ^= random << 13;
				random ^= random >> 7;
				random ^= random << 17;
				a[j] = (char)(random % 3 * 127);
				b[j] = (char)(random / 3 % 3 * 127);
			}
			if (db.format == DIT_KEY_SHORT) {
				na = random / 9 % 8;
				nb = random / 72 % 8;
			}
			order = memcmp(a, b, na < nb ? na : nb);
			order = order == 0 ? (int)na - (int)nb : order;
			uint64_t x = dit_index_key_ordinal(&db, (struct dit_span){a, na});
			uint64_t y = dit_index_key_ordinal(&db, (struct dit_span){b, nb});

			assert_int_equal((x > y) - (x < y), (order > 0) - (order < 0));
		}
	}
}

SETUP_TEST(many_descriptions_are_told_apart)
{
	struct fixture *f = *state;
	struct dit_index_spec specs[] = {
		{find_ad(f, "cn"), DIT_INDEX_PRES},
		{find_ad(f, "name"), DIT_INDEX_PRES},
	};
	struct dit_index_set *set = new_set(f, specs, 2, &usual_params, true);
	struct dit_index_work *work = NULL;
	struct dit_span value = DIT_SPAN("a");

	assert_int_equal(dit_index_work_new(&work, set), 0);
	for (unsigned round = 0; round < 2; round++) {
		for (unsigned i = 0; i < 300; i++) {
			char name[32];

			(void)snprintf(name, sizeof(name), "%s;lang-x%u",
			               i % 2 == 0 ? "cn" : "sn", i);
			assert_int_equal(
				keys_of(f, set, work, make_attr(f, name, &value, 1)), 0);
			assert_int_equal(f->keys->n, i % 2 == 0 ? 2 : 1);
		}
	}
	dit_index_work_free(work);
	dit_index_work_free(NULL);
	dit_index_set_free(set);
	dit_index_set_free(NULL);
}

SETUP_TEST(an_empty_set_makes_no_keys)
{
	struct fixture *f = *state;
	struct dit_index_set *set = new_set(f, NULL, 0, &usual_params, true);

	make_keys(f, set, "cn", "a", NULL);
	assert_int_equal(f->keys->ncalls, 0);
	assert_int_equal(dit_index_set_ndbs(set), 0);
	dit_index_set_free(set);
}

/* Where the keys of a huge value go: hashes in order, and how many calls there were. */
struct huge {
	uint64_t *keys;
	size_t n;
	size_t ncalls;
	size_t last_call; /* the one that returns an error; 0: none */
};

static int take_huge(void *ctx, unsigned db, const uint64_t *ordinals, size_t nkeys)
{
	struct huge *huge = ctx;

	assert_int_equal(db, 0);
	memcpy(huge->keys + huge->n, ordinals, nkeys * sizeof(*ordinals));
	huge->n += nkeys;
	return ++huge->ncalls == huge->last_call ? DIT_E_STOPPED : 0;
}

/* Key after key, what dit_substr_keys() makes of the values. */
SETUP_TEST(huge_values_have_all_keys_in_order)
{
	enum {
		HUGE = 200001
	};
	struct fixture *f = *state;
	struct dit_index_spec spec = {find_ad(f, "tCII"), DIT_INDEX_EQ | DIT_INDEX_SUB};
	struct dit_index_set *set = new_set(f, &spec, 1, &usual_params, true);
	char *text = malloc(HUGE);
	struct dit_span values[3] = {DIT_SPAN("small"), {text, HUGE}, DIT_SPAN("last")};
	struct dit_attr attr = {.ad = find_ad(f, "tCII"), .values = values, .nvalues = 3};
	struct dit_entry entry = {.attrs = &attr, .nattrs = 1};
	struct huge got = {.keys = calloc(2 * HUGE, sizeof(uint64_t))};
	uint64_t *want = calloc(2 * HUGE, sizeof(uint64_t));
	struct dit_index_work *work = NULL;
	size_t n = 3;

	for (size_t i = 0; i < HUGE; i++) {
		text[i] = (char)('a' + i * i % 23);
	}
	assert_int_equal(dit_index_work_new(&work, set), 0);
	assert_int_equal(dit_index_entry(work, &entry, take_huge, NULL, &got), 0);
	for (size_t i = 0; i < 3; i++) {
		n += dit_substr_keys(&usual_params, &set->defs[0].states, values[i],
		                     want + n);
	}
	assert_int_equal(got.n, n);
	assert_memory_equal(got.keys + 3, want + 3, (n - 3) * sizeof(*want));
	assert_true(got.ncalls > 3);

	/* The work ends with the call that says so. */
	got = (struct huge){.keys = got.keys, .last_call = 2};
	assert_int_equal(dit_index_entry(work, &entry, take_huge, NULL, &got),
	                 DIT_E_STOPPED);
	assert_int_equal(got.ncalls, 2);
	dit_index_work_free(work);
	dit_index_set_free(set);
	free(text);
	free(want);
	free(got.keys);
}
