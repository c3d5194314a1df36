/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signals: the first interrupt ends the work of a program in order. A second one kills
 * the program, which is safe as well.
 */
#ifndef DITKIT_COMMON_INTERRUPTS_H
#define DITKIT_COMMON_INTERRUPTS_H

#include <signal.h>

/**
 * Catch SIGINT, SIGTERM and SIGHUP. A signal that is ignored at the start of the program,
 * as by nohup or by a script's "&", stays ignored. A file size limit becomes an error of
 * write() and does not kill the program.
 *
 * @return for the `stop` of a library call: 0, or the number of the signal
 */
const volatile sig_atomic_t *common_catch_interrupts(void);

#endif
