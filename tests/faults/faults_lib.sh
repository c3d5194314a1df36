# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause
# Sourced by the scripts here: sites with one database or two, saved states of them, and
# what is true of a state.
#
# $databases   the databases of the site: "db", or "db db-other", which are glued; of
#              these db is put in place last
# DIR/files    the directories of the site's databases
. "${0%/*}/../oracle/lib.sh"
: "${DITGEN:?}" "${DITCHECK:?}" "${DITINDEX:?}" "${DITMODIFY:?}" "${SPOIL:?}" "${DIT_BUILDDIR:?}"
databases=db
tool=$DITADD # that is disturbed
release=2.5  # of OpenLDAP, that the databases are for
temporary=(--tmpdir "$work/tmp") # of tools that have temporary files

# make_conf DIR
make_conf() {
	mkdir -p "$1"
	fill_in "$1" <"$DIT_TEST_DATA/conf/bench.conf" | sed '/^database/,$d' >"$1/slapd.conf"
	if [ "$databases" != db ]; then
		fill_in "$1" >>"$1/slapd.conf" <<-CONF
			database mdb
			suffix "ou=people,dc=example,dc=com"
			subordinate
			directory $1/files/db-other
			maxsize 1073741824
			index uid,cn,sn,mail pres,eq,sub
		CONF
	fi
	fill_in "$1" >>"$1/slapd.conf" <<-CONF
		database mdb
		suffix "dc=example,dc=com"
		directory $1/files/db
		maxsize 1073741824
		index objectClass,entryUUID eq
		index cn,sn eq,sub
	CONF
}

# make_files DIR: empty directories for the databases
make_files() {
	local name
	rm -rf "$1/files"
	for name in $databases; do
		mkdir -p "$1/files/$name"
	done
}

# save NAME: the files of the site become $work/NAME
save() {
	rm -rf "${work:?}/$1"
	mv "$work/dit/files" "$work/$1"
}

# put_back [FILE...]: the databases as they are before the run; these files are removed
put_back() {
	rm -rf "$work/dit/files" "$@"
	cp -r "$work/old" "$work/dit/files"
}

# load ARGUMENT...: into the site; or what another tool does there
load() {
	"$tool" -q --memory 16M "${temporary[@]}" --openldap "$release" \
		-f "$work/dit/slapd.conf" "$@" >"$work/load.out" 2>&1
}

# make_input N [FIRST]: $work/input.ldif with N entries, and as first.ldif and second.ldif
# the two parts of it; the second one has entries for both databases
make_input() {
	local first=${2:-$(($1 * 2 / 3))}
	"$DITGEN" --entries "$1" --operational >"$work/input.ldif"
	awk -v n="$first" 'BEGIN { RS = ""; ORS = "\n\n" } NR <= n' \
		"$work/input.ldif" >"$work/first.ldif"
	awk -v n="$first" 'BEGIN { RS = ""; ORS = "\n\n" } NR > n' \
		"$work/input.ldif" >"$work/second.ldif"
	sed -n '/^$/q;p' "$work/input.ldif" |
		sed '/^objectClass: dc/d; s/^dn: .*/dn: cn=last,dc=example,dc=com/
			s/^dc: .*/cn: last/; s/organization$/device/; /^o: /d' \
			>>"$work/second.ldif"
}

# is_state STATE NAME: the database has the same records as in the saved state and is
# whole, or both are absent
is_state() {
	local saved=$work/$1/$2/data.mdb now=$work/dit/files/$2/data.mdb
	if [ ! -e "$saved" ] || [ ! -e "$now" ]; then
		[ ! -e "$saved" ] && [ ! -e "$now" ]
		return
	fi
	"$DITCHECK" "${sealed[@]}" --compare --exact "$work/$1/$2" "$work/dit/files/$2" \
		>/dev/null 2>&1 &&
		"$DITCHECK" "${sealed[@]}" --quick --database "$work/dit/files/$2"
}

# is_same STATE NAME: the database is that of the saved state, to the byte
is_same() {
	cmp -s "$work/$1/$2/data.mdb" "$work/dit/files/$2/data.mdb"
}

# examine: sets state to old, new or mixed; fails with a line if a database is neither, or
# if the one that comes last is new and the other old
examine() {
	local name found=
	for name in $databases; do
		if is_same old "$name"; then
			found="$found old"
		elif is_same new "$name"; then
			found="$found new"
		elif is_state old "$name"; then
			found="$found old"
		elif is_state new "$name"; then
			found="$found new"
		else
			echo "$name is neither old nor new"
			return 1
		fi
	done
	case $found in
	" old" | " old old") state=old ;;
	" new" | " new new") state=new ;;
	" old new") state=mixed ;;
	*)
		echo "the database that comes last is new, the other one old"
		return 1
		;;
	esac
}

shopt -s globstar

# names_in DIRECTORY: sets names to those of its files, hidden ones last
names_in() {
	local path
	names=
	for path in "$1"/* "$1"/.[!.]*; do
		[ ! -e "$path" ] && [ ! -L "$path" ] || names="$names ${path##*/}"
	done
}

# no_leftovers: neither next to the databases nor in the directory for temporary files
no_leftovers() {
	local name names staging
	for name in $databases; do
		names_in "$work/dit/files/$name" # none is prepared: nothing
		case $names in
		"" | " data.mdb" | " data.mdb lock.mdb" | " data.mdb manifest.json") ;;
		" data.mdb lock.mdb manifest.json") ;; # is_state has looked
		" ditkit-prepared" | " data.mdb ditkit-prepared lock.mdb") ;;
		*)
			echo "$name:$names"
			return 1
			;;
		esac
	done
	staging=("$work"/dit/files/**/ditkit-staging)
	[ ! -e "${staging[0]}" ] || echo "${staging[0]}"
	[ ! -e "${staging[0]}" ] || return
	names_in "$work/tmp"
	[ -z "$names" ] || echo "temporary files:$names"
	[ -z "$names" ]
}

# for_reindex FUNCTION: call FUNCTION NAME ARGUMENT... for each kind of run of ditindex:
# stale indexes are rebuilt, also with --online, and new ones are added
for_reindex() {
	local call=$1 name conf=$work/dit/slapd.conf
	for databases in "db" "db db-other"; do
		make_conf "$work/dit"
		make_files "$work/dit"
		load -l "$work/input.ldif"
		check "the load" test $? -eq 0
		for name in $databases; do
			"$SPOIL" "$work/dit/files/$name" stale
		done
		save old
		tool=$DITINDEX
		with_new "$call" "reindex --online, $databases" --online
		echo "index givenName,telephoneNumber eq,sub" >>"$conf"
		with_new "$call" "reindex, $databases"
		tool=$DITADD
	done
}

# make_changes: $work/changes.ldif: of each four people one is deleted, one changed, one renamed
# and moved; then a unit moves with all below, one comes
make_changes() {
	awk '/^dn: uid=/ {
		n++
		if (n % 4 == 1) {
			print $0 "\nchangetype: delete\n"
		} else if (n % 4 == 2) {
			print $0 "\nchangetype: modify\nreplace: description\ndescription: new " n
			print "-\nadd: cn\ncn: another " n "\n-\ndelete: mail\n"
		} else if (n % 4 == 3) {
			print $0 "\nchangetype: modrdn\nnewrdn: uid=renamed" n "\ndeleteoldrdn: 1"
			print "newsuperior: ou=People,dc=example,dc=com\n"
		}
	}' "$work/input.ldif" >"$work/changes.ldif"
	cat >>"$work/changes.ldif" <<-LDIF
		dn: ou=Logistics 12,ou=People,dc=example,dc=com
		changetype: modrdn
		newrdn: ou=Logistics
		deleteoldrdn: 0
		newsuperior: dc=example,dc=com

		dn: ou=New,ou=Logistics,dc=example,dc=com
		changetype: add
		objectClass: organizationalUnit
		description: a unit
	LDIF
}

# for_changes FUNCTION: the same for changes by ditmodify, also in sealed databases of LMDB 1.0.
# Without lastmod each run makes the same.
for_changes() {
	local call=$1 name
	databases=db
	make_changes
	for name in changes "changes, sealed"; do
		[ "$name" = changes ] || seal
		[ "$name" = changes ] || release=2.7
		make_conf "$work/dit"
		echo "lastmod off" >>"$work/dit/slapd.conf"
		make_files "$work/dit"
		load -l "$work/input.ldif"
		check "the load" test $? -eq 0
		save old
		tool=$DITMODIFY temporary=()
		with_new "$call" "$name" -l "$work/changes.ldif"
		tool=$DITADD temporary=(--tmpdir "$work/tmp")
	done
	DIT_SEALED='' sealed=() release=2.5
}

# for_2_7 FUNCTION: the same for databases of LMDB 1.0: new ones, one in place of an empty
# one, indexes that are added, and some that get other keys with --online
for_2_7() {
	local call=$1
	release=2.7
	for databases in "db" "db db-other"; do
		make_conf "$work/dit"
		make_files "$work/dit"
		save old
		[ "$databases" != db ] ||
			with_new "$call" "new, 2.7" -l "$work/input.ldif"
		put_back
		load -l /dev/null
		save old
		with_new "$call" "in place of empty ones, 2.7, $databases" \
			-l "$work/input.ldif"
		take_new
		tool=$DITINDEX
		sed -i '/^\t*maxsize /a index givenName,structuralObjectClass pres,eq' \
			"$work/dit/slapd.conf"
		with_new "$call" "reindex, 2.7, $databases"
		take_new
		sed -i '/^index givenName,/s/pres,//' "$work/dit/slapd.conf"
		with_new "$call" "reindex --online, 2.7, $databases" --online
		tool=$DITADD
	done
	release=2.5
}

# for_sealed FUNCTION: the same for databases of LMDB 1.0 with sealed pages: a new one, more
# entries, an index that gets other keys with --online
for_sealed() {
	local call=$1
	release=2.7 databases=db
	seal
	make_conf "$work/dit"
	make_files "$work/dit"
	save old
	with_new "$call" "new, sealed" -l "$work/input.ldif"
	put_back
	load -l "$work/first.ldif"
	check "the first part, sealed" test $? -eq 0
	save old
	with_new "$call" "more entries, sealed" -l "$work/second.ldif"
	take_new
	sed -i '/^index cn,sn/s/,sub//' "$work/dit/slapd.conf"
	tool=$DITINDEX
	with_new "$call" "reindex --online, sealed" --online
	tool=$DITADD
	DIT_SEALED='' sealed=() release=2.5
}

# for_prepared FUNCTION: the same for databases that are prepared, also in place of others,
# put in place and abandoned; of LMDB 0.9 and 1.0. A prepared one is looked at as a
# database of its own.
for_prepared() {
	local call=$1 plain waiting
	for plain in "db" "db db-other"; do
		for release in 2.5 2.7; do
			databases=$plain
			waiting="${plain// //ditkit-prepared }/ditkit-prepared"
			make_conf "$work/dit"
			make_files "$work/dit"
			save old
			databases=$waiting
			with_new "$call" "prepared, $release, $plain" --prepare \
				-l "$work/first.ldif"
			take_new
			with_new "$call" "prepared again, $release, $plain" --prepare \
				-l "$work/first.ldif" -l "$work/second.ldif"
			take_new
			with_new "$call" "abandoned, $release, $plain" --abandon
			databases=$plain
			with_new "$call" "published, $release, $plain" --publish
		done
	done
	release=2.5
}

# take_new: the new state is the old one of the next run
take_new() {
	rm -rf "$work/old"
	mv "$work/new" "$work/old"
}

# little_room: maxsize leaves no room for all that is stored, once more, and six times the
# bytes of the LDIF. So indexes are grown, not rebuilt.
little_room() {
	local name more sizes='' conf=$work/dit/slapd.conf
	more=$(($(stat -c %s "$work/second.ldif") * 5))
	for name in $databases; do
		sizes="$(($(stat -c %s "$work/old/$name/data.mdb") * 2 + more)) $sizes"
	done
	awk -v sizes="$sizes" 'BEGIN { split(sizes, size, " ") }
		$1 == "maxsize" { $0 = "maxsize " size[++n] } { print }' "$conf" \
		>"$work/conf" && mv "$work/conf" "$conf"
}

# for_all_loads FUNCTION: call FUNCTION NAME ARGUMENT... for each kind of load, with the
# state before it saved as old and the one after it as new
for_all_loads() {
	local call=$1 writer
	for databases in "db" "db db-other"; do
		make_conf "$work/dit"
		for writer in pages append; do
			make_files "$work/dit"
			save old
			with_new "$call" "new, $writer, $databases" --writer=$writer \
				-l "$work/input.ldif"
		done
		make_files "$work/dit"
		load -l /dev/null
		save old
		with_new "$call" "in place of empty ones, $databases" -l "$work/input.ldif"
		put_back
		load -l "$work/first.ldif"
		check "the first part" test $? -eq 0
		save old
		way=rebuilt with_new "$call" "more entries, $databases" \
			-l "$work/second.ldif"
		way=rebuilt with_new "$call" "more entries, growing, $databases" --grow \
			-l "$work/second.ldif"
		little_room
		with_new "$call" "more entries, little room, $databases" \
			-l "$work/second.ldif"
	done
}

# for_small_loads FUNCTION: the same for entries that are added to many, so few that
# only the pages on the way to their keys are written (output/claimed_output.c); in databases
# of LMDB 1.0, too. Makes an input of its own.
for_small_loads() {
	local call=$1 n=1500
	make_input $n $((n - 16))
	for databases in "db" "db db-other"; do
		for release in 2.7 2.5; do
			make_conf "$work/dit"
			make_files "$work/dit"
			load -l "$work/first.ldif"
			check "the first part" test $? -eq 0
			save old
			way=grown
			[ $release = 2.5 ] || way= # mdb_stat cannot read it
			with_new "$call" "few entries of $release, $databases" \
				-l "$work/second.ldif"
			way=
		done
	done
}

# whole: nothing is wrong with the structure of the databases
whole() {
	local name
	for name in $databases; do
		[ -e "$work/dit/files/$name" ] || continue # it was abandoned
		"$DITCHECK" "${sealed[@]}" --quick --database "$work/dit/files/$name" || return
	done
}

# numbers_of STATE NAME: of a saved database the transaction, all pages, those of databases
# that are no indexes, and the numbers of the free ones
numbers_of() {
	mkdir "$work/look-$1"
	cp "$work/$1/$2/data.mdb" "$work/look-$1" # mdb_stat leaves a lock.mdb
	mdb_stat -aefff "$work/look-$1" | awk '
		/^Status of / { is_other = $3 ~ /^(Main|ad2i|dn2i|id2e|id2v)$/ }
		/^Freelist Status/ { is_other = 1 }
		/(Branch|Leaf|Overflow) pages: / && is_other { nothers += $NF }
		/^ +[0-9]+(\[[0-9]+\])?$/ {
			n = split($1, run, /[][]/) > 1 ? run[2] : 1
			for (i = 0; i < n; i++) {
				free = free " " run[1] + i
			}
		}
		/Number of pages used: / { npages = $NF }
		/Last transaction ID: / { transaction = $NF }
		END { print transaction, npages, nothers, free }'
	rm -r "$work/look-$1"
}

# way_of NAME: how the indexes became new, by what the file has (output/claimed_output.c).
# When all indexes are rebuilt, no more old pages stay in use than those of the other
# databases.
way_of() {
	local transaction npages nothers now free page nkept
	read -r transaction npages nothers _ < <(numbers_of old "$1")
	read -r now _ _ free < <(numbers_of new "$1")
	nkept=$npages
	for page in $free; do
		[ "$page" -ge "$npages" ] || nkept=$((nkept - 1))
	done
	case $((now - transaction)) in
	1) [ $nkept -gt "$nothers" ] && echo grown || echo rebuilt ;;
	*) echo "$((now - transaction)) transactions" ;;
	esac
}

# Kinds that are tried with two databases as well; with DIT_LONG=yes all are.
with_two='^(new, pages|more entries|reindex --online|published, 2\.7|few entries of 2\.7), db '

# with_new FUNCTION NAME ARGUMENT...: $way is how the indexes of the database have to become
# new that comes first; without it, it does not matter
with_new() {
	local call=$1 name=$2
	shift 2
	put_back
	load "$@"
	check "$name: the load" test $? -eq 0
	check "$name: the new state is whole" whole
	save new
	[ -z "${way:-}" ] ||
		check "$name: the indexes are $way" test "$(way_of "${databases##* }")" = "$way"
	[ "${databases% *}" = "$databases" ] || [ "${DIT_LONG:-}" = yes ] ||
		[[ $name =~ $with_two ]] || return 0
	"$call" "$name" "$@"
}

mkdir "$work/tmp"

# sees_calls LIBRARY NAME...: the library for LD_PRELOAD has each form of these calls that
# the tools use: of a program built with _FORTIFY_SOURCE some have other names
sees_calls() {
	local library=$1 program forms used
	shift
	forms="^(__)?($(IFS='|' && echo "$*"))(64)?(_2|_chk)?$"
	nm -D --defined-only "$library" | awk '{ print $NF }' | sort -u >"$work/seen"
	for program in "$DITADD" "$DITCAT" "$DITINDEX" "$DITCHECK" "$DITMODIFY"; do
		nm -D --undefined-only "$program" | awk '{ print $NF }' | sed 's/@.*//'
	done | grep -E "$forms" | sort -u >"$work/used"
	used=$(comm -13 "$work/seen" "$work/used")
	[ -z "$used" ] || echo "$library does not see ${used//$'\n'/ }"
	[ -s "$work/used" ] && [ -z "$used" ]
}
