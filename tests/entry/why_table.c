/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the kinds of refusals, one on a line: name, what, advice, with tabs between. */
#include <stdio.h>

#include "entry/why.h"

int main(void)
{
	for (int kind = DIT_WHY_NONE + 1; kind < DIT_WHY_NKINDS; kind++) {
		const struct dit_why_text *text = dit_why_text((enum dit_why_kind)kind);

		(void)printf("%s\t%s\t%s\n", text->name, text->what, text->advice);
	}
	return fflush(stdout) == 0 ? 0 : 1;
}
