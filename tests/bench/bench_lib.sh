# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause
# Sourced by the measuring scripts: programs, a scratch directory that goes away, the
# configuration, input, measured loads and a file of their figures, sizes of databases. bash.
#
# From the environment, all optional: DIT_BUILDDIR (where make ran; the current directory),
# DITADD, DITGEN, DITCHECK, MEASURE, MDB_STAT (programs), DIT_SCHEMA_DIR, TMPDIR.

set -u
export LC_ALL=C
PATH=$PATH:/usr/sbin:/sbin

tool=${0##*/}
builddir=${DIT_BUILDDIR:-$(pwd)}
ditadd=${DITADD:-$builddir/ditadd}
ditgen=${DITGEN:-$builddir/tests/bench/ditgen}
ditcheck=${DITCHECK:-$builddir/ditcheck}
measure=${MEASURE:-$builddir/tests/bench/measure}
mdb_stat=${MDB_STAT:-mdb_stat}
schema=${DIT_SCHEMA_DIR:-/etc/ldap/schema}
base=${TMPDIR:-/tmp}
work=

die() {
	echo "$tool: $*" >&2
	exit 1
}

# show_help: the script's head comment
show_help() {
	awk 'NR > 2 && !/^#/ { exit } NR > 2 { sub(/^# ?/, ""); print }' "$0"
}

# wrong_call TEXT...: says what is wrong and where help is
wrong_call() {
	echo "$tool: $*" >&2
	echo "try $tool --help" >&2
	exit 2
}

# check_list OPTION LIST PATTERN: each word of a comma separated list must match
check_list() {
	local word
	[ -n "$2" ] || wrong_call "$1: empty"
	for word in ${2//,/ }; do
		[[ $word =~ ^($3)$ ]] || wrong_call "$1: \"$word\""
	done
}

number='[1-9][0-9]*'
size='[1-9][0-9]*[KMG]?'

# need PROGRAM PACKAGE...: system programs
need() {
	while [ $# -gt 0 ]; do
		command -v "$1" >/dev/null || die "$1 is needed (Debian: $2)"
		shift 2
	done
}

# need_built PROGRAM...
need_built() {
	local program
	for program in "$@"; do
		[ -x "$program" ] || die "not built: $program"
	done
}

# make_work: $work in $base; removed at the end, after the commands in atexit
atexit=()
make_work() {
	work=$(mktemp -d "$base/ditkit-bench-XXXXXX") || die "no room in $base"
	trap leave EXIT
	trap 'exit 1' INT TERM HUP
}

leave() {
	local command
	for command in "${atexit[@]}"; do
		$command
	done
	rm -rf "$work"
}

# bytes_of SIZE: 256M -> 268435456
bytes_of() {
	case $1 in
	*K) echo $((${1%K} << 10)) ;;
	*M) echo $((${1%M} << 20)) ;;
	*G) echo $((${1%G} << 30)) ;;
	*) echo "$1" ;;
	esac
}

# write_conf DATABASE-DIRECTORY yes|no [MAXSIZE]: with the 27 indexed attributes or
# without. The module is for slapadd and slapd; ditadd does not look for it.
write_conf() {
	cat <<-CONF
		include $schema/core.schema
		include $schema/cosine.schema
		include $schema/nis.schema
		include $schema/inetorgperson.schema
		modulepath /usr/lib/ldap
		moduleload back_mdb
		sizelimit unlimited
		database mdb
		suffix "dc=example,dc=com"
		rootdn "cn=admin,dc=example,dc=com"
		directory $1
		maxsize ${3:-68719476736}
	CONF
	[ "$2" = yes ] || return 0
	cat <<-CONF
		index uid,cn,sn,givenName,mail pres,eq,sub
		index telephoneNumber,mobile,title,l,st,street,postalCode,ou,description eq,sub
		index objectClass,employeeNumber,employeeType,departmentNumber eq
		index uidNumber,gidNumber,homeDirectory,loginShell eq
		index manager,roomNumber,initials,displayName,entryUUID eq
	CONF
}

# settle: nothing is left to write or to clean up from before
settle() {
	sync -f "$work"
	sleep "${BENCH_REST:-1}"
}

# empty_db: a new database directory
empty_db() {
	rm -rf "$work/db"
	mkdir "$work/db" || die "no room in $base"
	settle
}

# measured COMMAND...: what it cost goes to $work/cost, what it printed to $work/output
measured() {
	"$measure" "$work/cost" "$@" >"$work/output" 2>"$work/errors" || {
		sed 's/^/    /; 20q' "$work/errors" >&2
		die "failed: $*"
	}
}

# cost NAME: a figure of the last measured command, such as wall_s
cost() {
	sed -n "s/.*\b$1=\([^ ]*\).*/\1/p" "$work/cost"
}

# ---- figures: one line for each run, columns with names, read by bench_report.awk ----

cost_columns='wall_s cpu_s anon_kib rss_kib temp_kib read_kib written_kib'
for stage in main tool reader dit-write; do
	cost_columns+=" ${stage}_cpu_s ${stage}_queue_s ${stage}_sleep_s"
done

# begin_notes FILE [COLUMN...]: the file of figures; COLUMNs are more than measure tells
begin_notes() {
	notes=$1
	shift
	# shellcheck disable=SC2086 # a list of words
	printf '%s\n' program entries kind threads memory round $cost_columns "$@" |
		paste -s -d '\t' >"$notes" || die "cannot write $notes"
}

# note PROGRAM ENTRIES KIND THREADS MEMORY ROUND [FIGURE...]: the last measured command.
# KIND: what was done; of a load, whether there are indexes, yes or no.
note() {
	{
		printf '%s\n' "${@:1:6}"
		tr ' ' '\n' <"$work/cost" | awk -F = -v columns="$cost_columns" '
			{ value[$1] = $2 }
			END {
				n = split(columns, name, " ")
				for (i = 1; i <= n; i++) {
					print name[i] in value ? value[name[i]] : 0
				}
			}'
		[ $# -le 6 ] || printf '%s\n' "${@:7}"
	} | paste -s -d '\t' >>"$notes"
}

# report MODE FILE [ASSIGNMENT...]: the tables of a file of figures
report() {
	awk -v mode="$1" "${@:3}" -f "${0%/*}/bench_report.awk" "$2"
}

# describe: machine and programs, as a list in Markdown
describe() {
	echo "- $(date -u '+%Y-%m-%d %H:%M') UTC"
	echo "- processors: $(nproc)," \
		"$(awk -F ': ' '/^model name/ { print $2; exit }' /proc/cpuinfo)"
	echo "- memory: $(awk '/MemTotal/ { printf "%.1f GiB", $2 / 1048576 }' /proc/meminfo)"
	echo "- Linux $(uname -r), databases on $(df --output=fstype "$base" | tail -n 1)"
	echo "- $("$ditadd" -V 2>&1 | head -n 1)$(slapd -VV 2>&1 |
		sed -n 's/.*\(slapd [0-9][^ ]*\).*/, \1/p')"
}

# temp_written: bytes of all temporary files ever, from the --stats that ditadd printed.
# Runs that were merged into larger ones count again; cost temp_kib is what lay on disk.
temp_written() {
	awk 'BEGIN { unit["KiB"] = 1024; unit["MiB"] = 1024 ^ 2; unit["GiB"] = 1024 ^ 3
		unit["TiB"] = 1024 ^ 4; unit["B"] = 1 }
	/^  disk .* of temporary files/ { n = $2 * unit[$3] }
	END { printf "%.0f\n", n }' "$work/output"
}

# db_sizes DIR: bytes in use, bytes of them in index databases, rows of these. Pages in use,
# not file lengths: slapadd -q leaves a sparse file. LMDB tells the pages of long lists of
# duplicates in no statistic of a database, so the indexes are what the others leave; that
# counts the child lists of dn2i, some 70 bytes an entry, as well.
db_sizes() {
	"$mdb_stat" -e -f -a "$1" | awk '
		/^Status of/ { in_index = $3 !~ /^(Main|ad2i|dn2i|id2e|id2v|ixck)$/ }
		/Page size/ && !page { page = $NF }
		/pages used/ { used = $NF }
		/Free pages:/ { others += $NF }
		/^  (Branch|Leaf|Overflow) pages: / && !in_index { others += $NF }
		/Entries:/ && in_index && !/^Freelist/ { rows += $NF }
		END { printf "%.0f %.0f %.0f\n", page * used,
			(rows > 0 ? page * (used - others) : 0), rows }'
}
