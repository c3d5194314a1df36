#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The number of threads changes nothing: 1, 2, 3 and 8 of them store the same bytes, print
# the same messages and write the same reject file, on input with many kinds of errors;
# and all of it is what slapadd stores and prints.
. "${0%/*}/lib.sh"
: "${DITGEN:?}"

make_site "$work/ref" default
make_site "$work/dit" default
mkdir "$work/first"

# Spoil a made-up directory: unknown attributes, missing ones, wrong names, duplicates at
# a distance, parents that come later or never, broken base64.
"$DITGEN" --entries "${THREADS_ENTRIES:-3000}" --operational | awk '
	BEGIN { RS = ""; FS = "\n" }
	NR > 42 && NR % 7 == 0 { $0 = $0 "\nfooAttr: x" }
	NR > 42 && NR % 13 == 0 { sub(/\nsn: [^\n]*/, "") }
	NR > 42 && NR % 17 == 0 { sub(/,ou=/, ",ou=hole " NR % 5 ",ou=") }
	NR > 42 && NR % 19 == 0 { sub(/\ndescription: /, "\ndescription:: YW@J") }
	NR > 42 && NR % 23 == 0 { sub(/dn: /, "dn: bad") }
	NR % 97 == 0 { kept = $0 }
	{ print $0 "\n" }
	NR % 101 == 0 { print "# once more\n\n" kept "\n" }
	END {
		for (i = 0; i < 4; i++) {
			print "dn: ou=hole " i ",ou=Sales 00,ou=People,dc=example,dc=com"
			print "objectClass: organizationalUnit\n"
		}
	}' | awk 'BEGIN { RS = ""; ORS = "\n\n" }
	/^dn: ou=hole/ {
		$0 = $0 "\nstructuralObjectClass: organizationalUnit" \
			"\nentryUUID: 0000000" ++n "-1111-2222-3333-444455556666" \
			"\ncreatorsName: cn=x\ncreateTimestamp: 20240101000000Z" \
			"\nentryCSN: 20240101000000.000000Z#000000#000#000000" \
			"\nmodifiersName: cn=x\nmodifyTimestamp: 20240101000000Z"
	}
	{ print }' >"$work/input.ldif"

slapadd_site "$work/ref" -c -v -l "$work/input.ldif"
for threads in 1 2 3 8; do
	for memory in 8M 16M; do
		name="-T $threads --memory $memory"
		empty_site "$work/dit"
		ditadd_site "$work/dit" -c -v -T "$threads" \
			--memory $memory --rejects "$work/rejects" -l "$work/input.ldif"
		check "$name: a part is left out" test "$(cat "$work/dit/exit")" -eq 2
		cp "$work/ref/exit" "$work/dit/exit"
		check "$name: messages as slapadd" same_messages "$work/ref" "$work/dit"
		check "$name: content as slapadd" same_content --ignore-integerkey \
			"$work/ref" "$work/dit"
		if [ ! -e "$work/first/rejects" ]; then
			mv "$work/dit/db" "$work/first/db"
			mv "$work/rejects" "$work/first/rejects"
			continue
		fi
		check "$name: content" same_content "$work/first" "$work/dit"
		check "$name: reject file" cmp "$work/first/rejects" "$work/rejects"
	done
done

# Rejected records can be mended and loaded later; here they are at least all there.
nfailures=$(grep -c -e 'could not add entry' -e 'could not parse entry' \
	-e '(line=[0-9]*): (' -e 'no objectClass' -e ': line [0-9]*: ' "$work/ref/stderr")
check "one rejected record for each failure" \
	test "$(grep -c -e '^dn:' "$work/first/rejects")" -eq "$nfailures"

finish
