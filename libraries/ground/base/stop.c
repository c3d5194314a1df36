/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Waiting for input: in short pieces, because a flag wakes no waiting thread.
 */
#include "base/stop.h"

#include <errno.h>
#include <poll.h>

#include "base/error.h"

#define LOOK_MS 100

int dit_stop_wait_input(const struct dit_stop *stop, int fd)
{
	struct pollfd input = {.fd = fd, .events = POLLIN};

	for (;;) {
		int r = 0;

		if (dit_stop_is_set(stop)) {
			return DIT_E_STOPPED;
		}
		r = poll(&input, 1, stop == NULL ? -1 : LOOK_MS);
		if (r > 0) {
			return 0;
		}
		if (stop != NULL) {
			dit_tick(stop->ticker);
		}
		if (r < 0 && errno != EINTR) {
			return -errno;
		}
	}
}
