/* SPDX-License-Identifier: BSD-2-Clause */
/* What somebody can do about an error. Threads: any. */
#ifndef DITKIT_HINT_H
#define DITKIT_HINT_H

/** To be put behind the text of the error. @return static; "": nobody knows */
const char *dit_hint(int error);

#endif
