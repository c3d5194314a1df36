#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Random histories of changes (random/randchanges.c) to equal databases: record by record
# through slapd, by ldapmodify as rootdn (with the relax control where operational attributes
# are changed), and in one run of ditmodify. Both refuse the same records, and the databases
# are equal: entries, their attributes and values in their order, names, and every record of
# every index. Values made of the time, and UUIDs that are made, are different.
#
#   modify.sh [FIRST [LAST]]    these seeds, each of $nhistories databases in one slapd;
#                               MODIFY_KEEP=DIR keeps the input of failed ones
. "${0%/*}/lib.sh"
. "${0%/*}/slapd_lib.sh"
: "${DITDIFF:?}" "${DITINDEX:?}" "${DITMODIFY:?}" "${RANDCHANGES:?}"

nhistories=8
first=${1:-1}
last=${2:-$([ "${DIT_LONG:-no}" = yes ] && echo 2500 || echo 2)}
began=$(date -u +%Y%m%d%H%M%S)

# refused_by_slapd DATABASE: numbers of the records that ldapmodify -S wrote, sorted
refused_by_slapd() {
	sed -n 's/^# record //p' "$work/ref/rejects-$1" 2>/dev/null | sort -n
}

# refused_by_ditmodify DATABASE: the numbers of the records in whose lines refusals are
refused_by_ditmodify() {
	awk 'NR == FNR { number[FNR] = /^# record / ? $3 : number[FNR - 1]; next }
		/^# line: / { print number[$3] }' \
		"$work/changes-$1.ldif" "$work/dit/rejects-$1" | sort -n
}

# shown SITE DATABASE: the content as slapcat shows it, without what a run has made up. Times
# of this run are made up, and UUIDs that are in no input.
shown() {
	slapcat -f "$work/$1/slapd.conf" -b "dc=h$2" -o ldif-wrap=no 2>/dev/null |
		awk -v began="$began" -v now="$(date -u +%Y%m%d%H%M%S)" \
			-v inputs="$work/base-$2.ldif" '
		BEGIN {
			while ((getline line < inputs) > 0) {
				loaded[line] = 1
			}
		}
		/^(entryCSN|createTimestamp|modifyTimestamp): / {
			time = substr($2, 1, 14)
			if (time >= began && time <= now) {
				$0 = $1 " now"
			}
		}
		/^entryUUID: / && !($0 in loaded) { $0 = "entryUUID: made" }
		{ print }'
}

same_shown() {
	diff -a <(shown ref "$1") <(shown dit "$1")
}

same_refused() {
	diff <(refused_by_slapd "$1") <(refused_by_ditmodify "$1")
}

# sound SITE DATABASE
sound() {
	"$DITCHECK" -f "$work/$1/slapd.conf" -b "dc=h$2"
}

same_records() {
	compare_databases --generated "$work/ref/db-$1" "$work/dit/db-$1"
}

# make_sites: the databases of a seed, empty
make_sites() {
	local site
	for site in ref dit; do
		rm -rf "${work:?}/$site"
		mkdir -p "$work/$site/db-"{1..8}
	done
	"$RANDCHANGES" "$seed" conf $nhistories | fill_in_both
}

# prepare DATABASE: both sites hold the same, and there are changes. Every other database was
# loaded before sortvals was configured.
prepare() {
	local i=$1 config=(-f loading.conf)
	"$RANDCHANGES" "$seed" ldif "$i" >"$work/input.ldif"
	"$RANDCHANGES" "$seed" changes "$i" | sed '/^control: /d' >"$work/changes-$i.ldif"
	sed "$([ $((i % 2)) -eq 1 ] || echo '/^sortvals/d')" "$work/dit/slapd.conf" \
		>"$work/dit/loading.conf"
	ditadd_site "$work/dit" -c -b "dc=h$i" -l "$work/input.ldif"
	cp -r "$work/dit/db-$i" "$work/ref"
	slapcat -f "$work/dit/slapd.conf" -b "dc=h$i" -o ldif-wrap=no \
		>"$work/base-$i.ldif" 2>/dev/null
	rm -rf "$work/copy-$i"
	cp -r "$work/dit/db-$i" "$work/copy-$i"
}

# dry DATABASE: a dry run next to slapd
dry() {
	"$DITMODIFY" -u -f "$work/ref/slapd.conf" -b "dc=h$1" -c --rejects "$work/ref/dry-$1" \
		-l "$work/changes-$1.ldif" >"$work/dry" 2>&1
	case $? in
	0 | 2) ;;
	*) return 1 ;;
	esac
}

# change DATABASE: slapd runs
change() {
	"$RANDCHANGES" "$seed" changes "$1" >"$work/relaxed.ldif"
	ldapmodify -c -x -H "${url[ref]}" -D "cn=Admin+sn=x,dc=h$1" -w secret \
		-S "$work/ref/rejects-$1" -f "$work/relaxed.ldif" \
		>"$work/ref/modified-$1" 2>"$work/ref/messages-$1"
	kill -0 "${pid[ref]}"
}

# forgotten DATABASE: slapd cannot rename the entry that it added last if older entries have
# been moved below it (MDB_APPEND of a key that is there). The first difference is of that kind.
forgotten() {
	local record
	record=$(same_refused "$1" | sed -n 's/^[<>] //p' | sort -n | head -n 1)
	[ -n "$record" ] && grep -aB 1 "^# record $record\$" "$work/ref/rejects-$1" |
		grep -aq 'additional info: DN index add failed'
}

# modify DATABASE: 2 says that records were refused
modify() {
	"$DITMODIFY" -f "$work/dit/slapd.conf" -b "dc=h$1" -c -T $((1 + $1 % 3)) \
		--rejects "$work/dit/rejects-$1" -l "$work/changes-$1.ldif" >"$work/dit/messages-$1" 2>&1
	case $? in
	0 | 2) ;;
	*) return 1 ;;
	esac
}

# there DATABASE FROM TO: exact changes make one state of the other, with all times and CSNs
there() {
	local conf=(-f "$work/dit/slapd.conf" -b "dc=h$1")
	"$DITDIFF" "${conf[@]}" --exact "$2" "$3" >"$work/exact.ldif"
	[ $? -le 1 ] &&
		"$DITMODIFY" "${conf[@]}" --exact --database "$2" -l "$work/exact.ldif" &&
		"$DITDIFF" "${conf[@]}" --exact "$2" "$3" >"$work/exact.ldif" &&
		awk '/^# before/ { b = $3 } /^# after/ { exit b != $3 }' "$work/exact.ldif"
}

# exact DATABASE: a copy of what it was gets what slapd has done to it, and is put back
exact() {
	cp -r "$work/copy-$1" "$work/copy"
	there "$1" "$work/copy" "$work/ref/db-$1" &&
		"$DITCHECK" -f "$work/dit/slapd.conf" -b "dc=h$1" --database "$work/copy" &&
		there "$1" "$work/copy" "$work/copy-$1"
}

# compare DATABASE. slapd leaves wrong keys after some changes; then its indexes are made again
# (index.sh compares ditindex with slapindex).
compare() {
	local i=$1 before=$nfailed
	check "seed $seed, $i: ditmodify" modify "$i"
	check "seed $seed, $i: refused by the dry run" cmp "$work/ref/dry-$i" "$work/dit/rejects-$i"
	if forgotten "$i"; then
		nforgotten=$((nforgotten + 1))
		return
	fi
	check "seed $seed, $i: refused" same_refused "$i"
	check "seed $seed, $i: content" same_shown "$i"
	check "seed $seed, $i: ditcheck" sound dit "$i"
	if ! sound ref "$i" >"$work/wrong"; then
		nwrong=$((nwrong + 1))
		"$DITINDEX" -q -f "$work/ref/slapd.conf" -b "dc=h$i" 2>/dev/null
	fi
	check "seed $seed, $i: records" same_records "$i"
	check "seed $seed, $i: exact changes, there and back" exact "$i"
	rm -rf "$work/copy"
	[ $nfailed -eq "$before" ] || keep "$i"
}

keep() {
	local to=${MODIFY_KEEP:-}/$seed-$1 site
	[ -n "${MODIFY_KEEP:-}" ] || return 0
	mkdir -p "$to"
	"$RANDCHANGES" "$seed" changes "$1" >"$to/relaxed.ldif"
	cp "$work/ref/slapd.conf" "$work/base-$1.ldif" "$work/changes-$1.ldif" "$to"
	for site in ref dit; do
		cp "$work/$site/rejects-$1" "$to/$site-rejects"
		cp "$work/$site/messages-$1" "$to/$site-messages"
	done
	same_shown "$1" >"$to/content"
	same_refused "$1" >"$to/refused"
	same_records "$1" >"$to/records"
}

nwrong=0
nforgotten=0
for ((seed = first; seed <= last; seed++)); do
	make_sites
	for ((i = 1; i <= nhistories; i++)); do
		prepare $i
		check "seed $seed, $i: loaded" ended "$work/dit" 0
	done
	start_slapd ref
	for ((i = 1; i <= nhistories; i++)); do
		check "seed $seed, $i: dry run" dry $i
		check "seed $seed, $i: slapd lives" change $i
		cat "$work/ref/rejects-$i" >>"$work/all-rejects" 2>/dev/null
		grep -c '^# record' "$work/changes-$i.ldif" >>"$work/all-changes"
	done
	stop_slapd
	for ((i = 1; i <= nhistories; i++)); do
		compare $i
	done
done
nrecords=$(awk '{ n += $1 } END { print n }' "$work/all-changes")
sed -n 's/^# Error: [^(]*(\(-*[0-9]*\)).*/\1/p' "$work/all-rejects" | sort | uniq -c |
	sort -rn >"$work/codes"
echo "$nrecords records, refused (number and code): $(tr -s ' \n' ' ' <"$work/codes")"
echo "slapd left wrong indexes in $nwrong databases, and refused a rename wrongly in $nforgotten"
check "a third of the records are accepted" test $(($(grep -c "^# record" "$work/all-rejects") * 3)) -lt $((nrecords * 2))
for code in 16 17 19 20 21 32 53 64 65 66 68; do
	[ "$nrecords" -gt 600 ] || break
	check "some are refused with $code" grep -q " $code\$" "$work/codes"
done
finish
