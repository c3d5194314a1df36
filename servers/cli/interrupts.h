/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signals: the first interrupt ends the work of a program in order. A second one kills
 * the program, which is safe as well. SIGUSR1 asks for a line about the progress.
 */
#ifndef DITKIT_COMMON_INTERRUPTS_H
#define DITKIT_COMMON_INTERRUPTS_H

#include <signal.h>

/**
 * Catch SIGINT, SIGTERM, SIGHUP and SIGPIPE. A signal that is ignored at the start of
 * the program, as by nohup or by a script's "&", stays ignored. A file size limit becomes
 * an error of write() and does not kill the program. A page of a mapped file that the
 * system cannot give ends the program with a message and exit status 1.
 *
 * @return for the `stop` of a library call: 0, or the number of the signal
 */
const volatile sig_atomic_t *common_catch_interrupts(void);

/**
 * Catch the signal that asks for the progress; if it is ignored, it stays ignored.
 *
 * @return 0, or a signal has come since the caller set it to 0
 */
volatile sig_atomic_t *common_catch_requests(void);

#endif
