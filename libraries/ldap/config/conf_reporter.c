/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports of the readers, with the places that they name (config.md 2). */
#include "config/conf_reporter.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/notes.h"

/* For free(). NULL: no memory. */
static char *text_of(const char *format, va_list args)
{
	char *text = NULL;

	return vasprintf(&text, format, args) < 0 ? NULL : text;
}

int dit_conf_tell(const struct dit_conf_reporter *reporter, enum dit_report_kind kind,
                  const char *format, ...)
{
	va_list args;

	va_start(args, format);
	dit_tell(reporter->report, reporter->ctx, kind, format, args);
	va_end(args);
	return DIT_E_CONFIG;
}

/* A text for which there is no memory is replaced: whoever fails says something. */
static int tell_no_memory(const struct dit_conf_reporter *reporter,
                          enum dit_report_kind kind)
{
	return dit_conf_tell(reporter, kind, "out of memory");
}

/* "FILE: line N: TEXT", or with a keyword "FILE: line N KEYWORD: TEXT" */
static int tell_line(const struct dit_conf_reporter *reporter, enum dit_report_kind kind,
                     const char *between, const char *keyword, const char *text)
{
	return dit_conf_tell(reporter, kind, "%s: line %lu%s%s: %s", reporter->place.file,
	                     reporter->place.line, between, keyword, text);
}

/* The value of a tree, if one is read, and else the line. */
static int tell_place(const struct dit_conf_reporter *reporter, const char *between,
                      const char *keyword, const char *text)
{
	if (reporter->place.value == NULL) {
		return tell_line(reporter, DIT_REPORT_DIAGNOSTIC, between, keyword, text);
	}
	return dit_conf_tell(reporter, DIT_REPORT_DIAGNOSTIC, "%s%s%s: %s",
	                     reporter->place.value, between, keyword, text);
}

int dit_conf_tell_line(const struct dit_conf_reporter *reporter,
                       enum dit_report_kind kind, const char *format, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, format);
	text = text_of(format, args);
	va_end(args);
	if (text == NULL) {
		return tell_no_memory(reporter, kind);
	}
	(void)tell_line(reporter, kind, "", "", text);
	free(text);
	return DIT_E_CONFIG;
}

int dit_conf_tell_entry(const struct dit_conf_reporter *reporter)
{
	return dit_conf_tell(reporter, DIT_REPORT_DIAGNOSTIC,
	                     "config error processing %s: %s", reporter->place.dn,
	                     reporter->message);
}

static void compose(struct dit_conf_reporter *reporter, const char *format, va_list args)
{
	(void)vsnprintf(reporter->message, sizeof(reporter->message), format, args);
}

int dit_conf_say(struct dit_conf_reporter *reporter, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	compose(reporter, format, args);
	va_end(args);
	return tell_place(reporter, "", "", reporter->message);
}

int dit_conf_say_line(struct dit_conf_reporter *reporter, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	compose(reporter, format, args);
	va_end(args);
	return tell_line(reporter, DIT_REPORT_DIAGNOSTIC, "", "", reporter->message);
}

int dit_conf_say_about(struct dit_conf_reporter *reporter, const char *keyword,
                       const char *format, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, format);
	text = text_of(format, args);
	va_end(args);
	if (text == NULL) {
		return tell_no_memory(reporter, DIT_REPORT_DIAGNOSTIC);
	}
	(void)dit_conf_repeat(reporter, "%s: %s", keyword, text);
	(void)tell_place(reporter, " ", keyword, text);
	free(text);
	return DIT_E_CONFIG;
}

int dit_conf_repeat(struct dit_conf_reporter *reporter, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	compose(reporter, format, args);
	va_end(args);
	return DIT_E_CONFIG;
}

int dit_conf_forget(struct dit_conf_reporter *reporter)
{
	reporter->message[0] = '\0';
	return DIT_E_CONFIG;
}

bool dit_conf_has_message(const struct dit_conf_reporter *reporter)
{
	return reporter->message[0] != '\0';
}
