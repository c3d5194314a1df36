/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Integer keys of arbitrary texts: the first byte is the length of the key.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "fuzz/fuzz_target.h"
#include "index/key_bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned char key[DIT_INTLEN_MAX];
	unsigned char again[DIT_INTLEN_MAX];
	unsigned intlen = DIT_INTLEN_MIN;
	struct dit_span text = {NULL, 0};

	if (size == 0) {
		return 0;
	}
	intlen = data[0] < DIT_INTLEN_MIN ? DIT_INTLEN_MIN : data[0];
	text = (struct dit_span){(const char *)data + 1, size - 1};
	dit_key_integer(text, intlen, key);
	dit_key_integer(text, intlen, again);
	if (memcmp(key, again, intlen) != 0) {
		abort(); /* something was used that was never set */
	}
	return 0;
}
