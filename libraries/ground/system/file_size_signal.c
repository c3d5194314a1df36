/* SPDX-License-Identifier: BSD-2-Clause */
#include "system/file_size_signal.h"

#include <errno.h>
#include <stddef.h>
#include <time.h>

void dit_file_size_signal_block(sigset_t *ret_previous)
{
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGXFSZ);
	(void)pthread_sigmask(SIG_BLOCK, &set, ret_previous);
}

void dit_file_size_signal_restore(const sigset_t *previous)
{
	const struct timespec at_once = {0, 0};
	sigset_t set;

	if (!sigismember(previous, SIGXFSZ)) {
		(void)sigemptyset(&set);
		(void)sigaddset(&set, SIGXFSZ);
		while (sigtimedwait(&set, NULL, &at_once) < 0 && errno == EINTR) {
			continue;
		}
	}
	(void)pthread_sigmask(SIG_SETMASK, previous, NULL);
}
