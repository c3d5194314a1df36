#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# ldapmodify takes what ditdiff writes, in the order in which it is written: a slapd goes from
# state to state of a directory that changes at random (states.awk), and each time it holds
# the content of that state. So it does on the way back, with --reverse. LDIF and a database
# have the same differences. slapmodify takes those of two configurations.
. "${0%/*}/lib.sh"
. "${0%/*}/slapd_lib.sh"
: "${DITDIFF:?}"

nstates=8
[ "${DIT_LONG:-}" != yes ] || nstates=200
export TMPDIR=$work

# content: entries on standard input, those attributes alone that the states have, in an order
content() {
	awk 'BEGIN { RS = ""; FS = "\n" }
	{
		n = 0
		for (i = 2; i <= NF; i++) {
			if ($i ~ /^(objectClass|cn|ou|sn|dc|member|description)::? /) {
				line[++n] = $i
			}
		}
		for (i = 1; i < n; i++) {
			for (j = i + 1; j <= n; j++) {
				if (line[j] < line[i]) {
					t = line[i]; line[i] = line[j]; line[j] = t
				}
			}
		}
		text = $1
		for (i = 1; i <= n; i++) {
			text = text "|" line[i]
		}
		print text
	}' | sort
}

# diff_status STATUS ARGUMENT...: ditdiff ends with that; its output is $work/changes.ldif
diff_status() {
	local wanted=$1 status
	shift
	"$DITDIFF" -f "$work/live/slapd.conf" "$@" >"$work/changes.ldif" 2>"$work/diff.err"
	status=$?
	[ $status -eq "$wanted" ] && return
	echo "exit status $status, not $wanted"
	cat "$work/diff.err"
	return 1
}

apply() {
	[ ! -s "$work/changes.ldif" ] ||
		ldapmodify -x -H "${url[live]}" -D "cn=Admin,$base" -w secret \
			-f "$work/changes.ldif"
}

# load STATE: into the site "state"
load() {
	empty_site "$work/state"
	ditadd_site "$work/state" -q -l "$work/$1.ldif"
}

# follow NAME OPTION...: slapd gets the changes that lead to the state, and has its content
follow() {
	local name=$1
	shift
	check "$name: changes" diff_any "$@"
	cat "$work/changes.ldif" >>"$work/all.ldif"
	check "$name: applied" apply
	check "$name: content" same_content
	check "$name: nothing is left" diff_status 0 "$work/live/db" "$work/state/db"
}

# diff_any ARGUMENT...: different or not
diff_any() {
	diff_status 1 "$@" || diff_status 0 "$@"
}

same_content() {
	slapcat -f "$work/live/slapd.conf" -o ldif-wrap=no 2>/dev/null | content >"$work/is"
	content <"$work/wanted.ldif" | diff "$work/is" -
}

make_site "$work/live"
make_site "$work/state"
echo 'rootpw secret' >>"$work/live/slapd.conf"
for ((i = 0; i < nstates; i++)); do
	awk -v seed="${SEED:-1}" -v state=$i -f "$DIT_SRCDIR/tests/oracle/states.awk" \
		>"$work/$i.ldif" || exit 99
done
ditadd_site "$work/live" -q -l "$work/0.ldif"
start_slapd live
for ((i = 1; i < nstates; i++)); do
	load $i
	cp "$work/$i.ldif" "$work/wanted.ldif"
	check "state $i as LDIF" diff_any "$work/live/db" "$work/$i.ldif"
	mv "$work/changes.ldif" "$work/as-ldif"
	check "state $i" diff_any "$work/live/db" "$work/state/db"
	check "state $i: LDIF or database" cmp "$work/as-ldif" "$work/changes.ldif"
	follow "state $i" "$work/live/db" "$work/state/db"
done
for ((i = nstates - 2; i >= 0; i -= 3)); do
	load $i
	cp "$work/$i.ldif" "$work/wanted.ldif"
	follow "back to state $i" --reverse "$work/state/db" "$work/live/db"
done
for kind in add delete modrdn modify; do
	check "there was a $kind" grep -q "^changetype: $kind" "$work/all.ldif"
done
check "a name was in the way" grep -q '^dn: ou=ditdiff-' "$work/all.ldif"

echo '== the configuration'
# configured NAME: the configuration in $work/NAME.d as LDIF
configured() {
	slapcat -F "$work/$1.d" -n 0 -o ldif-wrap=no >"$work/$1.ldif" 2>/dev/null
}

# change NAME FILE: slapd's tool makes the changes in $work/NAME.d
change() {
	slapmodify -F "$work/$1.d" -n 0 -l "$2" >"$work/said" 2>&1 || {
		cat "$work/said"
		return 1
	}
}

# config_differs STATUS FROM TO
config_differs() {
	local status
	"$DITDIFF" -F "$work/first.d" -n 0 "$work/$2.ldif" "$work/$3.ldif" \
		>"$work/changes.ldif" 2>"$work/diff.err"
	status=$?
	[ $status -eq "$1" ] || {
		echo "exit status $status"
		cat "$work/diff.err"
		return 1
	}
}

mkdir "$work/first.d"
slaptest -f "$work/live/slapd.conf" -F "$work/first.d" >/dev/null 2>&1
configured first
cp -r "$work/first.d" "$work/second.d"
cat >"$work/wanted" <<'END'
dn: cn=config
changetype: modify
replace: olcLogLevel
olcLogLevel: stats sync
-
replace: olcIdleTimeout
olcIdleTimeout: 30

dn: olcDatabase={1}mdb,cn=config
changetype: modify
add: olcDbIndex
olcDbIndex: destinationIndicator eq
-
replace: olcAccess
olcAccess: {0}to dn.base="" by * read
olcAccess: {1}to * by users read

END
check 'changed by slapmodify' change second "$work/wanted"
configured second
check 'configuration: changes' config_differs 1 first second
cp -r "$work/first.d" "$work/again.d"
check 'configuration: slapmodify takes them' change again "$work/changes.ldif"
configured again
check 'configuration: the same' config_differs 0 again second
check 'configuration: the way back' config_differs 1 second first
cp -r "$work/second.d" "$work/back.d"
check 'configuration: slapmodify takes these, too' change back "$work/changes.ldif"
configured back
check 'configuration: as it was' config_differs 0 back first

# A slapd that runs adds a module, and replaces no list of them; slapmodify does both.
modules=cn=module{0},cn=config
if grep -q "^dn: $modules\$" "$work/first.ldif" && [ -e "$DIT_MODULE_PATH/deref.so" ]; then
	printf '%s\n' "dn: $modules" 'changetype: modify' 'add: olcModuleLoad' \
		'olcModuleLoad: deref' >"$work/wanted"
	check 'modules: changed by slapmodify' change again "$work/wanted"
	configured again
	check 'modules: changes' config_differs 1 second again
	check 'modules: added' grep -q '^add: olcModuleLoad$' "$work/changes.ldif"
	check 'modules: slapmodify takes them' change second "$work/changes.ldif"
	configured second
	check 'modules: the same' config_differs 0 again second
	# An overlay, whose attributes are of a module that the configuration does not load.
	# slapmodify takes it in the run after that of the module.
	cat >"$work/wanted" <<-END
		dn: $modules
		changetype: modify
		add: olcModuleLoad
		olcModuleLoad: memberof

		dn: olcOverlay=memberof,olcDatabase={1}mdb,cn=config
		changetype: add
		objectClass: olcMemberOf
		olcOverlay: memberof
		olcMemberOfRefInt: TRUE
	END
	by_module() { # by_module NAME FILE
		sed '/^$/,$d' "$2" >"$work/module"
		sed '1,/^$/d' "$2" >"$work/overlay"
		change "$1" "$work/module" && change "$1" "$work/overlay"
	}
	check 'overlay: changed by slapmodify' by_module again "$work/wanted"
	configured again
	check 'overlay: changes' config_differs 1 second again
	check 'overlay: slapmodify takes them' by_module second "$work/changes.ldif"
	configured second
	check 'overlay: the same' config_differs 0 again second
fi
finish
