#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The examples of the man pages, of README.md and of doc/guide.md, run as they stand, each in
# a directory that its setup has prepared.
#
#   examples.sh [DOCUMENT...]      below the source directory; all of them by default
#
# Places of the system are places below the directory: /etc/ldap, /var/lib/ldap, /backup and
# so on. A program without -f and -F reads the example's configuration. "systemctl start
# slapd" starts a slapd that listens on a socket in the directory; apt-get does nothing.
#
# Lines that begin with "$ " or "# " are commands, and the lines below them what they print,
# numbers and blanks aside; "..." stands for any lines. A command without lines below it may
# print anything, and has to succeed. A block without such commands is a script, which has to
# succeed.
. "${0%/*}/../checks_lib.sh"
: "${DIT_SRCDIR:?}" "${DIT_BUILDDIR:?}" "${DITADD:?}" "${DITCAT:?}" "${DITCHECK:?}"
: "${DITDIFF:?}" "${DITINDEX:?}" "${DITMODIFY:?}" "${DITSPLIT:?}"

work=$(cd "$work" && pwd -P)
end_slapd() {
	local file
	for file in "$work"/*/slapd.pid; do
		[ ! -e "$file" ] || kill "$(cat "$file")"
	done
}
atexit+=(end_slapd)
nrun=0
real_awk=$(command -v awk)

if [ ! -e /etc/ldap/schema/core.schema ]; then
	skip 'no schema files of slapd (Debian: slapd)'
fi

# --- programs -------------------------------------------------------------------

mkdir "$work/bin"
# wrap NAME TEXT: a script that the examples find before the program of that name
wrap() {
	printf '#!/bin/bash\n%s\n' "$2" >"$work/bin/$1"
	chmod +x "$work/bin/$1"
}
for program in "$DITADD" "$DITCAT" "$DITCHECK" "$DITDIFF" "$DITINDEX" "$DITMODIFY" "$DITSPLIT" \
	slapmodify; do
	# After a configuration, or where none is read, the program gets what was given.
	wrap "${program##*/}" "
		for word; do
			case \$word in
			-f | -F | --compare | --database | --help | --version) exec $program \"\$@\" ;;
			esac
		done
		if [ -d \"\$ROOT/etc/ldap/slapd.d\" ]; then
			exec $program -F \"\$ROOT/etc/ldap/slapd.d\" \"\$@\"
		fi
		exec $program -f \"\$ROOT/etc/ldap/slapd.conf\" \"\$@\""
done
# That states differ is no failure of an example.
sed -i 's,^\([[:space:]]*\)exec \(.*\)$,\1\2 || [ $? -eq 1 ],; s,) exec \(.*\) ;;,) \1; exit ;;,' \
	"$work/bin/ditdiff"
sed -i 's, slapmodify , /usr/sbin/slapmodify ,' "$work/bin/slapmodify"
wrap apt-get ':'
wrap debconf-set-selections 'cat >/dev/null'
# runuser -u USER -- COMMAND
wrap runuser 'shift 3; exec "$@"'
wrap ldapsearch "exec $(command -v ldapsearch) \"\${@/#ldapi:\/\/\//ldapi://\${ROOT//\//%2f}%2fldapi}\""
wrap ldapmodify "exec $(command -v ldapmodify) -H \"ldapi://\${ROOT//\//%2f}%2fldapi\" \"\$@\""
wrap ditkit-history "
export DITKIT_DIR=\$ROOT/var/backups/ditkit DITKIT_STATES=\$ROOT/var/lib/ditkit
export DITKIT_OPTIONS=\"-f \$ROOT/etc/ldap/slapd.conf\"
sed 's,@sbindir@,${DITADD%/*},g' '$DIT_SRCDIR/doc/packaging/systemd/ditkit-history.in' |
	sh -s \"\$@\""
# The part of systemd: slapd on a socket, and the nightly export.
wrap systemctl '
case $* in
"stop slapd")
	[ ! -e "$ROOT/slapd.pid" ] || kill "$(cat "$ROOT/slapd.pid")"
	for _ in {1..200}; do
		[ -e "$ROOT/slapd.pid" ] || exit 0
		sleep 0.05
	done
	exit 1
	;;
"start slapd")
	conf="-f $ROOT/etc/ldap/slapd.conf"
	[ ! -d "$ROOT/etc/ldap/slapd.d" ] || conf="-F $ROOT/etc/ldap/slapd.d"
	(
		/usr/sbin/slapd $conf -h "ldapi://${ROOT//\//%2f}%2fldapi" -d 0 >/dev/null 2>&1 &
		slapd=$!
		echo $slapd >"$ROOT/slapd.pid"
		wait $slapd
		rm "$ROOT/slapd.pid"
	) >/dev/null 2>&1 &
	for _ in {1..200}; do
		ldapsearch -x -H ldapi:/// -b "" -s base 1.1 >/dev/null 2>&1 && exit 0
		sleep 0.05
	done
	exit 1
	;;
"enable --now ditkit-export@1.timer") exit 0 ;;
"start ditkit-export@1")
	export DITKIT_DIR=$ROOT/var/backups/ditkit
	sed "s,@sbindir@,$PROGRAMS,g" "$DIT_SRCDIR/doc/packaging/systemd/ditkit-export.in" |
		sh -s 1
	;;
*)
	echo "systemctl: this test does not know $*" >&2
	exit 1
	;;
esac'
export PROGRAMS=$work/bin PATH=$work/bin:$PATH:/usr/sbin

# --- setups ---------------------------------------------------------------------

# Each works in the directory of its example, ROOT.

write_conf() { # write_conf FILE DIRECTORY
	sed "s,^directory.*,directory $2," "$DIT_SRCDIR/doc/examples/slapd.conf" >"$1"
}

# A configuration, an empty database directory, and LDIF.
setup_empty() {
	mkdir -p etc/ldap var/lib/ldap backup var/backups srv
	write_conf etc/ldap/slapd.conf "$ROOT/var/lib/ldap"
	cp "$DIT_SRCDIR/doc/examples/people.ldif" .
}
# The same, with entries.
setup_loaded() {
	setup_empty
	ditadd -q -l people.ldif
}
# The overlay memberof, and members.ldif: a group of the first entries comes before most of them.
setup_members() {
	setup_empty
	sed -i -e '1i moduleload memberof' -e '$a overlay memberof' etc/ldap/slapd.conf
	{
		sed '/^$/q' people.ldif
		printf '%s\n' 'dn: cn=all,dc=harbour,dc=example' 'objectClass: groupOfNames' 'cn: all'
		sed -n 's/^dn: uid=/member: uid=/p' people.ldif
		echo
		sed '1,/^$/d' people.ldif
	} >members.ldif
}
# And a log of slapd, in which two attributes are searched.
setup_logged() {
	setup_loaded
	mkdir -p var/log
	"$real_awk" -f "$DIT_SRCDIR/tests/manuals/search_log.awk" >var/log/slapd.log
}
# And with another load of the same export in /backup/ldap.
setup_copied() {
	setup_loaded
	mkdir backup/ldap
	write_conf copy.conf "$ROOT/backup/ldap"
	ditcat -l full.ldif
	rm var/lib/ldap/*
	ditadd -q -l full.ldif
	ditadd -q -f copy.conf -l full.ldif
}
# An export of another state in backup.ldif; slapd runs.
setup_changed() {
	setup_loaded
	sed -i 's/^directory/rootpw secret\n&/' etc/ldap/slapd.conf
	ditcat -l backup.ldif
	sed 's/^telephoneNumber: .*/telephoneNumber: +49 40 1234/' backup.ldif >new.ldif
	ditadd -q --replace -l new.ldif
	systemctl start slapd
}
# LDIF changes.
setup_changes() {
	setup_loaded
	printf '%s\n' 'dn: uid=mbrandt,ou=People,dc=harbour,dc=example' 'changetype: modify' \
		'replace: telephoneNumber' 'telephoneNumber: +49 40 1234' '' >changes.ldif
}
# LDIF with a record that is refused.
setup_refused() {
	setup_empty
	printf '\ndn: ou=Bad,dc=harbour,dc=example\nobjectClass: nonsense\nou: Bad\n' \
		>>people.ldif
}
# A map.
setup_split() {
	setup_empty
	cp "$DIT_SRCDIR/doc/examples/shards.map" .
}
# LDIF in shards.
setup_shards() {
	setup_split
	ditsplit --map shards.map --output shards -l people.ldif
}
# LDIF packed by zstd.
setup_packed() {
	setup_empty
	zstd -q --rm people.ldif
}
# Two configurations, old.conf with entries and new.conf without.
setup_move() {
	setup_loaded
	cp etc/ldap/slapd.conf old.conf
	mkdir new
	write_conf new.conf "$ROOT/new"
}
# The tree, as "./bootstrap demo" leaves it.
setup_tree() {
	mkdir doc demo-db
	ln -s "$DIT_SRCDIR/doc/examples" doc/
	ln -s "$DIT_BUILDDIR" build
	build/ditadd -q -f doc/examples/slapd.conf -l doc/examples/people.ldif
}
# Debian's slapd has this after its installation: a cn=config tree, and one entry.
setup_debian() {
	mkdir -p etc/ldap/slapd.d var/lib/ldap var/backups
	sed "s,@ROOT@,$ROOT,g" >config.ldif <<-'END'
		dn: cn=config
		objectClass: olcGlobal
		cn: config

		dn: cn=module{0},cn=config
		objectClass: olcModuleList
		cn: module{0}
		olcModulePath: /usr/lib/ldap
		olcModuleLoad: back_mdb

		dn: cn=schema,cn=config
		objectClass: olcSchemaConfig
		cn: schema

		include: file:///etc/ldap/schema/core.ldif
		include: file:///etc/ldap/schema/cosine.ldif
		include: file:///etc/ldap/schema/nis.ldif
		include: file:///etc/ldap/schema/inetorgperson.ldif

		dn: olcDatabase={1}mdb,cn=config
		objectClass: olcDatabaseConfig
		objectClass: olcMdbConfig
		olcDatabase: {1}mdb
		olcSuffix: dc=harbour,dc=example
		olcDbDirectory: @ROOT@/var/lib/ldap
		olcDbMaxSize: 1073741824
		olcDbIndex: objectClass eq
		olcDbIndex: cn,uid eq
		olcDbIndex: uidNumber,gidNumber eq
		olcDbIndex: member,memberUid eq
	END
	/usr/sbin/slapadd -n 0 -F etc/ldap/slapd.d -l config.ldif
	printf '%s\n' 'dn: dc=harbour,dc=example' 'objectClass: dcObject' \
		'objectClass: organization' 'dc: harbour' 'o: Harbour' | ditadd -q
}
# The same, after section 1 of the guide.
setup_debian-loaded() {
	setup_debian
	rm var/lib/ldap/*
	cp "$DIT_SRCDIR/doc/examples/people.ldif" .
	ditadd -q -l people.ldif
	systemctl start slapd
}
# With a copy in /backup/ldap; no change goes to slapd.
setup_debian-copied() {
	setup_debian-loaded
	mkdir -p backup/ldap
	cp var/lib/ldap/data.mdb backup/ldap/
}

# --- running --------------------------------------------------------------------

# like WANTED GOT: the same, numbers and blanks aside; "..." stands for any lines
like() {
	local normal='s/[0-9][0-9.,]*/N/g; s/[[:space:]]\{1,\}/ /g; s/ $//'
	sed "$normal" "$1" >"$work/wanted"
	sed "$normal" "$2" >"$work/got"
	"$real_awk" '
		FNR == NR { wanted[++n] = $0; next }
		{ got[++m] = $0 }
		# Does wanted from i on match got from j on?
		function matches(i, j) {
			for (; i <= n; i++) {
				if (wanted[i] ~ /^ *[.][.][.]$/) {
					for (; j <= m + 1; j++) if (matches(i + 1, j)) return 1
					return 0
				}
				if (j > m || wanted[i] != got[j++]) return 0
			}
			return j > m
		}
		END { exit !matches(1, 1) }' "$work/wanted" "$work/got"
}

here() { # here FILE: places of the system become places of the example
	sed -e "s,\(^\|[[:space:]=\"']\)/\(etc\|var\|backup\|srv\)\(/\|\$\),\1$ROOT/\2\3,g" \
		-e "s,/usr/share/doc/ditkit/examples,$DIT_SRCDIR/doc/examples,g" "$1"
}

# run_script BLOCK
run_script() {
	here "$1" >"$work/script"
	(cd "$ROOT" && bash -eu -o pipefail "$work/script") >"$work/out" 2>&1 </dev/null
}

# run_session BLOCK: commands and what they print; all in one shell
run_session() {
	local line command='' wanted=$work/session.wanted
	: >"$work/out"
	: >"$wanted"
	# The end is a command of its own.
	while IFS= read -r line; do
		case $line in
		'$ '* | '# '*)
			check_command "$command" "$wanted" || return 1
			command=${line#??}
			: >"$wanted"
			;;
		*) printf '%s\n' "$line" >>"$wanted" ;;
		esac
	done <"$1"
	check_command "$command" "$wanted"
}
last=0
check_command() { # check_command COMMAND WANTED
	[ -n "$1" ] || return 0
	printf '(exit %s)\n%s\n' "$last" "$1" >"$work/command"
	here "$work/command" >"$work/script"
	(cd "$ROOT" && bash "$work/script") >"$work/printed" 2>&1 </dev/null
	last=$?
	# Without what wrap() gave the program, which a command that is advised repeats.
	sed "s,$ROOT/,/,g; s,ditindex -f /etc/ldap/slapd.conf,ditindex," "$work/printed" \
		>"$work/out"
	if [ ! -s "$2" ] && [ $last -eq 0 ]; then
		return 0
	fi
	like "$2" "$work/out" || {
		echo "    $1" >&2
		diff "$work/wanted" "$work/got" | sed 's/^/    /' >&2
		return 1
	}
}

# run_example DOCUMENT BLOCK
run_example() {
	local setup=${2##*.} how=run_script
	nrun=$((nrun + 1))
	# "same" goes on where the example before it ended.
	if [ "$setup" != same ]; then
		ROOT=$work/$nrun
		export ROOT
		mkdir "$ROOT"
		if ! declare -F "setup_$setup" >/dev/null; then
			fail "$1: there is no setup \"$setup\""
			return
		fi
		(cd "$ROOT" && set -e && "setup_$setup") >"$work/out" 2>&1 || {
			fail "$1: setup $setup"
			sed 's/^/    /' "$work/out" >&2
			return
		}
	fi
	last=0
	! grep -q '^[$#] ' "$2" || how=run_session
	$how "$2" || {
		fail "$1: an example ($setup):"
		sed 's/^/    | /' "$2" >&2
		sed 's/^/    > /' "$work/out" >&2
	}
}

cd "$DIT_SRCDIR" || exit 1
[ $# -gt 0 ] || set -- README.md doc/guide.md doc/man/*.[1-9]
for document; do
	[ -e "$document" ] || continue
	rm -rf "$work/blocks"
	mkdir "$work/blocks"
	"$real_awk" -v dir="$work/blocks" -f tests/manuals/examples.awk "$document" ||
		fail "$document: its examples cannot be told"
	before=$nrun
	for block in "$work/blocks"/*; do
		[ ! -e "$block" ] || run_example "$document" "$block"
	done
	case $document in
	*.8) [ "$nrun" -gt "$before" ] || fail "$document has no examples" ;;
	esac
done

echo "${0##*/}: $nrun examples, $nfailed failed"
[ $nfailed -eq 0 ] && [ $nrun -gt 0 ]
