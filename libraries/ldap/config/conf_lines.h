/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lexical rules of slapd.conf: logical lines and words (config.md 1).
 *
 *   dit_conf_lines_init();  dit_conf_lines_next()...;  dit_conf_lines_deinit()
 *
 * A logical line is one physical line and its continuations; comments come back like any
 * other. Splitting into words is separate, because some directives want the raw text.
 *
 * Threads: one owner at a time.
 */
#ifndef DITKIT_CONF_LINES_H
#define DITKIT_CONF_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define DIT_CONF_PIECE 2048 /* slapd reads physical lines into a buffer of this size */

struct dit_conf_lines {
	FILE *file; /* borrowed */
	char piece[DIT_CONF_PIECE];
	bool has_piece; /* it was read, but belongs to the next logical line */
	char *text;     /* owned */
	size_t text_size;
	size_t len;
	unsigned long line; /* of the last physical line in text, from 1 */
};

void dit_conf_lines_init(struct dit_conf_lines *lines, FILE *file);
/** All bytes that were read become zero. */
void dit_conf_lines_deinit(struct dit_conf_lines *lines);

/**
 * @param ret  the text, NUL-terminated and the caller's to change; valid until the next
 *             call. May be empty.
 *
 * @return 1; 0 at the end; -ENOMEM; -EIO and other errors of reading
 */
int dit_conf_lines_next(struct dit_conf_lines *lines, char **ret);

/** Forget the text, which may be a passphrase: its bytes become zero. */
void dit_conf_lines_forget(struct dit_conf_lines *lines);

/**
 * Cut the next word out of @p at, in place; quotes and backslashes act and vanish.
 *
 * @param at        start of what is left, moved after the word
 * @param ret_word  the word
 *
 * @return 1; 0: none left; DIT_E_SYNTAX: the line ends inside quotes, @p ret_word is what
 *         the word was so far
 */
int dit_conf_word(char **at, char **ret_word);

/**
 * Cut the next non-empty part out of a list "a,b,,c", in place.
 *
 * @return the part, or NULL: none left
 */
char *dit_conf_part(char **list);

#endif
