/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by tests of the registry: a schema as the state of each test. */
#ifndef DITKIT_SCHEMA_FIXTURE_H
#define DITKIT_SCHEMA_FIXTURE_H

#include "schema_test.h"

#define S "1.3.6.1.4.1.1466.115.121.1."

static inline int setup(void **state)
{
	*state = test_schema(DIT_OPENLDAP_ASSUMED);
	return 0;
}

static inline const struct dit_attr_type *type_of(const struct dit_schema *schema,
                                                  const char *name)
{
	return dit_schema_find_type(schema, dit_span_of(name));
}

static inline const struct dit_class *class_of(const struct dit_schema *schema,
                                               const char *name)
{
	return dit_schema_find_class(schema, dit_span_of(name));
}

typedef int (*define_fn)(struct dit_schema *schema, const char *text,
                         struct dit_schema_error *error);

static inline void define(struct dit_schema *schema, define_fn fn, const char *text)
{
	struct dit_schema_error error = {0};

	if (fn(schema, text, &error) != 0) {
		print_error("%s: %s\n", text, error.text);
		fail();
	}
}

/* Types and classes as in core.schema that the tests build on. */
static inline int setup_person(void **state)
{
	struct dit_schema *schema = test_schema(DIT_OPENLDAP_ASSUMED);

	*state = schema;
	define(schema, dit_schema_define_type,
	       "( 2.5.4.4 NAME ( 'sn' 'surname' ) SUP name )");
	define(schema, dit_schema_define_type,
	       "( 2.5.4.20 NAME 'telephoneNumber' EQUALITY telephoneNumberMatch "
	       "SUBSTR telephoneNumberSubstringsMatch SYNTAX " S "50{32} )");
	define(schema, dit_schema_define_type,
	       "( 2.5.4.6 NAME ( 'c' 'countryName' ) SUP name SYNTAX " S
	       "11 SINGLE-VALUE )");
	define(schema, dit_schema_define_class,
	       "( 2.5.6.6 NAME 'person' SUP top STRUCTURAL MUST ( sn $ cn ) "
	       "MAY ( userPassword $ telephoneNumber ) )");
	define(schema, dit_schema_define_class,
	       "( 1.3.6.1.4.1.1466.344 NAME 'dcObject' SUP top AUXILIARY MUST uid )");
	return 0;
}

#define PERSON_TEST(name) TEST_WITH(name, setup_person, NULL)

#endif
