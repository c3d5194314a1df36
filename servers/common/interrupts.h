/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signals: an interrupt ends the work of a program in order; a second one kills it, which
 * is safe as well.
 */
#ifndef DITKIT_COMMON_INTERRUPTS_H
#define DITKIT_COMMON_INTERRUPTS_H

#include <signal.h>

/**
 * Catch SIGINT, SIGTERM and SIGHUP. One that whoever started us ignores, such as nohup or
 * a script's "&", stays ignored. A file size limit shows as an error of write(), not as
 * death.
 *
 * @return for the `stop` of a library call: 0, or the number of the signal
 */
const volatile sig_atomic_t *common_catch_interrupts(void);

#endif
