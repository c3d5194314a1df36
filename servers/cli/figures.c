/* SPDX-License-Identifier: BSD-2-Clause */
#include "figures.h"

#include <stdio.h>

struct figure figure_count(uint64_t n)
{
	struct figure figure;
	char digits[24];
	size_t len =
		(size_t)snprintf(digits, sizeof(digits), "%llu", (unsigned long long)n);
	size_t at = 0;

	for (size_t i = 0; i < len; i++) {
		if (i > 0 && (len - i) % 3 == 0) {
			figure.text[at++] = ',';
		}
		figure.text[at++] = digits[i];
	}
	figure.text[at] = '\0';
	return figure;
}

struct figure figure_bytes(uint64_t bytes)
{
	static const char *const units[] = {"B",   "KiB", "MiB", "GiB",
	                                    "TiB", "PiB", "EiB"};
	struct figure figure;
	double n = (double)bytes;
	unsigned unit = 0;

	while (n >= 999.5 && unit + 1 < sizeof(units) / sizeof(units[0])) {
		n /= 1024;
		unit++;
	}
	(void)snprintf(figure.text, sizeof(figure.text), "%.*f %s",
	               unit == 0 || n >= 99.95 ? 0 : 1, n, units[unit]);
	return figure;
}

struct figure figure_seconds(double seconds)
{
	struct figure figure;
	unsigned long whole = (unsigned long)(seconds + 0.5);

	if (seconds < 99.95) {
		int ndigits = seconds < 0.0995 ? 3 : seconds < 9.995 ? 2 : 1;

		(void)snprintf(figure.text, sizeof(figure.text), "%.*f s", ndigits,
		               seconds);
	} else if (whole < 3600) {
		(void)snprintf(figure.text, sizeof(figure.text), "%lu min %02lu s",
		               whole / 60, whole % 60);
	} else {
		(void)snprintf(figure.text, sizeof(figure.text), "%lu h %02lu min",
		               whole / 3600, whole / 60 % 60);
	}
	return figure;
}

struct figure figure_share(double part, double of)
{
	struct figure figure;
	double percent = of > 0 ? 100 * part / of : 0;
	int ndigits = percent <= 0 || percent >= 9.95 ? 0 : 1;

	if (percent > 0 && percent < 0.05) {
		(void)snprintf(figure.text, sizeof(figure.text), "<0.1 %%");
		return figure;
	}
	(void)snprintf(figure.text, sizeof(figure.text), "%.*f %%", ndigits, percent);
	return figure;
}
