# SPDX-License-Identifier: BSD-2-Clause
# A log of slapd with 200 searches in the directory of doc/examples: half of them of an
# attribute that has no index there. For the example "logged" of doc/guide.md.
BEGIN {
	for (i = 0; i < 200; i++) {
		printf "conn=%d op=1 SRCH base=\"dc=harbour,dc=example\" scope=2 deref=0 " \
			"filter=\"(%s=%d)\"\n", i, i % 2 ? "employeeType" : "uid", i
	}
}
