/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reports: what the library has to tell a person.
 *
 * The library never prints. Everything a user must know goes to one callback, as
 * finished text without a trailing newline; the program decides where it goes. The middle
 * of a text of more than 4,607 bytes is left out, lists of entries (DIT_REPORT_ADDED,
 * DIT_REPORT_MISSING) apart.
 *
 * Threads: the callback is called by the thread that called the library, never by a
 * tool thread, and in the order of the input.
 */
#ifndef DITKIT_REPORT_H
#define DITKIT_REPORT_H

#include <stddef.h>
#include <stdint.h>

enum dit_report_kind {
	DIT_REPORT_DIAGNOSTIC,  /* detail of an error, printed as it is, if wanted (-d) */
	DIT_REPORT_PLAIN,       /* likewise, and always wanted */
	DIT_REPORT_ERROR,       /* an error; programs put their name in front */
	DIT_REPORT_WARNING,     /* worth knowing, nothing failed; name in front */
	DIT_REPORT_ADDED,       /* one entry stored: added: "<dn>" (0000000a) */
	DIT_REPORT_MISSING,     /* entries missing at the end; printed as it is */
	DIT_REPORT_EXPLANATION, /* FILE:LINE: why a record is left out, or cut; advice */
	DIT_REPORT_REMARK,      /* of a stored entry; with the name, if wanted (-d) */
};

struct dit_report {
	enum dit_report_kind kind;
	const char *text; /* NUL-terminated, valid during the call */
};

typedef void (*dit_report_fn)(void *ctx, const struct dit_report *report);

/** A record that was not stored. The pointers are valid during the callback only. */
struct dit_reject {
	const char *record; /* lines of the record, as read; not NUL-terminated */
	size_t record_len;
	uint64_t line;  /* line number, the same as in the messages */
	const char *dn; /* pretty; as typed if it is no valid DN; "" if there is none */
	const char *reason; /* last report about the record, without the program's name */
};

/** @return 0, or -errno to end the load */
typedef int (*dit_reject_fn)(void *ctx, const struct dit_reject *reject);

#endif
