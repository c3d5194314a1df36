/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A fault of a database, in words: where an error code alone says too little.
 *
 * Threads: a value; belongs to its owner.
 */
#ifndef DITKIT_FAULT_H
#define DITKIT_FAULT_H

/** Empty: the code says all. */
struct dit_fault {
	char text[384];
};

/** @p fault may be NULL. @return @p r */
int dit_fault_say(struct dit_fault *fault, int r, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** Where it was, if the code alone says all: "WHERE: TEXT OF THE CODE". @return @p r */
int dit_fault_place(struct dit_fault *fault, int r, const char *where);

#endif
