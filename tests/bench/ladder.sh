#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The worth of each idea of ditadd: the same directory loaded with one of them taken
# away at a time, all in one run; then searches by slapd on databases with integer and with
# byte keys.
#
#   ladder.sh [--entries N] [--rounds R] [--more-threads N] [--small-memory SIZE]
#             [--searches N] [--slapadd] [--dir DIR]
#
#   --entries N          size of the directory (100000)
#   --rounds R           how often; medians are printed (3)
#   --more-threads N     the step after 1 and 2 threads (4)
#   --small-memory SIZE  --memory of the step in which index keys are sorted in many small
#                        batches, written and merged, not all at the end (16M)
#   --searches N         of each kind and round, equality and substrings; 0: none (2000)
#   --slapadd            begin with slapadd -q, and search its database as well
#   --dir DIR            where the databases go ($TMPDIR, /tmp)
#
# Waits are voluntary context switches: once for each time a thread waits for another.
# A search asks for no attributes, and its filter matches few entries: what is timed is
# the way through the index. Before the timed rounds each database is searched once. That
# all databases give the same names is checked.
. "${0%/*}/bench_lib.sh"

entries=100000
rounds=3
more_threads=4
small_memory=16M
searches=2000
with_slapadd=no
suffix=dc=example,dc=com

while [ $# -gt 0 ]; do
	case $1 in
	--help) show_help && exit ;;
	--slapadd) with_slapadd=yes ;;
	--entries | --rounds | --more-threads | --small-memory | --searches | --dir)
		[ $# -ge 2 ] || wrong_call "$1 needs a value"
		case $1 in
		--entries) entries=$2 && check_list "$1" "$2" "$number" ;;
		--rounds) rounds=$2 && check_list "$1" "$2" "$number" ;;
		--more-threads) more_threads=$2 && check_list "$1" "$2" "$number" ;;
		--small-memory) small_memory=$2 && check_list "$1" "$2" "$size" ;;
		--searches) searches=$2 && check_list "$1" "$2" '[0-9]+' ;;
		--dir) base=$2 ;;
		esac
		shift
		;;
	*) wrong_call "$1?" ;;
	esac
	shift
done

need_built "$ditadd" "$ditgen" "$measure"
[ $with_slapadd = no ] || need slapadd slapd
[ "$searches" -eq 0 ] || need slapd slapd ldapsearch ldap-utils
make_work
mkdir "$work/tmp"
write_conf "$work/db" yes >"$work/slapd-yes.conf"
write_conf "$work/db" no >"$work/slapd-no.conf"
"$ditgen" --entries "$entries" >"$work/input.ldif" || die "the generator failed"

# median COLUMN FILE
median() {
	sort -n -k "$1,$1" "$2" | awk -v c="$1" '{ v[NR] = $c }
		END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

# ---- loads ----

nsteps=0

# step NAME INDEX OPTION...: a line of the ladder
step() {
	step_name[nsteps]=$1
	step_index[nsteps]=$2
	shift 2
	step_options[nsteps]=$*
	nsteps=$((nsteps + 1))
}

step "1 thread" yes -T 1
step "2 threads" yes -T 2
step "$more_threads threads" yes -T "$more_threads"
step "2 threads, liblmdb appends (--writer=append)" yes -T 2 --writer=append
step "2 threads, byte keys" yes -T 2 --index-keys bytes
step "2 threads, keys sorted in small batches (--memory $small_memory)" yes \
	-T 2 --memory "$small_memory"
step "2 threads, no indexes" no -T 2

# keep_db NAME: for the searches
keep_db() {
	if [ "$searches" -gt 0 ] && [ ! -d "$work/$1" ]; then
		mkdir "$work/$1"
		mv "$work/db" "$work/$1/db"
	fi
}

load_slapadd() {
	empty_db
	measured slapadd -q -f "$work/slapd-yes.conf" -l "$work/input.ldif"
	echo "$(cost wall_s) $(cost cpu_s) $(cost switches) 0" >>"$work/step.slapadd"
	keep_db slapadd
}

load_step() {
	empty_db
	# shellcheck disable=SC2086 # several words
	measured "$ditadd" -q ${step_options[$1]} --stats --tmpdir "$work/tmp" \
		-f "$work/slapd-${step_index[$1]}.conf" -l "$work/input.ldif"
	echo "$(cost wall_s) $(cost cpu_s) $(cost switches) $(temp_written)" >>"$work/step.$1"
	case ${step_options[$1]} in
	*bytes) keep_db bytes ;;
	"-T 2") [ "${step_index[$1]}" = no ] || keep_db integer ;;
	esac
}

# print_step NAME FILE
print_step() {
	awk -v name="$1" -v wall="$(median 1 "$2")" -v cpu="$(median 2 "$2")" \
		-v waits="$(median 3 "$2")" -v temp="$(median 4 "$2")" \
		-v first="$(median 1 "$work/step.0")" 'BEGIN {
		printf "| %s | %.2f | %.2f | %.0f | %.0f | %.2f |\n", name, wall, cpu, waits,
			temp / 1048576, first / wall
	}'
}

for ((round = 1; round <= rounds; round++)); do
	[ $with_slapadd = no ] || load_slapadd
	for ((i = 0; i < nsteps; i++)); do
		load_step $i
	done
done

echo "$entries entries, 27 indexes, $(nproc) processors, medians of $rounds"
echo
echo "| step | wall, s | CPU, s | waits | temporary files written, MiB | times as fast as" \
	"one thread |"
echo "|---|---|---|---|---|---|"
[ $with_slapadd = no ] || print_step "slapadd -q" "$work/step.slapadd"
for ((i = 0; i < nsteps; i++)); do
	print_step "${step_name[i]}" "$work/step.$i"
done

[ "$searches" -gt 0 ] || exit 0

# ---- searches ----

# make_filters KIND: from the directory, as many as there shall be, evenly spread
make_filters() {
	awk -v kind="$1" -v want="$searches" -v entries="$entries" '
		BEGIN { FS = ": " }
		$1 == "dn" { nentries++ }
		kind == "equality" && $1 ~ /^(uid|mail|telephoneNumber|employeeNumber)$/ {
			keep($1 "=" $2)
		}
		kind == "substring" && $1 == "mail" { keep("mail=" substr($2, 1, length($2) - 12) "*") }
		kind == "substring" && $1 == "telephoneNumber" {
			keep("telephoneNumber=*" substr($2, 8, 4) " " substr($2, 13) "*")
		}
		kind == "substring" && $1 == "uid" { keep("uid=*" substr($2, 3)) }
		function keep(filter) { all[n++] = filter }
		END {
			for (i = 0; i < want; i++) { print all[int(i * n / want)] }
		}' "$work/input.ldif"
}

declare -A slapd_pid

stop_slapd() {
	local kind
	for kind in "${!slapd_pid[@]}"; do
		kill "${slapd_pid[$kind]}" 2>/dev/null
		wait "${slapd_pid[$kind]}" 2>/dev/null
	done
	slapd_pid=()
}
atexit+=(stop_slapd)

# url_of KIND: a socket in our directory
url_of() {
	local path=$work/$1/socket
	echo "ldapi://${path//\//%2F}"
}

start_slapd() { # start_slapd KIND
	local try
	write_conf "$work/$1/db" yes >"$work/$1/slapd.conf"
	slapd -d 0 -h "$(url_of "$1")" -f "$work/$1/slapd.conf" 2>"$work/$1/errors" &
	slapd_pid[$1]=$!
	for ((try = 0; try < 600; try++)); do
		if ldapsearch -x -H "$(url_of "$1")" -s base -b $suffix 1.1 >/dev/null 2>&1; then
			return
		fi
		sleep 0.1
	done
	cat "$work/$1/errors" >&2
	die "slapd does not start"
}

# cpu_ns KIND: processor time that its slapd has used
cpu_ns() {
	cat /proc/"${slapd_pid[$1]}"/task/*/schedstat | awk '{ n += $1 } END { printf "%.0f\n", n }'
}

# search KIND FILTERS: the names found to $work/found, wall time and slapd's CPU time in
# nanoseconds to standard output
search() {
	local wall cpu
	wall=$(date +%s%N)
	cpu=$(cpu_ns "$1")
	ldapsearch -x -H "$(url_of "$1")" -b $suffix -LLL -f "$work/$2" '(%s)' 1.1 \
		>"$work/found" 2>"$work/errors" || die "a search failed: $(cat "$work/errors")"
	echo "$(($(date +%s%N) - wall)) $(($(cpu_ns "$1") - cpu))"
}

kinds='integer bytes'
[ $with_slapadd = no ] || kinds+=' slapadd'
for kind in $kinds; do
	start_slapd "$kind"
done
echo
echo "$searches searches by slapd on one connection, medians of $rounds"
echo
echo "| searches | index keys | names found | wall, us each | slapd's CPU, us each |"
echo "|---|---|---|---|---|"
for what in equality substring; do
	make_filters $what >"$work/$what"
	for ((round = 0; round <= rounds; round++)); do
		for kind in $kinds; do
			search "$kind" $what >"$work/figures"
			if [ $round -gt 0 ]; then
				cat "$work/figures" >>"$work/search.$what.$kind"
			fi
			sort "$work/found" >"$work/names.$kind"
			cmp "$work/names.integer" "$work/names.$kind" ||
				die "$what searches find other names with $kind keys"
		done
	done
	for kind in $kinds; do
		awk -v what=$what -v kind="$kind" -v n="$searches" \
			-v names="$(grep -c '^dn:' "$work/names.$kind")" \
			-v wall="$(median 1 "$work/search.$what.$kind")" \
			-v cpu="$(median 2 "$work/search.$what.$kind")" 'BEGIN {
			printf "| %s | %s | %d | %.1f | %.1f |\n", what,
				(kind == "slapadd" ? "bytes, by slapadd" : kind), names,
				wall / n / 1000, cpu / n / 1000
		}'
	done
done
