#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The reports of a load and of a check, in a browser without a screen: on a phone and on a
# desktop, light and dark, and in print. The page is drawn, neither it nor a table in it is
# wider than a phone, half a screen or a laptop, and both modes differ. Pictures stay in the
# directory PICTURES, if that is set. In check-long.
. "${0%/*}/../checks_lib.sh"
: "${DITADD:?}" "${DITCHECK:?}" "${DITGEN:?}"
schema=${DIT_SCHEMA_DIR:-/etc/ldap/schema}
browser=$(command -v chromium || command -v chromium-browser)

if [ -z "$browser" ] || [ ! -d "$schema" ]; then
	echo "SKIPPED: no chromium, or no $schema (Debian: chromium, slapd)" >&2
	exit 77
fi
cd "$work" || exit 1

# browse MODE OPTION...: 0 is dark, 1 is light
browse() {
	timeout 120 "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars \
		--user-data-dir="$work/profile" --disable-dev-shm-usage \
		--blink-settings="preferredColorScheme=$1" "${@:2}" 2>/dev/null
}

mkdir db
cat >slapd.conf <<-CONF
	include $schema/core.schema
	include $schema/cosine.schema
	include $schema/nis.schema
	include $schema/inetorgperson.schema
	modulepath /usr/lib/ldap
	moduleload back_mdb
	database mdb
	suffix "dc=example,dc=com"
	directory $work/db
	maxsize 1073741824
	index objectClass,uid,uidNumber,departmentNumber eq
	index cn,sn,mail,description pres,eq,sub
CONF
"$DITGEN" --entries 5000 >people.ldif || exit 1
"$DITADD" -q -f slapd.conf -l people.ldif --report=report.html || exit 1

printf '%s\n' '(uid=a)' '(telephoneNumber=1)' >filters
for _ in 1 2 3 4 5 6 7; do cat filters filters >more && mv more filters; done
"$DITCHECK" --stats -f slapd.conf --filter-log=filters --report=check.html >/dev/null || exit 1

# look PAGE: draw it in both widths and both modes, and print it
look() {
	local width mode
	for width in 390 1280; do
		for mode in 0 1; do
			browse $mode --window-size=$width,2600 \
				--screenshot="$work/$1-$width-$mode.png" \
				"file://$work/$1.html" >/dev/null
			check "$1, $width, mode $mode: there is no picture" \
				[ -s "$1-$width-$mode.png" ]
		done
		check "$1, $width: dark is light" \
			[ "$(cksum <"$1-$width-0.png")" != "$(cksum <"$1-$width-1.png")" ]
	done
	browse 1 --print-to-pdf="$work/$1.pdf" "file://$work/$1.html" >/dev/null
	check "$1: it is not printed" grep -q '^%PDF' "$1.pdf"
}

# measure PAGE WIDTH: a frame of that width measures the page in it, and its tables
measure() {
	cat >frame.html <<-HTML
		<!DOCTYPE html><html><body style="margin:0"><iframe id="f" src="$1.html"
		width="$2" height="800" style="border:0"></iframe><p id="p">none</p><script>
		onload = function () {
			var d = document.getElementById("f").contentDocument, n = 0, k;
			var tables = d.querySelectorAll(".wide");
			for (k = 0; k < tables.length; k++)
				n += tables[k].scrollWidth > tables[k].clientWidth;
			document.getElementById("p").textContent = "width " +
				d.documentElement.scrollWidth + " tables " + n + " of " +
				(tables.length > 2) + " rows " +
				d.querySelectorAll("tr[data-index]").length;
		};
		</script></body></html>
	HTML
	browse 1 --allow-file-access-from-files --virtual-time-budget=5000 --dump-dom \
		"file://$work/frame.html" >dom
	check "$1: wider than $2, or lacks indexes: $(grep -o 'width [0-9].*rows [0-9]*' dom)" \
		grep -q ">width $2 tables 0 of true rows 8<" dom
}
for page in report check; do
	look $page
	for width in 390 760 1000; do
		measure $page $width
	done
done
if [ -n "${PICTURES:-}" ]; then
	cp ./*.png ./*.pdf "$PICTURES"
fi
echo "${0##*/}: $nchecks checks, $nfailed failed"
[ "$nchecks" -gt 0 ] && [ "$nfailed" -eq 0 ]
