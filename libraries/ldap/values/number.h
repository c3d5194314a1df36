/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers of any length, as slapd reads their text: what index keys of integers and the
 * serial numbers of certificate assertions are made of (values.md 6.6, 4.12).
 *
 *     255           00 ff
 *     -256          ff 00
 *     0x0102        01 02       as long as its text
 *     '102'H        01 02
 *
 * Threads: no state.
 */
#ifndef DITKIT_NUMBER_H
#define DITKIT_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"

#define DIT_NUMBER_TEXT_MAX 1000 /* characters */
/* Room for the longest text, each character half a byte, and some exponents. */
#define DIT_NUMBER_MAX 512

/** A two's complement, most significant byte first, at the end of the array. */
struct dit_number {
	unsigned char bytes[DIT_NUMBER_MAX];
	size_t len;
};

static inline unsigned char *dit_number_first(struct dit_number *n)
{
	return n->bytes + DIT_NUMBER_MAX - n->len;
}

/** Read a number. @param text  at most DIT_NUMBER_TEXT_MAX bytes; it need not be sound */
void dit_number_read(struct dit_number *n, struct dit_span text);

/**
 * Does slapd survive reading this text? Not if it is empty, nor if one of its groups of
 * eight characters reads as a negative number ("--1").
 */
bool dit_number_is_sound(struct dit_span text);

#endif
