/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures for people: digits in groups, sizes and times with units. */
#ifndef DITKIT_COMMON_FIGURES_H
#define DITKIT_COMMON_FIGURES_H

#include <stdint.h>

/** Room for any of them. */
struct figure {
	char text[40];
};

/** "1,234,567" */
struct figure figure_count(uint64_t n);
/** "0 B", "17.5 KiB", "423 MiB", "1.2 TiB" */
struct figure figure_bytes(uint64_t bytes);
/** "0.004 s", "12.3 s", "5 min 28 s", "2 h 05 min" */
struct figure figure_seconds(double seconds);
/** "97.5 %"; of 0: "0 %" */
struct figure figure_share(double part, double of);

#endif
