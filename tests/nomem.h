/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Allocations that fail: the linker wraps those of our objects (nomem_flags in
 * tests/local.mk), and the one that `countdown` counts down to gives NULL.
 *
 *     countdown = n;  call;  countdown = -1;
 *
 * or one of the macros at the end.
 *
 * Defines functions: include it in one file of a program.
 */
#ifndef DITKIT_NOMEM_H
#define DITKIT_NOMEM_H

#include "test.h"

/* Allocations until the failing one; -1: none fails. Any thread counts it down. */
static _Atomic long countdown = -1;

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__real_reallocarray(void *p, size_t n, size_t size);
char *__real_strdup(const char *text);
void *__real_dit_slab_get(size_t size);
void *__real_dit_slab_grow(void *block, size_t size, size_t kept, size_t wanted);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_reallocarray(void *p, size_t n, size_t size);
char *__wrap_strdup(const char *text);
void *__wrap_dit_slab_get(size_t size);
void *__wrap_dit_slab_grow(void *block, size_t size, size_t kept, size_t wanted);

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

void *__wrap_dit_slab_grow(void *block, size_t size, size_t kept, size_t wanted)
{
	return must_fail() ? NULL : __real_dit_slab_grow(block, size, kept, wanted);
}

/** Make a call whose first allocation fails. */
#define assert_no_memory(call)                                                           \
 do {                                                                                    \
  int no_memory_r_ = 0;                                                                  \
  countdown = 0;                                                                         \
  no_memory_r_ = (call);                                                                 \
  countdown = -1;                                                                        \
  assert_int_equal(no_memory_r_, -ENOMEM);                                               \
 } while (0)

/**
 * Make a call whose first allocation fails, then the second one, until none does: then
 * it must give 0, and before -ENOMEM.
 * @return the number of calls
 */
/* clang-format off */
#define calls_until_memory(call)                                                         \
 ({                                                                                      \
  bool calls_has_failed_ = true;                                                         \
  long calls_n_ = 0;                                                                     \
  for (; calls_has_failed_; calls_n_++) {                                                \
   int calls_r_ = 0;                                                                     \
   countdown = calls_n_;                                                                 \
   calls_r_ = (call);                                                                    \
   calls_has_failed_ = countdown < 0;                                                    \
   countdown = -1;                                                                       \
   assert_int_equal(calls_r_, calls_has_failed_ ? -ENOMEM : 0);                          \
  }                                                                                      \
  calls_n_;                                                                              \
 })
/* clang-format on */

#endif
