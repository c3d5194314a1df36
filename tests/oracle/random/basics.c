/* SPDX-License-Identifier: BSD-2-Clause */
/* Random numbers and growing bytes. */
#include "random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t rng_next(struct rng *rng)
{
	uint64_t z = (rng->state += 0x9E3779B97F4A7C15u);

	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
	z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
	return z ^ (z >> 31);
}

unsigned rng_below(struct rng *rng, unsigned n)
{
	return (unsigned)(rng_next(rng) % n);
}

bool rng_chance(struct rng *rng, unsigned percent)
{
	return rng_below(rng, 100) < percent;
}

struct rng rng_stream(uint64_t seed, uint64_t number)
{
	struct rng rng = {.state = seed * 1000003u + number};

	(void)rng_next(&rng);
	return rng;
}

void text_clear(struct text *text)
{
	text->len = 0;
}

void text_bytes(struct text *text, const char *data, size_t len)
{
	if (text->len + len > text->size) {
		text->size = 2 * (text->len + len) + 64;
		text->data = realloc(text->data, text->size);
		if (text->data == NULL) {
			perror("randdit");
			exit(2);
		}
	}
	if (len > 0) {
		memcpy(text->data + text->len, data, len);
	}
	text->len += len;
}

void text_byte(struct text *text, char byte)
{
	text_bytes(text, &byte, 1);
}

void text_string(struct text *text, const char *string)
{
	text_bytes(text, string, strlen(string));
}

void text_free(struct text *text)
{
	free(text->data);
	*text = (struct text){0};
}
