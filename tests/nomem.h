/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Allocations that fail: the linker wraps those of our objects (nomem_flags in
 * tests/local.mk), and the one that `countdown` counts down to gives NULL.
 *
 *     countdown = n;  call;  countdown = -1;
 *
 * Defines functions: include it in one file of a program.
 */
#ifndef DITKIT_NOMEM_H
#define DITKIT_NOMEM_H

#include <stdbool.h>
#include <stddef.h>

/* Allocations until the failing one; -1: none fails. Any thread counts it down. */
static _Atomic long countdown = -1;

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__real_reallocarray(void *p, size_t n, size_t size);
char *__real_strdup(const char *text);
void *__real_dit_slab_get(size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_reallocarray(void *p, size_t n, size_t size);
char *__wrap_strdup(const char *text);
void *__wrap_dit_slab_get(size_t size);

static bool must_fail(void)
{
	if (countdown < 0) {
		return false;
	}
	return countdown-- == 0;
}

void *__wrap_malloc(size_t size)
{
	return must_fail() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return must_fail() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	return must_fail() ? NULL : __real_realloc(p, size);
}

void *__wrap_reallocarray(void *p, size_t n, size_t size)
{
	return must_fail() ? NULL : __real_reallocarray(p, n, size);
}

char *__wrap_strdup(const char *text)
{
	return must_fail() ? NULL : __real_strdup(text);
}

void *__wrap_dit_slab_get(size_t size)
{
	return must_fail() ? NULL : __real_dit_slab_get(size);
}

#endif
