# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause
# Sourced by the scripts here, on top of checks_lib.sh: configurations, loads by slapadd and
# by ditadd, comparisons. bash.
#
# From the environment: DITADD, DITCHECK, DITGEN, DIT_TEST_DATA, NOSYNC (see
# tests/local.mk). From openldap27.sh: DIT_OPENLDAP, the release of another OpenLDAP, whose
# programs PATH finds first; DIT_SCHEMA_DIR and DIT_MODULE_PATH are that one's; DIT_PAGE_BYTES,
# the page size of its databases, or empty; DIT_SEALED, not empty: the module of the tests
# seals their pages ("crypto" and "passphrase").

. "${0%/*}/../checks_lib.sh"
PATH=$PATH:/usr/sbin

: "${DITADD:?}" "${DITCHECK:?}" "${DIT_TEST_DATA:?}"
DIT_SCHEMA_DIR=${DIT_SCHEMA_DIR:-/etc/ldap/schema}
export DIT_MODULE_PATH=${DIT_MODULE_PATH:-/usr/lib/ldap}
DIT_OPENLDAP=${DIT_OPENLDAP:-}

# Without slapadd there is nothing to compare with; where CI is set that is a failure.
for tool in slapadd slapcat; do
	if ! command -v $tool >/dev/null; then
		skip "$tool is not installed (Debian: slapd)"
	fi
done

# The release of this slapadd: 2.5, 2.6 or 2.7.
slapd_release=${DIT_OPENLDAP:-$(slapd -VV 2>&1 | sed -n 's/.*slapd \(2\.[0-9]*\)\..*/\1/p')}

# The programs of OpenLDAP, which do not wait for the disk (nosync.c).
slapadd() {
	LD_PRELOAD=${NOSYNC:-} command slapadd "$@"
}
slapindex() {
	LD_PRELOAD=${NOSYNC:-} command slapindex "$@"
}

# pause SECONDS: without a process
pause() {
	read -rt "$1" _ <>"$work/never"
}
mkfifo "$work/never"

# The text of each configuration of make_site, with @SITE@ for the site's directory.
declare -A templates=()

# seal: the databases of sites that are made from now on have sealed pages; $sealed tells
# ditcheck how, for directories that are named
seal() {
	DIT_SEALED=yes
	templates=()
	crypto_module=${DIT_BUILDDIR:?}/tests/system/xor_module.so
	printf '%s\n' 'database mdb' 'suffix cn=sealed' 'directory /' \
		"crypto $crypto_module" 'passphrase sesame' >"$work/sealed.conf"
	sealed=(--openldap 2.7 -f "$work/sealed.conf" -b cn=sealed)
}
sealed=()
[ -z "${DIT_SEALED:-}" ] || seal

# turn N: is it the turn of this case, one of N? Each is in the long suite. In "make check"
# that is a fixed sample: the Nth call, the 2Nth, and so on.
turn() {
	nturns=$((nturns + 1))
	[ "${DIT_LONG:-}" = yes ] || [ $((nturns % $1)) -eq 0 ]
}
nturns=0

# make_site DIR [CONF]: an empty database directory DIR/db, and DIR/slapd.conf made from
# tests/data/conf/CONF.conf (default: default)
make_site() {
	local conf=${2:-default}
	[ ! -e "$1" ] || rm -rf "$1"
	mkdir -p "$1/db" "$1/db-other" "$1/db-later"
	write_conf "$1" "$conf" slapd.conf
	[ "$conf" != lexical ] || write_conf "$1" lexical-part lexical-part.conf
}

# write_conf DIR CONF FILE
write_conf() {
	if [ -z "${templates[$2]:-}" ]; then
		fill_in @SITE@ <"$DIT_TEST_DATA/conf/$2.conf" >"$work/template"
		templates[$2]=$(<"$work/template")
	fi
	printf '%s\n' "${templates[$2]//@SITE@/"$1"}" >"$1/$3"
}

# fill_in DIR: replace the place holders of a configuration or a fixture
fill_in() {
	sed "s,@DB@,$1/db,g; s,@CONF@,$1,g; s,@WORK@,$work,g
		s,@SCHEMA@,$DIT_SCHEMA_DIR,g; s,/usr/lib/ldap,$DIT_MODULE_PATH,g
		${DIT_PAGE_BYTES:+/^database mdb/a dbpagesize $DIT_PAGE_BYTES}
		${DIT_SEALED:+/^database mdb/a crypto $crypto_module}
		${DIT_SEALED:+/^database mdb/a passphrase sesame}"
}

# fill_in_both: the configuration on standard input becomes that of the sites ref and dit
fill_in_both() {
	local site text
	fill_in @SITE@ >"$work/template"
	text=$(<"$work/template")
	for site in ref dit; do
		printf '%s\n' "${text//@SITE@/"$work/$site"}" >"$work/$site/slapd.conf"
	done
}

# list DIR: sets listed, the names there without the directory's; no process is started
list() {
	shopt -s nullglob dotglob
	listed=("$1"/*)
	shopt -u nullglob dotglob
	listed=("${listed[@]##*/}")
}

# empty_site DIR: the same site again, with nothing in it
empty_site() {
	[ -d "$1/db" ] || mkdir "$1/db"
	list "$1/db"
	[ ${#listed[@]} -eq 0 ] || rm -rf "${listed[@]/#/$1/db/}"
}

# died DIR NAME: slapadd of a release after 2.5 died of a signal there. Says so.
died() {
	[ "$slapd_release" != 2.5 ] && [ "$(<"$1/exit")" -ge 128 ] || return 1
	echo "$2: not compared, slapadd dies (exit status $(<"$1/exit"))"
}

# More of $neutral, for malformed definitions: the grammar that slapadd prints after them.
no_grammar='
	/^[A-Za-z]*Description = /d; /^[[:space:]]/d; /^$/d'

# The option and the name of the site's configuration.
config=(-f slapd.conf)

# load_with PROGRAM DIR ARGUMENT...: run it on the site; leaves DIR/exit, DIR/stderr with
# the program's name and the site's path made neutral, '?' for control characters, which
# slapadd alone prints, and without the times that 2.6 puts before log messages
load_with() {
	local program=$1 dir=$2
	shift 2
	{
		(
			cd "$work" || exit
			[[ $program != slap* ]] || export LD_PRELOAD=${NOSYNC:-}
			exec "$program" "${config[0]}" "$dir/${config[1]}" "$@"
		) >"$dir/stdout" 2>"$dir/stderr.raw"
		echo "$?" >"$dir/exit"
	} 2>/dev/null # bash remarks on programs that die
	if [ -s "$dir/stderr.raw" ]; then
		sed -e "$neutral" -e "s,$dir/,SITE/,g" "$dir/stderr.raw" >"$dir/stderr"
	else
		: >"$dir/stderr"
	fi
}

# Where base64 ends early slapadd prints a zero byte as a character, which cuts off the rest
# of its message, line end included. We print the whole line; both forms are left out here.
# The directory of an "invalid path" is told by ditadd alone, a notice on a directive by
# slapadd alone.
notices='/: rootdn is always granted unlimited privileges\.$/d; /: no retry defined, using def/d
	/: dds-interval=[0-9]* may be too small\.$/d; /: depth -*[0-9]* too small, using 8$/d'
no_base64='ldap_pvt_decode_b64_inplace: invalid base64 encoding char'
neutral="s/[0-9a-f]\{8\}\.[0-9a-f]\{8\} 0x[0-9a-f]* //g
	s/[\x00-\x08\x0b-\x1f\x7f]/?/g
	/^$no_base64 () 0x0\$/d; s/$no_base64 (\(.) 0x\)/$no_base64 [\1/g; s/$no_base64 (//g
	s/^\(slapadd\|ditadd\): /PROGRAM: /; /^OpenLDAP 2\.[0-9], as /d; /^Built into /d
	/: directory .* cannot be used\$/d; $notices"
# slapadd 2.7 has no text for refusals of naming values, unless the schema check refused
# another entry before.
[ "$DIT_OPENLDAP" != 2.7 ] || neutral+='; s/: (64) .*/: (64) (null)/'

# slapadd_site DIR ARGUMENT...
slapadd_site() {
	load_with slapadd "$@"
}

# ditadd_site DIR ARGUMENT...
ditadd_site() {
	local dir=$1
	shift
	# On a slow machine progress would be told now and then.
	load_with "$DITADD" "$dir" --progress none --explain=no "$@"
}

# same_messages REFERENCE DIR: same exit status and same lines on stderr, but for line breaks
# and bytes of C1 in names and values, which slapadd prints, and question marks, which ditadd
# prints for them. Where the texts are equal no process is started.
same_messages() {
	local ref dit
	ref=$(<"$1/exit") && dit=$(<"$2/exit") || return
	if [ "$ref" != "$dit" ]; then
		echo "exit status $ref, of the other one $dit"
		return 1
	fi
	ref=$(<"$1/stderr") && dit=$(<"$2/stderr") || return
	[ "$ref" != "$dit" ] || return 0
	cmp -s <(told "$1/stderr") <(told "$2/stderr") || diff -a "$1/stderr" "$2/stderr"
}

# told FILE: a standard error without what same_messages leaves out
told() {
	sed 's/\xc2[\x80-\x9f]//g' "$1" | tr -d '\n?\200-\237'
}

# ended DIR STATUS: the exit status of the load there
ended() {
	local status
	status=$(<"$1/exit") && [ "$status" = "$2" ] || {
		echo "exit status $status, not $2"
		return 1
	}
}

# same_content [OPTION-OF-DITCHECK-COMPARE...] REFERENCE DIR: every record of every named database
same_content() {
	local options=()
	while [ $# -gt 2 ]; do
		options+=("$1")
		shift
	done
	compare_databases "${options[@]}" "$1/db" "$2/db"
}

# compare_databases [OPTION...] DIR DIR: the same for two database directories, as slapadd
# stores it
compare_databases() {
	"$DITCHECK" "${sealed[@]}" --compare --exact "$@"
}

# load_dump DIR: what mdb_dump printed becomes a database. mdb_load of LMDB 0.9.31 gives no
# flags to the first database of its input; that is the main one here, which has none.
load_dump() {
	{
		printf '%s\n' VERSION=3 format=bytevalue type=btree mapsize=1073741824 \
			maxreaders=126 HEADER=END DATA=END
		cat
	} | mdb_load "$1" 2>/dev/null
}

# leave_out_mixed SITE FILE OPTION...: since 2.6.11 slapadd gives values to other attributes,
# loses some, or dies, where lines of an attribute are not together (doc/compatibility.md);
# records with such lines are taken out of FILE. They are kept as FILE.mixed, for
# mixed_lines.sh. The options are those of the load, the site's configuration names the schema.
leave_out_mixed() {
	local site=$1 file=$2 quick='' which
	shift 2
	[ -n "$DIT_OPENLDAP" ] || return 0
	case " $* " in
	*' -q '* | *' -s '* | *' schema-check=no '*) quick=1 ;;
	esac
	for which in 0 1; do
		awk -v names="${DIT_SRCDIR:?}/libraries/ldap/schema/builtin-schema.tsv" \
			-v schema="$site/slapd.conf $(echo "$DIT_SCHEMA_DIR"/*.schema)" \
			-v quick=$quick -v left_out=$which \
			-f "$DIT_SRCDIR/tests/oracle/sound_lines.awk" "$file" \
			>"$work/records.$which"
	done
	rm -f "$file.mixed"
	[ -s "$work/records.1" ] || return 0
	mv "$work/records.0" "$file"
	mv "$work/records.1" "$file.mixed"
}

# lacks_module CONF: does the configuration need a module that the other OpenLDAP has neither
# built in nor as a file? A slapd without modules ignores moduleload and misses the overlay.
# Says so.
lacks_module() {
	local lacking
	[ -n "$DIT_OPENLDAP" ] || return 1
	{
		echo "include $DIT_SCHEMA_DIR/core.schema"
		echo "modulepath $DIT_MODULE_PATH"
		grep '^moduleload ' "$DIT_TEST_DATA/conf/$1.conf"
		echo 'database mdb'
		grep '^overlay ' "$DIT_TEST_DATA/conf/$1.conf"
	} >"$work/modules.conf"
	lacking=$(slaptest -u -f "$work/modules.conf" 2>&1 |
		grep -o -m 1 'file not found.*\|.*moduleload.*\|overlay .* not found')
	[ -n "$lacking" ] && echo "$1: not compared, $lacking"
}

# lacks_syntax CONF: does the configuration use access control as a syntax (OpenLDAPaci),
# which the other OpenLDAP was built without? Says so.
lacks_syntax() {
	[ -n "$DIT_OPENLDAP" ] &&
		grep -q '1\.3\.6\.1\.4\.1\.4203\.666\.2\.1 ' "$DIT_TEST_DATA/conf/$1.conf" &&
		! grep -q '4203\.666\.2\.1' "$(command -v slapd)" || return 1
	echo "$1: not compared, slapd was built without OpenLDAPaci"
}

# untouched DIR: no database and no leftovers in the site
untouched() {
	list "$1/db"
	[ ${#listed[@]} -eq 0 ] || {
		echo "left in $1/db: ${listed[*]}"
		return 1
	}
}

# only_database DIR: the database directory holds the two files and nothing else
only_database() {
	list "$1/db"
	case ${listed[*]} in
	"data.mdb lock.mdb" | data.mdb) ;;
	*)
		echo "in $1/db: ${listed[*]}"
		return 1
		;;
	esac
}

# for_slapadd FILE OPTION...: before 2.6.11, -q stores parts of an attribute that have one key
# twice, and loses values. slapadd is given those of "description" together.
for_slapadd() {
	local joined=''
	case " $* " in
	*' -q '*) joined='s/^description: c$/&\ndescription: b\ndescription: a/' ;;
	esac
	sed "/^dn: cn=blocks,/,/^$/ {
		${joined:+/^description: [ab]\$/d}
		$joined
	}" "$1" >"$work/ref.ldif"
}
