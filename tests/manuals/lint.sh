#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# mandoc finds nothing to say about the man pages; lines of theirs, and of the examples in
# README.md, have 80 columns; each page is installed; a page that another one refers to is there,
# ours or the system's. As HTML, each link of a document or a page to another one leads to a file
# and a section that are there.
set -u
: "${DIT_SRCDIR:?}"

if ! command -v mandoc >/dev/null || ! command -v lowdown >/dev/null; then
	echo 'SKIPPED: no mandoc or no lowdown (Debian: mandoc, lowdown)' >&2
	[ -z "${CI:-}" ] || exit 1
	exit 77
fi
work=$(mktemp -d "${TMPDIR:-/tmp}/ditkit-manuals-XXXXXX") || exit 1
mkdir "$work/man"
trap 'rm -rf "$work"' EXIT
nfailed=0
pages=$(cd "$DIT_SRCDIR/doc/man" && ls ./*.[1-9] | sed 's,^\./,,')
npages=0
for page in $pages; do
	npages=$((npages + 1))
	(cd "$DIT_SRCDIR" && awk -f doc/man/page.awk "doc/man/$page") >"$work/man/$page"
	# Whether a manual is found depends on the machine; see below.
	said=$(cd "$work/man" && mandoc -T lint "$page" 2>/dev/null |
		grep -v ': referenced manual not found: ')
	[ -z "$said" ] || {
		printf '%s\n' "$said" >&2
		nfailed=$((nfailed + 1))
	}
	# An example that is copied from a terminal of 80 columns has no broken lines.
	wide=$(mandoc -T ascii -O width=78 "$work/man/$page" | sed 's/.\x08//g' | grep -E '.{81}')
	[ -z "$wide" ] || {
		printf 'FAILED: %s has lines over 80 columns:\n%s\n' "$page" "$wide" >&2
		nfailed=$((nfailed + 1))
	}
	! grep -Hn '^dit.* -f /etc/ldap/slapd.conf' "$work/man/$page" >&2 || {
		echo "FAILED: $page has an example with a file that Debian's slapd lacks" >&2
		nfailed=$((nfailed + 1))
	}
	! grep -Hn '^|' "$work/man/$page" >&2 || {
		echo "FAILED: $page has a table that is not one" >&2
		nfailed=$((nfailed + 1))
	}
	# The first screens answer what most readers look for.
	begin=$(mandoc -T ascii -O width=78 "$work/man/$page" | sed 's/.\x08//g' |
		sed -n '/^   Examples$/{=;q}')
	[ "${page##*.}" != 8 ] || [ "${begin:-99}" -le 30 ] || {
		echo "FAILED: the examples of $page begin in line $begin" >&2
		nfailed=$((nfailed + 1))
	}
	# groff begins the second line of a last column after all widths that are given.
	awk '/^\.Bl -column/ { line = FNR; gsub(/"[^"]*"/, "x"); nwidths = NF - 2; ncells = 1 }
		/^\.It/ && line { n = gsub(/ Ta/, "") + 1; if (n > ncells) ncells = n }
		/^\.El/ && line {
			if (nwidths >= ncells) {
				print "FAILED: " FILENAME ":" line ": the last column has a width"
				failed = 1
			}
			line = 0
		}
		END { exit failed }' "$work/man/$page" >&2 || nfailed=$((nfailed + 1))
	grep -q "man/$page " "$DIT_SRCDIR/doc/local.mk" || {
		echo "FAILED: $page is not installed" >&2
		nfailed=$((nfailed + 1))
	}
	# Ours; other programs' pages are known here by name.
	for other in $(sed -n 's/^\.Xr \([^ ]*\) \([1-9]\).*/\1.\2/p' \
		"$DIT_SRCDIR/doc/man/$page" | sort -u); do
		[ ! -e "$DIT_SRCDIR/doc/man/$other" ] || continue
		case $other in
		bzip2.1 | du.1 | gzip.1 | ldapmodify.1 | ls.1 | mdb_copy.1 | mdb_stat.1 | pkg-config.1 | \
			xz.1 | zstd.1) ;;
		slapd.conf.5 | slapd-config.5 | slapd-mdb.5) ;;
		slapadd.8 | slapcat.8 | slapd.8 | slapindex.8 | slapmodify.8) ;;
		*)
			echo "FAILED: $page refers to $other, which is not there" >&2
			nfailed=$((nfailed + 1))
			;;
		esac
	done
done
# The pages to begin with lead to all others of their kind.
for page in $pages; do
	case $page in
	libditkit.3 | ditkit.7) continue ;;
	*.3) from=libditkit.3 ;;
	*) from=ditkit.7 ;;
	esac
	sed -n '/^\.Sh SEE ALSO/,$p' "$DIT_SRCDIR/doc/man/$from" |
		grep -q "^\.Xr ${page%.*} ${page##*.}" || {
		echo "FAILED: $from does not lead to $page" >&2
		nfailed=$((nfailed + 1))
	}
done
wide=$(sed -n '/^```/,/^```$/p' "$DIT_SRCDIR/README.md" | grep -E '.{81}')
[ -z "$wide" ] || {
	printf 'FAILED: README.md has examples over 80 columns:\n%s\n' "$wide" >&2
	nfailed=$((nfailed + 1))
}
[ "$npages" -ge 4 ] || {
	echo "FAILED: $npages pages" >&2
	nfailed=$((nfailed + 1))
}
# Each header has its types in a page, and each function a synopsis.
for header in $(sed -n '/^pkginclude_HEADERS/,/NULL/s,.*/\([a-z_]*\.h\).*,\1,p' \
	"$DIT_SRCDIR/libraries/local.mk"); do
	grep -Eq "^\.\\\\\" types( .*)? $header( |:|\$)" "$DIT_SRCDIR"/doc/man/*.3 || {
		echo "FAILED: no page has the types of $header" >&2
		nfailed=$((nfailed + 1))
	}
done
functions=$(sed -n 's/^ \([a-z_0-9]*\)@Base .*/\1/p' \
	"$DIT_SRCDIR/doc/packaging/debian/libditkit1.symbols")
[ -n "$functions" ] || functions='no list of functions'
for function in $functions; do
	grep -Eq "^\.F[no] $function( |\$)" "$work"/man/*.3 || {
		echo "FAILED: no page has a synopsis of $function()" >&2
		nfailed=$((nfailed + 1))
	}
done
(cd "$DIT_SRCDIR" && sh doc/packaging/html.sh "$work/html") || nfailed=$((nfailed + 1))
nlinks=0
while IFS=: read -r page link; do
	nlinks=$((nlinks + 1))
	link=${link#*\"}
	link=${link%\"}
	file=${link%%#*}
	to=${file:+${page%/*}/$file}
	case $link in
	*'#'*) grep -qF " id=\"${link#*#}\"" "${to:-$page}" ;;
	*) [ -e "$to" ] ;;
	esac || {
		echo "FAILED: ${page#"$work/html"/}: the link $link leads nowhere" >&2
		nfailed=$((nfailed + 1))
	}
done < <(grep -roE '(href|src)="[^":]*"' "$work/html" | sort -u)
[ $nlinks -gt 0 ] || {
	echo "FAILED: no links" >&2
	nfailed=$((nfailed + 1))
}
echo "${0##*/}: $npages pages, $nfailed failed"
[ $nfailed -eq 0 ]
