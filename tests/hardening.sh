#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The programs have the protections that configure found (HARDENING).
set -u
: "${DITADD:?}" "${DITCAT:?}" "${DITCHECK:?}" "${DITINDEX:?}" "${DITMODIFY:?}"
: "${DITDIFF:?}" "${DITSPLIT:?}"

if [ -z "${HARDENING:-}" ]; then
	echo "SKIPPED: configured without hardening" >&2
	exit 77
fi
if ! command -v readelf >/dev/null; then
	echo "SKIPPED: no readelf (Debian: binutils)" >&2
	exit 77
fi
nfailed=0
nchecks=0

# has PROGRAM WHAT PATTERN: does readelf's output have a line like this?
has() {
	nchecks=$((nchecks + 1))
	if ! grep -Eq "$3" <<<"$elf"; then
		echo "${1##*/}: no $2" >&2
		nfailed=$((nfailed + 1))
	fi
}

for program in "$DITADD" "$DITCAT" "$DITCHECK" "$DITDIFF" "$DITINDEX" "$DITMODIFY" \
	"$DITSPLIT"; do
	elf=$(readelf --wide --file-header --program-headers --dynamic --symbols "$program")
	for name in $HARDENING; do
		case $name in
		fortify*) has "$program" "checked function" ' __[a-z]+_chk(@| |$)' ;;
		stack-protector) has "$program" "stack protector" ' __stack_chk_fail' ;;
		pie) has "$program" "PIE" '^ *Type: +DYN' ;;
		relro) has "$program" "RELRO" 'GNU_RELRO' ;;
		now) has "$program" "immediate binding" 'BIND_NOW|Flags:.* NOW' ;;
		*)
			echo "$name is not known here" >&2
			nfailed=$((nfailed + 1))
			;;
		esac
	done
	nchecks=$((nchecks + 1))
	if grep -E 'GNU_STACK' <<<"$elf" | grep -q 'RWE'; then
		echo "${program##*/}: the stack is executable" >&2
		nfailed=$((nfailed + 1))
	fi
done
echo "${0##*/}: $nchecks checks ($HARDENING ), $nfailed failed"
[ "$nfailed" -eq 0 ]
