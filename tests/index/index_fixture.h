/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For tests of the index room: a schema, sets of definitions, and the keys of an
 * attribute as text, "DATABASE HEX".
 */
#ifndef DITKIT_INDEX_FIXTURE_H
#define DITKIT_INDEX_FIXTURE_H

#include "base/error.h"
#include "index/index_keys.h"
#include "schema_test.h"
#include "test.h"
#include "values/value.h"

#define DIT_KEY_MAX 256 /* longest key of any format, bytes */

#define KEYS_MAX 1000
#define S        "1.3.6.1.4.1.1466.115.121.1."

/* clang-format off */
static const char *const types[] = {
	/* RFC 4519, 4523, 2307, 1274, 2798 as far as the vectors need them */
	"( 2.5.4.4 NAME ( 'sn' 'surname' ) SUP name )",
	"( 2.5.4.20 NAME 'telephoneNumber' EQUALITY telephoneNumberMatch"
	" SUBSTR telephoneNumberSubstringsMatch SYNTAX " S "50 )",
	"( 2.5.4.16 NAME 'postalAddress' EQUALITY caseIgnoreListMatch"
	" SUBSTR caseIgnoreListSubstringsMatch SYNTAX " S "41 )",
	"( 2.5.4.31 NAME 'member' SUP distinguishedName )",
	"( 2.5.4.50 NAME 'uniqueMember' EQUALITY uniqueMemberMatch SYNTAX " S "34 )",
	"( 0.9.2342.19200300.100.1.3 NAME ( 'mail' 'rfc822Mailbox' )"
	" EQUALITY caseIgnoreIA5Match SUBSTR caseIgnoreIA5SubstringsMatch"
	" SYNTAX " S "26 )",
	"( 0.9.2342.19200300.100.1.25 NAME ( 'dc' 'domainComponent' )"
	" EQUALITY caseIgnoreIA5Match SYNTAX " S "26 SINGLE-VALUE )",
	"( 1.3.6.1.1.1.1.3 NAME 'homeDirectory' EQUALITY caseExactIA5Match"
	" SYNTAX " S "26 SINGLE-VALUE )",
	"( 2.5.4.6 NAME 'c' SUP name SYNTAX " S "11 SINGLE-VALUE )",
	"( 2.5.4.10 NAME 'o' SUP name )",
	"( 2.5.4.11 NAME 'ou' SUP name )",
	"( 0.9.2342.19200300.100.1.60 NAME 'jpegPhoto' SYNTAX " S "28 )",
	/* values.md, appendix A */
	"( 1.3.6.1.4.1.99999.1.1 NAME 'tCEM' EQUALITY caseExactMatch"
	" SUBSTR caseExactSubstringsMatch SYNTAX " S "15 )",
	"( 1.3.6.1.4.1.99999.1.2 NAME 'tNSM' EQUALITY numericStringMatch"
	" SUBSTR numericStringSubstringsMatch SYNTAX " S "36 )",
	"( 1.3.6.1.4.1.99999.1.4 NAME 'tBOOL' EQUALITY booleanMatch SYNTAX " S "7 )",
	"( 1.3.6.1.4.1.99999.1.5 NAME 'tINT' EQUALITY integerMatch SYNTAX " S "27 )",
	"( 1.3.6.1.4.1.99999.1.6 NAME 'tBIT' EQUALITY bitStringMatch SYNTAX " S "6 )",
	"( 1.3.6.1.4.1.99999.1.7 NAME 'tOCT' EQUALITY octetStringMatch"
	" SUBSTR octetStringSubstringsMatch SYNTAX " S "40 )",
	"( 1.3.6.1.4.1.99999.1.10 NAME 'tGT' EQUALITY generalizedTimeMatch"
	" SYNTAX " S "24 )",
	"( 1.3.6.1.4.1.99999.1.11 NAME 'tIFC' EQUALITY integerFirstComponentMatch"
	" SYNTAX " S "17 )",
	"( 1.3.6.1.4.1.99999.1.13 NAME 'tOFC'"
	" EQUALITY objectIdentifierFirstComponentMatch SYNTAX " S "3 )",
	"( 1.3.6.1.4.1.99999.1.22 NAME 'tCSNSID' EQUALITY CSNSIDMatch"
	" SYNTAX 1.3.6.1.4.1.4203.666.11.2.1 )",
	"( 1.3.6.1.4.1.99999.1.25 NAME 'tRDN' EQUALITY rdnMatch"
	" SYNTAX 1.2.36.79672281.1.5.0 )",
	"( 1.3.6.1.4.1.99999.1.26 NAME 'tOID' EQUALITY objectIdentifierMatch"
	" SYNTAX " S "38 )",
	"( 1.3.6.1.4.1.99999.1.28 NAME 'tCountry' EQUALITY caseIgnoreMatch"
	" SUBSTR caseIgnoreSubstringsMatch SYNTAX " S "11 )",
	"( 1.3.6.1.4.1.99999.1.29 NAME 'tPrint' EQUALITY caseIgnoreMatch"
	" SUBSTR caseIgnoreSubstringsMatch SYNTAX " S "44 )",
	"( 1.3.6.1.4.1.99999.1.30 NAME 'tPrintE' EQUALITY caseExactMatch"
	" SUBSTR caseExactSubstringsMatch SYNTAX " S "44 )",
	"( 2.5.4.36 NAME 'userCertificate' EQUALITY certificateExactMatch SYNTAX " S "8 )",
	"( 1.3.6.1.4.1.99999.1.16 NAME 'tCRL' EQUALITY certificateListExactMatch"
	" SYNTAX " S "9 )",
	"( 1.3.6.1.4.1.99999.1.19 NAME 'tCII' EQUALITY caseIgnoreIA5Match"
	" SUBSTR caseIgnoreIA5SubstringsMatch SYNTAX " S "26 )",
	/* ours */
	"( 1.3.6.1.4.1.99999.2.2 NAME 'timeWithPieces' EQUALITY generalizedTimeMatch"
	" SUBSTR caseIgnoreSubstringsMatch SYNTAX " S "24 )",
	"( 1.3.6.1.4.1.99999.2.3 NAME 'alsoClass' SUP objectClass )",
	"( 1.3.6.1.4.1.99999.2.5 NAME 'soundsLike' EQUALITY directoryStringApproxMatch"
	" SYNTAX " S "15 )",
	"( 1.3.6.1.4.1.99999.1.0 NAME 'tCIM' EQUALITY caseIgnoreMatch SYNTAX " S "15 )",
};

static const char *const classes[] = {
	"( 2.5.6.6 NAME 'person' SUP top STRUCTURAL MUST ( sn $ cn ) )",
	"( 2.5.6.7 NAME 'organizationalPerson' SUP person STRUCTURAL )",
	"( 2.16.840.1.113730.3.2.2 NAME 'inetOrgPerson' SUP organizationalPerson )",
	"( 1.3.6.1.1.1.2.0 NAME 'posixAccount' SUP top AUXILIARY )",
	"( 1.3.6.1.4.1.1466.344 NAME 'dcObject' SUP top AUXILIARY )",
	"( 0.9.2342.19200300.100.4.13 NAME 'domain' SUP top STRUCTURAL )",
};
/* clang-format on */

static const struct dit_index_params usual_params = {2, 4, 4, 4, false};

/** Keys as they come, in hex, with the name of their database. */
struct keys {
	const struct dit_index_set *set;
	char text[KEYS_MAX][2 * DIT_KEY_MAX + 64];
	size_t n;
	size_t ncalls;
	int error; /* to return */
};

struct fixture {
	struct dit_schema *schema;
	struct dit_arena arena;
	struct keys *keys;
};

static inline int setup(void **state)
{
	struct fixture *f = test_alloc(sizeof(*f));
	struct dit_schema_error error = {0};

	f->keys = test_alloc(sizeof(*f->keys));
	test_arena_init(&f->arena, 65536);
	f->schema = test_schema(DIT_OPENLDAP_ASSUMED);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		int r = dit_schema_define_type(f->schema, types[i], &error);

		if (r < 0) {
			fail_msg("%s: %s", types[i], error.text);
		}
	}
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		int r = dit_schema_define_class(f->schema, classes[i], &error);

		if (r < 0) {
			fail_msg("%s: %s", classes[i], error.text);
		}
	}
	dit_schema_freeze(f->schema);
	*state = f;
	return 0;
}

static inline const struct dit_ad *find_ad(struct fixture *f, const char *name)
{
	const struct dit_ad *ad = NULL;

	if (dit_ad_find(f->schema, NULL, dit_span_of(name), &ad, NULL) < 0) {
		fail_msg("no such attribute: %s", name);
	}
	return ad;
}

static inline void add_key(struct keys *keys, unsigned db, const char *bytes, size_t len)
{
	char *at = keys->text[keys->n];

	assert_true(keys->n < KEYS_MAX);
	at += sprintf(at, "%s ", dit_index_set_db(keys->set, db)->name);
	for (size_t i = 0; i < len; i++) {
		at += sprintf(at, "%02x", (unsigned char)bytes[i]);
	}
	*at = '\0';
	keys->n++;
}

static inline int take_keys(void *ctx, unsigned db, const uint64_t *ordinals,
                            size_t nkeys)
{
	struct keys *keys = ctx;
	const struct dit_index_db *info = dit_index_set_db(keys->set, db);

	keys->ncalls++;
	assert_true(nkeys > 0);
	assert_int_not_equal(info->format, DIT_KEY_WIDE);
	for (size_t i = 0; i < nkeys; i++) {
		char bytes[8];
		size_t len = dit_index_key_bytes(info, ordinals[i], bytes);

		assert_int_equal(
			dit_index_key_ordinal(info, (struct dit_span){bytes, len}),
			ordinals[i]);
		add_key(keys, db, bytes, len);
	}
	return keys->error;
}

static inline int take_wide(void *ctx, unsigned db, struct dit_span key)
{
	struct keys *keys = ctx;
	const struct dit_index_db *info = dit_index_set_db(keys->set, db);

	keys->ncalls++;
	/* The presence key has four bytes of zero. */
	assert_true(info->format == DIT_KEY_WIDE || (info->has_presence && key.len == 4 &&
	                                             memcmp(key.data, "\0\0\0", 4) == 0));
	add_key(keys, db, key.data, key.len);
	return keys->error;
}

static inline struct dit_index_set *new_set(struct fixture *f,
                                            const struct dit_index_spec *specs,
                                            size_t nspecs,
                                            const struct dit_index_params *params,
                                            bool integer_keys)
{
	const struct dit_settings settings = {.schema = f->schema, .index = *params};
	struct dit_index_set *set = NULL;

	assert_int_equal(dit_index_set_new(&set, &settings, specs, nspecs, integer_keys),
	                 0);
	return set;
}

/** An attribute of pretty values and, where the type has them, normal ones. */
static inline struct dit_attr make_attr(struct fixture *f, const char *name,
                                        const struct dit_span *values, size_t nvalues)
{
	const struct dit_ad *ad = find_ad(f, name);
	struct dit_attr attr = {.ad = ad, .nvalues = (uint32_t)nvalues};

	attr.values = dit_arena_calloc(&f->arena, nvalues + 1, sizeof(*attr.values));
	attr.normal = dit_arena_calloc(&f->arena, nvalues + 1, sizeof(*attr.normal));
	for (size_t i = 0; i < nvalues; i++) {
		attr.values[i] = values[i];
		if (dit_has_pretty(ad->type->validator)) {
			assert_int_equal(dit_value_pretty(f->schema, ad->type->validator,
			                                  values[i], &f->arena,
			                                  &attr.values[i]),
			                 0);
		}
		if (dit_attr_has_normal(ad->type)) {
			assert_int_equal(dit_attr_normalize(f->schema, ad->type,
			                                    attr.values[i], &f->arena,
			                                    &attr.normal[i]),
			                 0);
		}
	}
	if (!dit_attr_has_normal(ad->type)) {
		attr.normal = NULL;
	}
	return attr;
}

/** All keys of one attribute of an entry. */
static inline int keys_of(struct fixture *f, const struct dit_index_set *set,
                          struct dit_index_work *work, struct dit_attr attr)
{
	struct dit_entry entry = {.attrs = &attr, .nattrs = 1};

	f->keys->set = set;
	f->keys->n = 0;
	f->keys->ncalls = 0;
	return dit_index_entry(work, &entry, take_keys, take_wide, f->keys);
}

/** One attribute with text values, through a work object of its own. */
static inline void make_keys(struct fixture *f, const struct dit_index_set *set,
                             const char *name, const char *value, const char *value2)
{
	struct dit_span values[2] = {dit_span_of(value), dit_span_of(value2)};
	struct dit_index_work *work = NULL;

	assert_int_equal(dit_index_work_new(&work, set), 0);
	assert_int_equal(
		keys_of(f, set, work, make_attr(f, name, values, value2 == NULL ? 1 : 2)),
		0);
	dit_index_work_free(work);
}

static inline int compare_text(const void *x, const void *y)
{
	return strcmp(x, y);
}

/** Sort the keys and drop repeats, as a database would. */
static inline void sort_keys(struct keys *keys)
{
	size_t n = 0;

	qsort(keys->text, keys->n, sizeof(keys->text[0]), compare_text);
	for (size_t i = 0; i < keys->n; i++) {
		if (i == 0 || strcmp(keys->text[i], keys->text[n - 1]) != 0) {
			memmove(keys->text[n++], keys->text[i], sizeof(keys->text[0]));
		}
	}
	keys->n = n;
}

static inline size_t count_key(const struct keys *keys, const char *text)
{
	size_t n = 0;

	for (size_t i = 0; i < keys->n; i++) {
		n += strcmp(keys->text[i], text) == 0;
	}
	return n;
}

#endif
