#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Load the same made-up directory with slapadd -q and with ditadd -q, in turn, on fresh
# directories, and print what each run cost.
#
#   bench.sh [--entries N] [--seed S] [--rounds R] [--slapadd-rounds R] [--threads LIST]
#            [--no-index] [--memory SIZE] [--index-keys KIND] [--dir DIR]
#
# A round is one slapadd run and one ditadd run for each number in LIST ("1,2"); the ratio
# is slapadd's wall time over ditadd's of the same round. slapadd may take part in the
# first rounds only (--slapadd-rounds); later rounds are then paired with its last run.
# Sizes are pages in use, not file lengths: slapadd -q leaves a sparse file.
set -u

entries=100000
seed=1
rounds=3
slapadd_rounds=
threads=$(nproc)
with_index=yes
ditadd_options=()
base=${TMPDIR:-/tmp}
builddir=${DIT_BUILDDIR:-$(pwd)}
ditadd=${DITADD:-$builddir/ditadd}
ditgen=${DITGEN:-$builddir/tests/bench/ditgen}
measure=${MEASURE:-$builddir/tests/bench/measure}
schema=${DIT_SCHEMA_DIR:-/etc/ldap/schema}

die() {
	echo "bench: $*" >&2
	exit 1
}

usage() {
	sed -n 's/^#   \(bench.sh\)/usage: \1/p; s/^#      *\(\[--no-index\)/       \1/p' \
		"$0" >&2
	exit 1
}

while [ $# -gt 0 ]; do
	case $1 in
	--no-index) with_index=no ;;
	--entries | --seed | --rounds | --slapadd-rounds | --threads | --memory | \
		--index-keys | --dir)
		[ $# -ge 2 ] || usage
		case $1 in
		--entries) entries=$2 ;;
		--seed) seed=$2 ;;
		--rounds) rounds=$2 ;;
		--slapadd-rounds) slapadd_rounds=$2 ;;
		--threads) threads=$2 ;;
		--memory) ditadd_options+=(--memory "$2") ;;
		--index-keys) ditadd_options+=("--index-keys=$2") ;;
		--dir) base=$2 ;;
		esac
		shift
		;;
	*) usage ;;
	esac
	shift
done
slapadd_rounds=${slapadd_rounds:-$rounds}

for tool in slapadd mdb_stat; do
	PATH=$PATH:/usr/sbin command -v "$tool" >/dev/null ||
		die "$tool is needed (Debian: slapd, lmdb-utils)"
done
PATH=$PATH:/usr/sbin
for program in "$ditadd" "$ditgen" "$measure"; do
	[ -x "$program" ] || die "not built: $program"
done

work=$(mktemp -d "$base/ditkit-bench-XXXXXX") || die "no room in $base"
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

# The configuration: 27 indexed attributes, three kinds of indexes.
write_conf() {
	cat <<-CONF
		include $schema/core.schema
		include $schema/cosine.schema
		include $schema/nis.schema
		include $schema/inetorgperson.schema
		modulepath /usr/lib/ldap
		moduleload back_mdb
		database mdb
		suffix "dc=example,dc=com"
		rootdn "cn=admin,dc=example,dc=com"
		directory $work/db
		maxsize 68719476736
	CONF
	[ "$with_index" = yes ] || return 0
	cat <<-CONF
		index uid,cn,sn,givenName,mail pres,eq,sub
		index telephoneNumber,mobile,title,l,st,street,postalCode,ou,description eq,sub
		index objectClass,employeeNumber,employeeType,departmentNumber eq
		index uidNumber,gidNumber,homeDirectory,loginShell eq
		index manager,roomNumber,initials,displayName,entryUUID eq
	CONF
}

# used_bytes DIR: pages in use times page size
used_bytes() {
	mdb_stat -e "$1" |
		awk '/Page size/ && !p { p = $NF }
			/pages used/ { n = $NF }
			END { print p * n }'
}

# count_postings DIR: rows of all index databases
count_postings() {
	mdb_stat -a "$1" | awk '
		/^Status of/ { skip = $3 ~ /^(Main|ad2i|dn2i|id2e|id2v|ixck)$/ }
		/Entries:/ && !skip { n += $2 }
		END { print n + 0 }'
}

# run NAME THREADS ROUND COMMAND...: one load; sets wall; prints a line of the table
run() {
	local name=$1 nthreads=$2 round=$3 cpu rss anon bytes postings ratio=-
	shift 3
	rm -rf "$work/db"
	mkdir "$work/db" || die "no room"
	sync
	"$measure" "$work/result" "$@" || die "failed: $*"
	wall=$(value wall_s)
	cpu=$(value cpu_s)
	rss=$(value rss_kib)
	anon=$(value anon_kib)
	bytes=$(used_bytes "$work/db")
	postings=$(count_postings "$work/db")
	if [ "$name" = ditadd ] && [ -n "$slapadd_wall" ]; then
		ratio=$(awk -v a="$slapadd_wall" -v b="$wall" \
			'BEGIN { printf "%.2f", a / b }')
		echo "$ratio" >>"$work/ratios.$nthreads"
	fi
	echo "$wall $cpu $bytes" >>"$work/$name.$nthreads"
	awk -v name="$name" -v t="$nthreads" -v r="$round" -v w="$wall" -v c="$cpu" \
		-v e="$entries" -v p="$postings" -v anon="$anon" -v rss="$rss" \
		-v b="$bytes" -v ratio="$ratio" 'BEGIN {
		printf "%-8s %7s %5s %9.2f %9.2f %11.0f %12.0f %9.1f %9.1f %9.1f %8s\n",
			name, t, r, w, c, e / w, p / w, anon / 1024, rss / 1024,
			b / 1048576, ratio
		}'
}

value() {
	sed -n "s/.*$1=\([^ ]*\).*/\1/p" "$work/result"
}

# median COLUMN FILE
median() {
	sort -n -k "$1,$1" "$2" | awk -v c="$1" '{ v[NR] = $c }
		END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

write_conf >"$work/slapd.conf"
"$ditgen" --entries "$entries" --seed "$seed" >"$work/input.ldif" ||
	die "the generator failed"

echo "$entries entries, $(wc -c <"$work/input.ldif") bytes of LDIF," \
	"indexes: $with_index, $(nproc) processors"
printf '%-8s %7s %5s %9s %9s %11s %12s %9s %9s %9s %8s\n' program threads round wall/s \
	cpu/s entries/s postings/s anon/MiB rss/MiB db/MiB ratio

slapadd_wall=
for ((round = 1; round <= rounds; round++)); do
	if [ "$round" -le "$slapadd_rounds" ]; then
		run slapadd 1 "$round" slapadd -q -f "$work/slapd.conf" \
			-l "$work/input.ldif"
		slapadd_wall=$wall
	fi
	for n in ${threads//,/ }; do
		run ditadd "$n" "$round" "$ditadd" -q -T "$n" "${ditadd_options[@]}" \
			-f "$work/slapd.conf" -l "$work/input.ldif"
	done
done

echo
if [ -f "$work/slapadd.1" ]; then
	echo "slapadd              median wall $(median 1 "$work/slapadd.1") s," \
		"cpu $(median 2 "$work/slapadd.1") s"
fi
for n in ${threads//,/ }; do
	line="ditadd, threads=$n"
	line+="    median wall $(median 1 "$work/ditadd.$n") s"
	line+=", cpu $(median 2 "$work/ditadd.$n") s"
	if [ -f "$work/ratios.$n" ]; then
		line+=", $(median 1 "$work/ratios.$n") times as fast"
		line+=", database $(awk -v a="$(median 3 "$work/ditadd.$n")" \
			-v b="$(median 3 "$work/slapadd.1")" \
			'BEGIN { printf "%.0f %%", 100 * a / b }') of slapadd's"
	fi
	echo "$line"
done
