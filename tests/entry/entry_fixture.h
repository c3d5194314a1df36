/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A small schema, an entry context, and the two texts that tests compare: the notes and
 * the entry itself.
 *
 * The tests expect the records and messages that slapadd 2.5.13 makes of the same
 * definitions.
 */
#ifndef DITKIT_ENTRY_FIXTURE_H
#define DITKIT_ENTRY_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/notes.h"
#include "entry/entry.h"
#include "schema/schema.h"

struct entry_fixture {
	struct dit_schema *schema;
	struct dit_entry_context context;
	struct dit_entry_caches caches;
	struct dit_arena arena;
	struct dit_notes notes;
	struct dit_entry entry;
	char text[16384]; /* of the notes or of the entry, whichever was asked for last */
	size_t text_len;
};

#define FIXTURE_STRING "1.3.6.1.4.1.1466.115.121.1.15"
#define FIXTURE_FOLDED "EQUALITY caseIgnoreMatch SYNTAX " FIXTURE_STRING

static const char *const fixture_types[] = {
	"( 2.5.4.4 NAME ( 'sn' 'surname' ) SUP name )",
	"( 2.5.4.6 NAME ( 'c' 'countryName' ) SUP name "
	"SYNTAX 1.3.6.1.4.1.1466.115.121.1.11 SINGLE-VALUE )",
	"( 2.5.4.7 NAME ( 'l' 'localityName' ) SUP name )",
	"( 2.5.4.7.1 NAME 'c-l' SUP l COLLECTIVE )",
	"( 2.5.4.10 NAME ( 'o' 'organizationName' ) SUP name )",
	"( 2.5.4.11 NAME ( 'ou' 'organizationalUnitName' ) SUP name )",
	"( 2.5.4.20 NAME 'telephoneNumber' EQUALITY telephoneNumberMatch "
	"SYNTAX 1.3.6.1.4.1.1466.115.121.1.50 )",
	"( 2.5.4.36 NAME 'userCertificate' EQUALITY certificateExactMatch "
	"SYNTAX 1.3.6.1.4.1.1466.115.121.1.8 )",
	"( 0.9.2342.19200300.100.1.25 NAME ( 'dc' 'domainComponent' ) "
	"EQUALITY caseIgnoreIA5Match SYNTAX 1.3.6.1.4.1.1466.115.121.1.26 SINGLE-VALUE )",
	"( 0.9.2342.19200300.100.1.3 NAME ( 'mail' 'rfc822Mailbox' ) "
	"EQUALITY caseIgnoreIA5Match SYNTAX 1.3.6.1.4.1.1466.115.121.1.26{256} )",
	"( 1.3.6.1.1.1.1.3 NAME 'homeDirectory' EQUALITY caseExactIA5Match "
	"SYNTAX 1.3.6.1.4.1.1466.115.121.1.26 SINGLE-VALUE )",
	"( 1.1.1.1 NAME 'tNone' SYNTAX " FIXTURE_STRING " )",
	"( 1.1.1.2 NAME 'tSingle' " FIXTURE_FOLDED " SINGLE-VALUE )",
	"( 1.1.1.3 NAME 'tObs' " FIXTURE_FOLDED " OBSOLETE )",
	"( 1.1.1.4 NAME 'tUUID' EQUALITY UUIDMatch SYNTAX 1.3.6.1.1.16.1 )",
	"( 1.1.1.5 NAME 'tOFC' EQUALITY objectIdentifierFirstComponentMatch "
	"SYNTAX 1.3.6.1.4.1.1466.115.121.1.3 )",
	"( 1.1.1.6 NAME 'tOFCo' EQUALITY objectIdentifierFirstComponentMatch "
	"SYNTAX 1.3.6.1.4.1.1466.115.121.1.38 )",
	"( 1.1.1.7 NAME 'tOrd' " FIXTURE_FOLDED " X-ORDERED 'VALUES' )",
	"( 1.1.1.8 NAME 'tInt' EQUALITY integerMatch "
	"SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 )",
	"( 1.1.1.9 NAME 'tBool' EQUALITY booleanMatch SYNTAX "
	"1.3.6.1.4.1.1466.115.121.1.7 )",
	"( 1.1.1.11 NAME 'tAC' EQUALITY attributeCertificateExactMatch "
	"SYNTAX 1.3.6.1.4.1.4203.666.11.10.2.1 )",
	"( 1.1.1.12 NAME 'tAuthz' EQUALITY authzMatch SYNTAX 1.3.6.1.4.1.4203.666.2.7 )",
	"( 1.1.1.13 NAME 'tName' SYNTAX 1.3.6.1.4.1.1466.115.121.1.12 )",
	"( 1.1.1.10 NAME 'tOct' EQUALITY octetStringMatch "
	"SYNTAX 1.3.6.1.4.1.1466.115.121.1.40 )",
};

static const char *const fixture_classes[] = {
	"( 2.5.6.6 NAME 'person' SUP top STRUCTURAL MUST ( sn $ cn ) "
	"MAY ( userPassword $ telephoneNumber $ seeAlso $ description ) )",
	"( 2.16.840.1.113730.3.2.2 NAME 'inetOrgPerson' SUP person STRUCTURAL "
	"MAY ( mail $ o $ ou $ uid $ userCertificate ) )",
	"( 2.5.6.14 NAME 'device' SUP top STRUCTURAL MUST cn "
	"MAY ( description $ l $ ou $ seeAlso ) )",
	"( 0.9.2342.19200300.100.4.13 NAME 'domain' SUP top STRUCTURAL MUST dc "
	"MAY ( description $ o $ l $ seeAlso $ telephoneNumber ) )",
	"( 2.5.6.2 NAME 'country' SUP top STRUCTURAL MUST c MAY description )",
	"( 1.3.6.1.1.1.2.0 NAME 'posixAccount' SUP top AUXILIARY "
	"MUST ( cn $ uid $ uidNumber $ gidNumber $ homeDirectory ) MAY description )",
	"( 1.1.2.1 NAME 'cObs' SUP top STRUCTURAL OBSOLETE MAY cn )",
	"( 1.1.2.2 NAME 'cAbs' SUP top ABSTRACT MUST sn MAY tNone )",
	"( 1.1.2.3 NAME ( 'cA' 'cAlias' ) SUP top STRUCTURAL MAY cn )",
	"( 1.1.2.4 NAME 'cB' SUP top STRUCTURAL MAY cn )",
	"( 1.1.2.5 NAME 'cAB' SUP ( cA $ cB ) STRUCTURAL MAY cn )",
	"( 1.1.2.6 NAME 'cRule' SUP top STRUCTURAL MUST cn MAY ( tSingle $ tNone $ tOrd ) )",
	"( 1.1.2.7 NAME 'cRuleObs' SUP top STRUCTURAL MUST cn )",
	"( 1.1.2.8 NAME 'auxA' SUP top AUXILIARY MAY description )",
	"( 1.1.2.9 NAME 'auxB' SUP top AUXILIARY MAY description )",
	"( 1.1.2.10 NAME 'cNoName' SUP top STRUCTURAL MUST cn )",
	"( 1.1.2.11 NAME 'auxObs' SUP top AUXILIARY OBSOLETE MAY cn )",
	"( 1.1.2.12 NAME 'cSub' SUP cAbs STRUCTURAL MUST cn MAY name )",
	"( 1.1.2.13 NAME 'cName' SUP top STRUCTURAL MUST name )",
	"( 1.1.2.14 NAME 'cRoot' ABSTRACT MAY cn )",
	"( 1.1.2.15 NAME 'cBelow' SUP cRoot STRUCTURAL )",
};

static const char *const fixture_rules[] = {
	"( 1.1.2.6 NAME 'rRule' AUX auxA MUST sn MAY ou NOT tSingle )",
	"( 1.1.2.7 NAME 'rObs' OBSOLETE )",
	"( 1.1.2.10 AUX auxA )",
};

typedef int (*fixture_define_fn)(struct dit_schema *schema, const char *text,
                                 struct dit_schema_error *error);

static inline int fixture_define(struct dit_schema *schema, fixture_define_fn define,
                                 const char *const *texts, size_t n)
{
	struct dit_schema_error error = {.text = ""};

	for (size_t i = 0; i < n; i++) {
		int r = define(schema, texts[i], &error);

		if (r < 0) {
			(void)fprintf(stderr, "%s: %s\n", texts[i], error.text);
			return r;
		}
	}
	return 0;
}

#define FIXTURE_DEFINE(schema, define, texts)                                            \
 fixture_define(schema, define, texts, sizeof(texts) / sizeof(texts[0]))

static inline int fixture_schema_new(struct dit_schema **ret)
{
	struct dit_schema *schema = NULL;
	int r = dit_schema_new(&schema, DIT_OPENLDAP_ASSUMED);

	if (r < 0) {
		return r;
	}
	r = FIXTURE_DEFINE(schema, dit_schema_define_type, fixture_types);
	r = r ?: FIXTURE_DEFINE(schema, dit_schema_define_class, fixture_classes);
	r = r ?: FIXTURE_DEFINE(schema, dit_schema_define_content_rule, fixture_rules);
	if (r < 0) {
		dit_schema_free(schema);
		return r;
	}
	dit_schema_freeze(schema);
	*ret = schema;
	return 0;
}

static inline int entry_fixture_init(struct entry_fixture *f)
{
	int r = 0;

	*f = (struct entry_fixture){0};
	r = fixture_schema_new(&f->schema);
	if (r < 0) {
		return r;
	}
	f->context =
		(struct dit_entry_context){.schema = f->schema, .check_schema = true};
	dit_arena_init(&f->arena, 4096);
	r = dit_entry_caches_init(&f->caches);
	if (r < 0) {
		dit_schema_free(f->schema);
	}
	return r;
}

static inline void entry_fixture_deinit(struct entry_fixture *f)
{
	dit_entry_caches_deinit(&f->caches);
	dit_arena_deinit(&f->arena);
	dit_schema_free(f->schema);
}

/** For cmocka: the state is an entry_fixture. */
static inline int entry_fixture_setup(void **state)
{
	struct entry_fixture *f = malloc(sizeof(*f));

	if (f == NULL || entry_fixture_init(f) < 0) {
		free(f);
		return -1;
	}
	*state = f;
	return 0;
}

static inline int entry_fixture_teardown(void **state)
{
	entry_fixture_deinit(*state);
	free(*state);
	return 0;
}

/** Forget the previous record and read another one. */
static inline int fixture_read_span(struct entry_fixture *f, struct dit_span record)
{
	dit_arena_reset(&f->arena);
	dit_notes_init(&f->notes, &f->arena);
	f->entry = (struct dit_entry){0};
	return dit_entry_read(&f->context, &f->caches, record, &f->notes, &f->entry);
}

static inline int fixture_read(struct entry_fixture *f, const char *record)
{
	return fixture_read_span(f, dit_span_of(record));
}

static inline void fixture_put(struct entry_fixture *f, struct dit_span span)
{
	for (size_t i = 0; i < span.len && f->text_len + 8 < sizeof(f->text); i++) {
		unsigned char c = (unsigned char)span.data[i];

		f->text_len += (size_t)snprintf(f->text + f->text_len, 8,
		                                c < ' ' || c > '~' ? "\\%02x" : "%c", c);
	}
}

static inline void fixture_put_text(struct entry_fixture *f, const char *text)
{
	size_t len = strlen(text);

	if (f->text_len + len < sizeof(f->text)) {
		memcpy(f->text + f->text_len, text, len + 1);
		f->text_len += len;
	}
}

static inline void fixture_put_note(void *ctx, const struct dit_report *report)
{
	struct entry_fixture *f = ctx;

	if (report->kind == DIT_REPORT_ERROR || report->kind == DIT_REPORT_REMARK) {
		fixture_put_text(f, "error: ");
	}
	fixture_put_text(f, report->text);
	fixture_put_text(f, "\n");
}

/** All notes, each with a LF; they are forgotten. */
static inline const char *fixture_notes(struct entry_fixture *f)
{
	f->text_len = 0;
	f->text[0] = '\0';
	dit_notes_tell(&f->notes, fixture_put_note, f);
	return f->text;
}

/** One line per block: "cn: a | A" or, with normal forms, "cn: a=a | A=a". */
static inline const char *fixture_entry(struct entry_fixture *f)
{
	f->text_len = 0;
	f->text[0] = '\0';
	for (uint32_t i = 0; i < f->entry.nattrs; i++) {
		const struct dit_attr *attr = &f->entry.attrs[i];

		fixture_put(f, attr->ad->name);
		for (uint32_t j = 0; j < attr->nvalues; j++) {
			fixture_put_text(f, j == 0 ? ": " : " | ");
			fixture_put(f, attr->values[j]);
			if (attr->normal != NULL) {
				fixture_put_text(f, "=");
				fixture_put(f, attr->normal[j]);
			}
		}
		fixture_put_text(f, "\n");
	}
	return f->text;
}

#endif
