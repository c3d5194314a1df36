#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The reject file is LDIF: what is in it is refused again for the same reasons, by slapadd
# as well, until it is mended; then it can be loaded.
. "${0%/*}/lib.sh"

# Records that are refused, or told, for what stands around them; a refused record of which slapadd
# keeps the parents on its list of missing entries; store errors, which cost slapadd -q
# the whole batch (storage.md 6.6).
depends=' duplicates mixed parse-lines record-starts include-empty include-path include-scheme include-missing '
holes=' too-long-rdn '
store_errors=' duplicates mixed too-long-rdn '

# without_numbers DIR: the messages without line numbers
without_numbers() {
	sed 's/line[= ][0-9]*/line/; /^Error, entries missing!$/d; /^  entry /d' "$1/stderr"
}

# again FIXTURE
again() {
	local name=$1 mode
	for mode in '' -q; do
		empty_site "$work/dit"
		ditadd_site "$work/dit" -c ${mode:+"$mode"} --rejects "$work/first" \
			-l "$DIT_TEST_DATA/errors/$name.ldif"
		check "$name $mode: every refused record" diff \
			<(grep -c 'line[= ][0-9]*[):]' "$work/dit/stderr") \
			<(grep -c '^# reason: ' "$work/first")

		empty_site "$work/dit"
		empty_site "$work/ref"
		without_numbers "$work/dit" >"$work/messages"
		ditadd_site "$work/dit" -c ${mode:+"$mode"} --rejects "$work/second" \
			-l "$work/first"
		slapadd_site "$work/ref" -c ${mode:+"$mode"} -l "$work/first"
		# With --rejects 2 says that records were left out; slapadd has 0 or 1 for it.
		[ "$(cat "$work/dit/exit")" -ne 2 ] || cp "$work/ref/exit" "$work/dit/exit"
		cp "$work/first" "$work/again"
		leave_out_mixed "$work/ref" "$work/again" "$mode"
		[ -e "$work/again.mixed" ] ||
			[[ $holes = *" $name "* ||
			$mode = -q && $store_errors = *" $name "* ]] ||
			check "$name $mode: again, by slapadd" same_messages \
				"$work/ref" "$work/dit"
		[[ $depends = *" $name "* ]] && continue
		check "$name $mode: the same records" diff -a \
			<(grep -av '^#' "$work/first") <(grep -av '^#' "$work/second")
		check "$name $mode: the same reasons" diff -a "$work/messages" \
			<(without_numbers "$work/dit")
	done
}

make_site "$work/ref"
make_site "$work/dit"
for file in "$DIT_TEST_DATA"/errors/*.ldif; do
	name=${file##*/}
	name=${name%.ldif}
	[ "$name" = include-missing ] || again "$name"
done

# All records but the first five are broken, mended, and loaded after the five.
whole=$DIT_TEST_DATA/ldif/operational.ldif
awk 'BEGIN { RS = ""; ORS = "\n\n" }
	{ print (NR > 5 ? $0 "\nbroken: line" : $0) }' "$whole" >"$work/broken.ldif"
empty_site "$work/ref"
empty_site "$work/dit"
slapadd_site "$work/ref" -l "$whole"
ditadd_site "$work/dit" -c --rejects "$work/rejects" -l "$work/broken.ldif"
{
	slapcat -f "$work/dit/slapd.conf"
	sed '/^broken: line$/d' "$work/rejects"
} >"$work/mended.ldif"
check 'broken records' [ "$(grep -c '^# reason: .*str2ad(broken)' "$work/rejects")" -gt 5 ]
empty_site "$work/dit"
ditadd_site "$work/dit" -l "$work/mended.ldif"
check 'mended: messages' same_messages "$work/ref" "$work/dit"
check 'mended: content' same_content --ignore-integerkey "$work/ref" "$work/dit"

# Only its owner reads the file, also one that was there before; no link is followed.
fixture=$DIT_TEST_DATA/errors/mixed.ldif
empty_site "$work/dit"
rm -f "$work/first"
(umask 0 && ditadd_site "$work/dit" -c --rejects "$work/first" -l "$fixture")
check 'mode of a new file' [ "$(stat -c %a "$work/first")" = 600 ]
: >"$work/first"
chmod 666 "$work/first"
exec 5<"$work/first"
empty_site "$work/dit"
ditadd_site "$work/dit" -c --rejects "$work/first" -l "$fixture"
check 'mode of an older file' [ "$(stat -c %a "$work/first")" = 600 ]
check 'an older file: records' [ -s "$work/first" ]
check 'an older file: who has it open reads no records' [ -z "$(cat <&5)" ]
exec 5<&-

# refused_file NAME REASON: the file $work/file is not written to, and nothing is loaded
refused_file() {
	empty_site "$work/dit"
	ditadd_site "$work/dit" -c --rejects "$work/file" -l "$fixture"
	check "$1: exit status" [ "$(cat "$work/dit/exit")" = 1 ]
	check "$1: reason" grep -q "file: $2\$" "$work/dit/stderr"
	check "$1: nothing loaded" untouched "$work/dit"
	rm -f "$work/file"
}

echo precious >"$work/target"
ln -s target "$work/file"
refused_file 'symbolic link' 'a symbolic link is not followed'
ln "$work/target" "$work/file"
refused_file 'hard link' 'the file has other names'
check 'the target of links' [ "$(cat "$work/target")" = precious ]
mkfifo "$work/file"
refused_file 'named pipe' 'No such device or address'

# As root: somebody else's file, and a disk that is full before the last record is written.
if [ "$(id -u)" -eq 0 ]; then
	echo precious >"$work/file"
	chown 12345 "$work/file"
	refused_file 'owner' 'the file belongs to another user'
fi
mkdir "$work/small"
if mount -t tmpfs -o size=4k none "$work/small" 2>/dev/null; then
	atexit+=("umount -l $work/small")
	{
		head -n 5 "$whole"
		awk 'BEGIN { for (i = 0; i < 25; i++)
			printf "\ndn: cn=%d,dc=nowhere\nobjectClass: person\ncn: %d\nsn: %d\n", i, i, i }'
	} >"$work/many.ldif"
	empty_site "$work/dit"
	ditadd_site "$work/dit" -c --rejects "$work/small/file" -l "$work/many.ldif"
	check 'full disk: exit status' [ "$(cat "$work/dit/exit")" = 1 ]
	check 'full disk: message' grep -q 'No space left on device' "$work/dit/stderr"
	check 'full disk: nothing loaded' untouched "$work/dit"
else
	echo 'SKIPPED: only root may mount a small disk' >&2
fi

finish
