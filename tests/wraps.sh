#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A test program that wraps a function of the C library (--wrap) sees all of its calls: none
# goes to another form of it, as FORTIFY makes them (__pread_chk, __openat_2).
set -u
export LC_ALL=C
: "${DIT_BUILDDIR:?}"
nprograms=0
nfailed=0
for program in "$DIT_BUILDDIR"/tests/*/test_*; do
	case $program in *.o | *.log | *.trs | *.sh) continue ;; esac
	[ -x "$program" ] || continue
	# "T __wrap_pread", "U __pread_chk@GLIBC_2.4"
	unseen=$(nm "$program" 2>/dev/null | sed 's/@.*//' | awk '
		$NF ~ /^__wrap_/ { wrapped[substr($NF, 8)] = 1 }
		$(NF - 1) == "U" { used[$NF] = 1 }
		END {
			for (name in wrapped) {
				n++
				base = name
				sub(/^__/, "", base)
				sub(/_(chk|2)$/, "", base)
				split("__" base "_chk __" base "_2 " base "64 __" base "64_chk", form, " ")
				for (i in form) {
					if (form[i] in used && !(form[i] in wrapped)) {
						printf "%s ", form[i]
					}
				}
			}
			if (n > 0) {
				print ":"
			}
		}')
	[ -z "$unseen" ] || nprograms=$((nprograms + 1))
	unseen=${unseen%:}
	if [ -n "$unseen" ]; then
		nfailed=$((nfailed + 1))
		echo "FAILED: ${program##*/} does not see $unseen" >&2
	fi
done
echo "${0##*/}: $nprograms programs wrap functions, $nfailed do not see all calls"
[ "$nprograms" -gt 10 ] && [ "$nfailed" -eq 0 ]
