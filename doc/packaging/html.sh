#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The documents and the man pages as HTML, with links between them, as the package ditkit-doc
# has them. Needs lowdown and mandoc.
#
#   html.sh DIRECTORY      which is made; run in the top directory of the source
#
# README.md becomes index.html. Links to man pages of others lead to Debian's web site.
set -eu
out=$1
mkdir -p "$out/spec" "$out/man"
cp -R doc/*.svg doc/schemas "$out/"
cat >"$out/style.css" <<'END'
body { max-width: 50rem; margin: 1rem auto; padding: 0 1rem; line-height: 1.4;
	font-family: sans-serif }
pre { overflow-x: auto; padding: .5rem; background: #f2f2f2 }
table { border-collapse: collapse }
td, th { padding: .2rem .5rem; border: 1px solid #bbb; text-align: left; vertical-align: top }
END

# page TO TOP: Markdown as a page; TOP leads from its directory to that of style.css. Names
# of sections are those that the links have: no dots, no commas.
page() {
	lowdown -s -m "title=ditkit: ${1%.html}" -m "css=$2style.css" | sed -e '
		s,\(href\|src\)="doc/,\1=",g
		s,href="\.\./\(CHANGELOG\|CONTRIBUTING\|SECURITY\)\.md,href="\1.md,g
		s,href="\([^":]*\)\.md\([#"]\),href="\1.html\2,g
		:name
		s,\( id="[a-z0-9_-]*\)[^a-z0-9_"-],\1,
		t name' >"$out/$1"
}

# All pages first: mandoc looks for the file that a link leads to.
for page in doc/man/*.[1-9]; do
	awk -f doc/man/page.awk "$page" >"$out/man/${page##*/}"
done
for page in doc/man/*.[1-9]; do
	name=${page##*/}
	(cd "$out/man" && mandoc -T html \
		-O 'man=%N.%S.html;https://manpages.debian.org/%N.%S.en.html' "$name") \
		>"$out/man/$name.html"
	echo "* [\`${name%.*}(${name##*.})\`](man/$name.html)"
done >"$out/man/list"
{
	cat README.md
	printf '\n## Man pages\n\n'
	cat "$out/man/list"
} | page index.html ''
rm "$out/man/list" "$out"/man/*.[1-9]
for document in CHANGELOG.md CONTRIBUTING.md SECURITY.md doc/*.md doc/packaging/apparmor.md; do
	name=${document##*/}
	page "${name%.md}.html" '' <"$document"
done
for document in doc/spec/*.md; do
	name=${document##*/}
	page "spec/${name%.md}.html" ../ <"$document"
done
