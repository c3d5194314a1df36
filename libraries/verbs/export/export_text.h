/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Entries as slapcat prints them, and as JSON.
 *
 *   dit_export_names_make();
 *   dit_export_put_entry(), dit_export_put_nothing() or dit_export_put_json() ...;
 *   dit_export_names_deinit()
 *
 * Threads: the names are made by one thread, then constant. A text belongs to one thread
 * at a time.
 */
#ifndef DITKIT_EXPORT_TEXT_H
#define DITKIT_EXPORT_TEXT_H

#include "codec/entry_view.h"
#include "ldif/ldif_write.h"
#include "reader/ad_names.h"

/** The values of a syntax, as JSON has them. */
enum dit_export_kind {
	DIT_EXPORT_STRING, /* in base64 if they are not UTF-8 */
	DIT_EXPORT_BOOLEAN,
	DIT_EXPORT_INTEGER,
	DIT_EXPORT_OCTETS, /* strings, also in base64 if they have control characters */
	DIT_EXPORT_BINARY, /* in base64 always */
};

/** How an attribute description is printed. */
struct dit_export_name {
	struct dit_span text; /* the schema's name; of an unknown one the stored name, in
	                       * capitals; no data: the number is not in use */
	struct dit_ldif_label label; /* some values are in base64 always */
	bool is_unknown;
	struct dit_span member; /* `,"cn":[`, owned */
	enum dit_export_kind kind;
};

/** Zero is one that was never made. */
struct dit_export_names {
	struct dit_export_name *list; /* by number */
	uint32_t n;
	struct dit_ldif_label dn;
};

/** @param names  outlive the result. @return 0 or -ENOMEM */
int dit_export_names_make(struct dit_export_names *ret, const struct dit_ad_names *names);
void dit_export_names_deinit(struct dit_export_names *names);

/**
 * The entry and the empty line after it.
 *
 * @param is_verbose  with a line "# id=0000000a" before it
 *
 * @return 0; -ENOMEM
 */
int dit_export_put_entry(struct dit_ldif_text *text, const struct dit_export_names *names,
                         const struct dit_entry_view *entry, bool is_verbose);

/** The text in place of an entry that cannot be read. 0 or -ENOMEM */
int dit_export_put_nothing(struct dit_ldif_text *text, uint64_t id);

/**
 * The entry as an object, and a newline:
 *
 *   {"dn":"cn=a,dc=x","id":26,"cn":["a"],"uidNumber":[7],"jpegPhoto":[{"base64":"/9g="}]}
 *
 * @return 0; -ENOMEM: the text ends somewhere in the object
 */
int dit_export_put_json(struct dit_ldif_text *text, const struct dit_export_names *names,
                        const struct dit_entry_view *entry, bool with_id);

/** Member and kind of a name; ad NULL: the schema does not know it. 0 or -ENOMEM */
int dit_export_name_member(struct dit_export_name *name, const struct dit_ad *ad);

#endif
