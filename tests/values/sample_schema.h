/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The schema of the tests of values: the hard-coded one, a few elements of the usual
 * schema files, and the types of the normalization vectors (values.md appendix A).
 */
#ifndef DITKIT_SAMPLE_SCHEMA_H
#define DITKIT_SAMPLE_SCHEMA_H

#include "schema_test.h"

#define SYNTAX(number) "1.3.6.1.4.1.1466.115.121.1." #number

/* clang-format off */
static const char *const sample_types[] = {
	/* core.schema, cosine.schema */
	"( 2.5.4.4 NAME ( 'sn' 'surname' ) SUP name )",
	"( 2.5.4.6 NAME ( 'c' 'countryName' ) SUP name SYNTAX " SYNTAX(11) " SINGLE-VALUE )",
	"( 2.5.4.10 NAME ( 'o' 'organizationName' ) SUP name )",
	"( 2.5.4.11 NAME ( 'ou' 'organizationalUnitName' ) SUP name )",
	"( 2.5.4.16 NAME 'postalAddress' EQUALITY caseIgnoreListMatch SYNTAX " SYNTAX(41) " )",
	"( 2.5.4.20 NAME 'telephoneNumber' EQUALITY telephoneNumberMatch "
	"SYNTAX " SYNTAX(50) " )",
	"( 2.5.4.31 NAME 'member' SUP distinguishedName )",
	"( 1.3.6.1.4.1.99999.1.0 NAME 'tCIM' EQUALITY caseIgnoreMatch "
	"ORDERING caseIgnoreOrderingMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )",
	"( 1.3.6.1.4.1.99999.1.2 NAME 'tNSM' EQUALITY numericStringMatch "
	"SUBSTR numericStringSubstringsMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.36 )",
	"( 1.3.6.1.4.1.99999.1.3 NAME 'tCILM' EQUALITY caseIgnoreListMatch "
	"SUBSTR caseIgnoreListSubstringsMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.41 )",
	"( 2.5.4.32 NAME 'owner' SUP distinguishedName )",
	"( 0.9.2342.19200300.100.1.3 NAME ( 'mail' 'rfc822Mailbox' ) "
	"EQUALITY caseIgnoreIA5Match SUBSTR caseIgnoreIA5SubstringsMatch "
	"SYNTAX " SYNTAX(26) "{256} )",
	"( 0.9.2342.19200300.100.1.25 NAME ( 'dc' 'domainComponent' ) "
	"EQUALITY caseIgnoreIA5Match SYNTAX " SYNTAX(26) " SINGLE-VALUE )",
	/* values.md appendix A; those without a row in the vectors are left out */
	"( 1.3.6.1.4.1.99999.1.5 NAME 'tINT' EQUALITY integerMatch SYNTAX " SYNTAX(27) " )",
	"( 1.3.6.1.4.1.99999.1.7 NAME 'tOCT' EQUALITY octetStringMatch SYNTAX " SYNTAX(40) " )",
	"( 1.3.6.1.4.1.99999.1.9 NAME 'tUM' EQUALITY uniqueMemberMatch SYNTAX " SYNTAX(34) " )",
	"( 1.3.6.1.4.1.99999.1.10 NAME 'tGT' EQUALITY generalizedTimeMatch "
	"SYNTAX " SYNTAX(24) " )",
	"( 1.3.6.1.4.1.99999.1.11 NAME 'tIFC' EQUALITY integerFirstComponentMatch "
	"SYNTAX " SYNTAX(17) " )",
	"( 1.3.6.1.4.1.99999.1.15 NAME 'tCert' EQUALITY certificateExactMatch "
	"SYNTAX " SYNTAX(8) " )",
	"( 1.3.6.1.4.1.99999.1.18 NAME 'tCEI' EQUALITY caseExactIA5Match "
	"SYNTAX " SYNTAX(26) " )",
	"( 1.3.6.1.4.1.99999.1.21 NAME 'tCSN' EQUALITY CSNMatch "
	"SYNTAX 1.3.6.1.4.1.4203.666.11.2.1 )",
	"( 1.3.6.1.4.1.99999.1.22 NAME 'tCSNSID' EQUALITY CSNSIDMatch "
	"SYNTAX 1.3.6.1.4.1.4203.666.11.2.1 )",
	"( 1.3.6.1.4.1.99999.1.23 NAME 'tAuthz' EQUALITY authzMatch "
	"SYNTAX 1.3.6.1.4.1.4203.666.2.7 )",
	"( 1.3.6.1.4.1.99999.1.25 NAME 'tRDN' EQUALITY rdnMatch SYNTAX 1.2.36.79672281.1.5.0 )",
	/* our own */
	"( 1.3.6.1.4.1.99999.1.100 NAME 'tOrdered' EQUALITY caseIgnoreMatch "
	"SYNTAX " SYNTAX(15) " X-ORDERED 'VALUES' )",
	"( 1.3.6.1.4.1.99999.1.101 NAME 'tSiblings' EQUALITY caseIgnoreMatch "
	"SYNTAX " SYNTAX(15) " X-ORDERED 'SIBLINGS' )",
	"( 1.3.6.1.4.1.99999.1.103 NAME ( 'tLongCanonicalName' 'tL' ) SUP name )",
	"( 1.3.6.1.4.1.99999.1.102 NAME 'tSID' EQUALITY CSNSIDMatch "
	"SYNTAX 1.3.6.1.4.1.4203.666.11.2.4 )",
};

static const char *const sample_classes[] = {
	"( 2.5.6.6 NAME 'person' SUP top STRUCTURAL MUST ( sn $ cn ) )",
	"( 2.5.6.9 NAME 'groupOfNames' SUP top STRUCTURAL MUST ( member $ cn ) )",
};
/* clang-format on */

#define SAMPLE_COUNT(list) (sizeof(list) / sizeof((list)[0]))

/** Sealed; it goes when the test has ended. */
static inline struct dit_schema *sample_schema(void)
{
	struct dit_schema *schema = test_schema(DIT_OPENLDAP_ASSUMED);
	struct dit_schema_error error = {0};

	for (size_t i = 0; i < SAMPLE_COUNT(sample_types); i++) {
		if (dit_schema_define_type(schema, sample_types[i], &error) < 0) {
			fail_msg("%s: %s", sample_types[i], error.text);
		}
	}
	for (size_t i = 0; i < SAMPLE_COUNT(sample_classes); i++) {
		if (dit_schema_define_class(schema, sample_classes[i], &error) < 0) {
			fail_msg("%s: %s", sample_classes[i], error.text);
		}
	}
	dit_schema_freeze(schema);
	return schema;
}

#endif
