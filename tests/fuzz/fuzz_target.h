/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A fuzz target: a file fuzz_NAME.c with this function. libFuzzer calls it, or
 * replay_main.c.
 */
#ifndef DITKIT_FUZZ_TARGET_H
#define DITKIT_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/** @return 0. A fault aborts. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(condition)                                                                 \
 do {                                                                                    \
  if (!(condition)) {                                                                    \
   abort();                                                                              \
  }                                                                                      \
 } while (0)

#endif
