/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reporter of the readers of a configuration: where reports go, the place in the
 * configuration that they name, and the last message.
 *
 *   struct dit_conf_reporter reporter = {.report = report, .ctx = ctx};
 *
 *   reporter.place.file = "slapd.conf";  reporter.place.line = 7;
 *   return dit_conf_say(&reporter, "<%s> invalid value", "lastmod");
 *
 *       slapd.conf: line 7: <lastmod> invalid value
 *
 * The functions that report return DIT_E_CONFIG, so that "return dit_conf_say(...)" reads
 * well. Without memory a text is lost; the code still tells the failure.
 *
 * The failure of a tree's entry is told with the last message again, and slapd shortens
 * some messages there. dit_conf_repeat() sets the shorter form.
 *
 * Lifetime: one reading of a configuration, or one choice of a database. The reporter
 * owns nothing; whoever sets a pointer of the place resets it before the text goes away.
 *
 * Threads: one.
 */
#ifndef DITKIT_CONF_REPORTER_H
#define DITKIT_CONF_REPORTER_H

#include <stdbool.h>

#include "base/report.h"

/* slapd composes most messages in a buffer of this size; longer ones are cut. */
#define DIT_CONF_MESSAGE_BYTES 256

/** Where in the configuration the reader is. */
struct dit_conf_place {
	const char *file; /* in the settings' arena; of a tree: the folder, as in slapd */
	unsigned long line; /* from 1; of a tree: always 1 */
	const char *value;  /* "olcDbIndex: value #0" of a tree; NULL: no value is read */
	const char *dn;     /* of the tree's entry; NULL: no entry is read */
};

struct dit_conf_reporter {
	dit_report_fn report; /* borrowed; NULL: no reports */
	void *ctx;
	struct dit_conf_place place;
	char message[DIT_CONF_MESSAGE_BYTES]; /* "": nothing to repeat */
};

/** "TEXT" */
int dit_conf_tell(const struct dit_conf_reporter *reporter, enum dit_report_kind kind,
                  const char *format, ...) __attribute__((format(printf, 3, 4)));

/** "FILE: line N: TEXT", never cut; the message stays */
int dit_conf_tell_line(const struct dit_conf_reporter *reporter,
                       enum dit_report_kind kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** "config error processing DN: MESSAGE" */
int dit_conf_tell_entry(const struct dit_conf_reporter *reporter);

/** "FILE: line N: TEXT", or "ATTRIBUTE: value #N: TEXT" in a tree */
int dit_conf_say(struct dit_conf_reporter *reporter, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** "FILE: line N: TEXT", in a tree with its folder and line 1 */
int dit_conf_say_line(struct dit_conf_reporter *reporter, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** "FILE: line N KEYWORD: TEXT", or "ATTRIBUTE: value #N KEYWORD: TEXT"; never cut */
int dit_conf_say_about(struct dit_conf_reporter *reporter, const char *keyword,
                       const char *format, ...) __attribute__((format(printf, 3, 4)));

/** Report nothing, but set the message. */
int dit_conf_repeat(struct dit_conf_reporter *reporter, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** Forget the message. @return DIT_E_CONFIG, like the others */
int dit_conf_forget(struct dit_conf_reporter *reporter);

/** Is there a message to repeat? */
bool dit_conf_has_message(const struct dit_conf_reporter *reporter);

#endif
