/* SPDX-License-Identifier: BSD-2-Clause */
#include "report_parts.h"

#include "report_style.h"

void report_begin(FILE *out)
{
	(void)fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n"
	            "<meta name=\"viewport\" content=\"width=device-width, "
	            "initial-scale=1\"/>\n<title>",
	            out);
}

void report_body(FILE *out)
{
	(void)fprintf(out, "</title>\n<style>%s</style></head>\n<body>\n<header><h1>",
	              report_style);
}

void report_end(FILE *out)
{
	(void)fputs("</body></html>\n", out);
}

void report_card(FILE *out, const char *name, const char *title, uint64_t value,
                 struct figure figure, bool is_bad)
{
	(void)fprintf(out,
	              "<div%s><dt>%s</dt><dd><data id=\"%s\" "
	              "value=\"%llu\">%s</data></dd></div>\n",
	              is_bad ? " class=\"bad\"" : "", title, name,
	              (unsigned long long)value, figure.text);
}
