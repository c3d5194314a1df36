#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The comparisons with slapadd and slapd once more, against another OpenLDAP: the one of
# configure --with-openldap27=PREFIX, 2.7 or 2.6. The programs of PREFIX take the place of
# Debian's, and ours are told their release with --openldap. Scripts that need liblmdb's
# programs stay with Debian's OpenLDAP: PREFIX has none for its format.
#
#   openldap27.sh [SCRIPT[:PAGE-SIZE]...]   names below tests/oracle, without .sh; with
#                                           databases of that dbpagesize; in place of a
#                                           size "sealed": with sealed pages
#
# For 2.6, and where back_mdb or overlays are built into it, configure
# --with-slapd=PREFIX/libexec/slapd as well: ditadd asks that slapd for its patch level (2.6.11
# to 2.6.14 read LDIF otherwise) and for what is built in.
#
# 77: there is no other OpenLDAP; else 0 if no script failed.
set -u
here=$(cd "${0%/*}" && pwd)
prefix=${OPENLDAP27:-}
if [ -z "$prefix" ]; then
	echo "SKIPPED: no OpenLDAP 2.7 to compare with (configure --with-openldap27=PREFIX)" >&2
	exit 77
fi
if [ ! -x "$prefix/libexec/slapd" ]; then
	echo "openldap27.sh: there is no $prefix/libexec/slapd" >&2
	exit 1
fi
version=$("$prefix/libexec/slapd" -VV 2>&1 |
	sed -n 's/.*slapd \([0-9]*\.[0-9]*\)\.[0-9]* .*/\1/p')
if [ $# -eq 0 ]; then
	set -- content errors mixed_lines messages served moved moved_variants read27 \
		sealed27 sound exports waiting27 beside index_online random glue contextcsn existing apart cat \
		values diff modify provider memberof shadow index indexes torture check modules collisions tree generated rejects threads conf_errors config \
		history
	[ "$version" != 2.7 ] || set -- "$@" existing:512 existing:65536 index:1024 \
		index_online:1024 index_online:65536 index_online:sealed diff:sealed \
		history:sealed
fi
programs=$(mktemp -d "${TMPDIR:-/tmp}/ditkit-openldap27-XXXXXX") || exit 1
trap 'rm -rf "$programs"' EXIT
trap 'exit 1' INT TERM HUP
for program in "${DITADD:?}" "${DITCHECK:?}" "${DITDIFF:?}" "${DITINDEX:?}" "${DITMODIFY:?}"; do
	printf '#!/bin/sh\nexec "%s" --openldap=%s "$@"\n' "$program" "$version" \
		>"$programs/${program##*/}"
	chmod +x "$programs/${program##*/}"
done

export DITADD=$programs/ditadd DITCHECK=$programs/ditcheck DITDIFF=$programs/ditdiff
export DITINDEX=$programs/ditindex DITMODIFY=$programs/ditmodify
# The other parts run scan_count, which has no --openldap.
export CAT_PARTS='filters urls rules sorted ordered mixed lost'
export DIT_OPENLDAP=$version
export DIT_SCHEMA_DIR=$prefix/etc/openldap/schema
export DIT_MODULE_PATH=$prefix/libexec/openldap
export PATH=$prefix/sbin:$prefix/libexec:$prefix/bin:$PATH

nfailed=0
nskipped=0
for script; do
	case $script in
	*:sealed) DIT_SEALED=yes bash "$here/${script%:*}.sh" 2>&1 ;;
	*) DIT_PAGE_BYTES=$(sed -n 's/.*://p' <<<"$script") bash "$here/${script%:*}.sh" 2>&1 ;;
	esac
	case $? in
	0) ;;
	77) nskipped=$((nskipped + 1)) ;;
	*) nfailed=$((nfailed + 1)) ;;
	esac
done
echo "openldap27: OpenLDAP $version, $# scripts, $nskipped skipped, $nfailed failed"
[ $nskipped -lt $# ] || exit 77
[ $nfailed -eq 0 ]
