/* SPDX-License-Identifier: BSD-2-Clause */
#include "interrupts.h"

#include <stddef.h>

/* Set by the handler, which has no argument to carry it. */
static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
	interrupted = number;
}

const volatile sig_atomic_t *common_catch_interrupts(void)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_handler = on_signal,
	                           .sa_flags = (int)SA_RESETHAND};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		struct sigaction old;

		if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) {
			(void)sigaction(numbers[i], &action, NULL);
		}
	}
	(void)signal(SIGXFSZ, SIG_IGN);
	return &interrupted;
}
