/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports of the readers, with the places that they name (config.md 2). */
#include "config/conf_parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/notes.h"

int dit_conf_tell(const struct dit_conf_reporter *reporter, enum dit_report_kind kind,
                  const char *format, ...)
{
	va_list args;

	va_start(args, format);
	dit_tell(reporter->report, reporter->ctx, kind, format, args);
	va_end(args);
	return DIT_E_CONFIG;
}

/* @param between  what separates the text from its place */
static void tell_place(const struct dit_conf_reporter *reporter, bool names_value,
                       const char *between, const char *text)
{
	const struct dit_conf_place *place = &reporter->place;

	if (names_value && place->value != NULL) {
		(void)dit_conf_tell(reporter, DIT_REPORT_DIAGNOSTIC, "%s%s%s",
		                    place->value, between, text);
	} else {
		(void)dit_conf_tell(reporter, DIT_REPORT_DIAGNOSTIC, "%s: line %lu%s%s",
		                    place->file, place->line, between, text);
	}
}

int dit_conf_say(struct dit_conf_reporter *reporter, enum dit_conf_say say,
                 const char *format, ...)
{
	bool is_whole = say == DIT_SAY_WHOLE || say == DIT_SAY_KEYWORD;
	char *text = NULL;
	va_list args;

	va_start(args, format);
	(void)vsnprintf(reporter->message, sizeof(reporter->message), format, args);
	va_end(args);
	va_start(args, format);
	/* Without memory the text is cut, too. */
	if (!is_whole || vasprintf(&text, format, args) < 0) {
		text = NULL;
	}
	va_end(args);
	if (say != DIT_SAY_LATER) {
		tell_place(reporter, say == DIT_SAY_VALUE || say == DIT_SAY_KEYWORD,
		           say == DIT_SAY_KEYWORD ? " " : ": ",
		           text == NULL ? reporter->message : text);
	}
	free(text);
	return DIT_E_CONFIG;
}
