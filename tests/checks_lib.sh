# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause
# Sourced by the scripts of all folders: a scratch directory, which goes with the script, and
# a count of what went wrong. bash.
set -u
export LC_ALL=C
nchecks=0
nfailed=0
work=$(mktemp -d "${TMPDIR:-/tmp}/ditkit-test-XXXXXX") || exit 1

# Commands to run at the end, before the directory goes.
atexit=()
# A part of the script that runs in the background and is ended at once comes here, too.
# shellcheck disable=SC2317,SC2329 # called by the trap
cleanup() {
	local command
	[ "$BASHPID" = "$$" ] || return 0
	for command in "${atexit[@]}"; do
		$command
	done
	rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 1' INT TERM HUP

# skip REASON...: end the script; where CI is set, that is a failure
skip() {
	echo "SKIPPED: $*" >&2
	[ -n "${CI:-}" ] && exit 1
	exit 77
}

# fail TEXT...: count a failed check and say why; the script goes on
fail() {
	nfailed=$((nfailed + 1))
	echo "FAILED: $*" >&2
}

# check NAME COMMAND...: run a comparison; its output is shown only if it fails
check() {
	local name=$1
	shift
	nchecks=$((nchecks + 1))
	if ! "$@" >"$work/check.out" 2>&1; then
		fail "$name"
		cut -c1-300 "$work/check.out" | sed 's/^/    /; 30q' >&2
	fi
}

# same NAME EXPECTED GOT
same() {
	nchecks=$((nchecks + 1))
	[ "$2" = "$3" ] || {
		fail "$1"
		diff <(printf '%s\n' "$2") <(printf '%s\n' "$3") >&2
	}
}

# finish: the script's last line
finish() {
	echo "${0##*/}: $nchecks checks, $nfailed failed, $SECONDS s"
	[ "$nchecks" -gt 0 ] && [ "$nfailed" -eq 0 ]
	exit
}
