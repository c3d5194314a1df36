# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause
# Sourced by the scripts that need directories in service, after slapd_lib.sh: sites with
# overlays and consumers, people in them, changes of all kinds.
admin="cn=admin,$base"

# site NAME [LINE...]: a database, with these lines at its end; those with "!" stand before it
site() {
	local name=$1 line before='' after=''
	shift
	for line; do
		case $line in
		!*) before=$before${line#!}$'\n' ;;
		*) after=$after$line$'\n' ;;
		esac
	done
	rm -rf "${work:?}/$name"
	mkdir -p "$work/$name/db" "$work/$name/db2"
	{
		printf "include $DIT_SCHEMA_DIR/%s.schema\n" core cosine inetorgperson dyngroup
		echo "modulepath $DIT_MODULE_PATH"
		printf 'moduleload %s\n' back_mdb syncprov accesslog
		echo "$before"
		database "$base" "$work/$name/db"
		echo "index cn,sn,uid,description pres,eq,sub"
		echo "rootpw secret"
		echo "$after"
	} | fill_in "$work/$name" >"$work/$name/slapd.conf"
}

# database SUFFIX DIRECTORY
database() {
	printf '%s\n' "database mdb" "suffix \"$1\"" "rootdn \"$admin\"" "directory $2" \
		"maxsize 1073741824" "envflags nosync" \
		"index objectClass,entryCSN,entryUUID eq" "limits * size=unlimited"
}

# log_database SITE [LINE...]
log_database() {
	database cn=log "$work/$1/db2"
	shift
	printf '%s\n' "index reqStart,reqEnd,reqResult,reqDN eq" "$@"
}

# follow NUMBER PROVIDER [WORD...]: the line of a consumer
follow() {
	local number=$1 path=$work/$2/slapd.socket
	shift 2
	echo "syncrepl rid=$number provider=ldapi://${path//\//%2F} retry=\"1 +\"" \
		"type=refreshAndPersist searchbase=\"$base\" bindmethod=simple" \
		"binddn=\"$admin\" credentials=secret $*"
}

# people FIRST LAST
people() {
	local i
	for ((i = $1; i <= $2; i++)); do
		printf '%s\n' "dn: cn=p$i,ou=people,$base" 'objectClass: inetOrgPerson' \
			"cn: p$i" "sn: Name $((i % 7))" "uid: u$i" "description: text $i" \
			"description: a$((i % 5))" "seeAlso: cn=P1,ou=people,$base" ''
	done
}

tree() {
	printf 'dn: %s\nobjectClass: domain\ndc: example\n\n' "$base"
	printf 'dn: ou=%s,%s\nobjectClass: organizationalUnit\n\n' people "$base" other "$base"
	people 1 40
}

# load SITE [OPTION...]
load() {
	local site=$1
	shift
	tree | slapadd -b "$base" -f "$work/$site/slapd.conf" "$@" >"$work/$site/load" 2>&1
}

# mirror_pair: m1 and m2 serve, follow each other, and have the same entries
mirror_pair() {
	local n
	for n in 1 2; do
		site m$n "!serverID $n" "$(follow 1 m$((3 - n)))" "multiprovider on" \
			"overlay syncprov"
	done
	load m1 -w -S 1
	start_slapd m1
	start_slapd m2
	soon has m2 cn=p40
}

# stop SITE [SIGNAL]
stop() {
	kill "${2:--TERM}" "${pid[$1]}"
	wait "${pid[$1]}" 2>/dev/null
	unset "pid[$1]"
}

# killed_again SITE: killed, and started
killed_again() {
	stop "$1" -KILL
	start_slapd "$1"
}

# ---- changes ----

# change SITE: those on stdin
change() {
	ldapmodify -c -x -H "${url[$1]}" -D "$admin" -w secret >"$work/$1/modify" 2>&1
}

added() {
	sed 's/^dn: .*/&\nchangetype: add/'
}

# removed N
removed() {
	printf 'dn: cn=p%d,ou=people,%s\nchangetype: delete\n\n' "$1" "$base"
}

# one N: one change, which has() can look for
one() {
	printf '%s\n' "dn: cn=p$1,ou=people,$base" 'changetype: modify' 'replace: sn' \
		'sn: changed' - 'add: description' "description: new$1" - ''
}

# renamed N NEW [SUPERIOR]
renamed() {
	printf '%s\n' "dn: cn=p$1,ou=people,$base" 'changetype: modrdn' "newrdn: cn=$2" \
		"deleteoldrdn: $(($1 % 2))" ${3:+"newsuperior: $3,$base"} ''
}

# all_kinds: of changes
all_kinds() {
	local i
	for ((i = 2; i < 8; i++)); do
		one $i
		removed $((i + 8))
		renamed $((i + 16)) q$i ou=other
		renamed $((i + 24)) r$i
	done
	people 50 55 | added
}

# has SITE FILTER
has() {
	ldapsearch -x -LLL -H "${url[$1]}" -b "$base" "$2" 1.1 2>&1 | grep -q '^dn:'
}

# soon COMMAND...
soon() {
	local try
	for ((try = 0; try < 1200; try++)); do
		! "$@" >/dev/null 2>&1 || return 0
		sleep 0.05
	done
	fail "in vain: $*"
}

# arrives FROM N TO...: one change, which the others get
arrives() {
	local from=$1 n=$2 to
	shift 2
	one "$n" | change "$from"
	for to; do
		soon has "$to" "description=new$n"
	done
}
