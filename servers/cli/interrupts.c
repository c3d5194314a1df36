/* SPDX-License-Identifier: BSD-2-Clause */
#include "interrupts.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

/* Set by the handlers, which have no argument to carry them. */
static volatile sig_atomic_t interrupted;
static volatile sig_atomic_t requested;

static void on_signal(int number)
{
	interrupted = number;
}

static void say(const char *text)
{
	ssize_t n = write(STDERR_FILENO, text, strlen(text));

	(void)n;
}

/*
 * The system cannot give a page of a mapped file: data.mdb, or lock.mdb, which is written
 * to. Whatever the program was about to change is as after a kill.
 */
static void on_bus_error(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (info->si_code != BUS_ADRERR) {
		(void)signal(number, SIG_DFL); /* and again, to its end */
		return;
	}
	say(program_invocation_short_name);
	say(": a page of a mapped file cannot be read or written: the disk is full or "
	    "damaged, or somebody has cut the file\n");
	_exit(1);
}

/* Unless it is ignored. */
static void take(int number, void (*handler)(int), int flags)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
	struct sigaction old;

	if (sigaction(number, NULL, &old) == 0 && old.sa_handler != SIG_IGN) {
		(void)sigaction(number, &action, NULL);
	}
}

const volatile sig_atomic_t *common_catch_interrupts(void)
{
	struct sigaction bus = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO};

	take(SIGINT, on_signal, (int)SA_RESETHAND);
	take(SIGTERM, on_signal, (int)SA_RESETHAND);
	take(SIGHUP, on_signal, (int)SA_RESETHAND);
	take(SIGPIPE, on_signal, 0); /* with each line that nobody reads */
	(void)sigaction(SIGBUS, &bus, NULL);
	(void)signal(SIGXFSZ, SIG_IGN);
	return &interrupted;
}

static void on_request(int number)
{
	requested = number;
}

volatile sig_atomic_t *common_catch_requests(void)
{
	take(SIGUSR1, on_request, SA_RESTART); /* it cuts no work short */
	return &requested;
}
