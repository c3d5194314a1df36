#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The move to OpenLDAP 2.7 (doc/upgrade-2.7.md): "slapcat | slapadd -q" with the slapadd of
# 2.7 next to "ditcat | ditadd -q --openldap=2.7". One database of 2.5 with 27 indexes.
#
#   move.sh --openldap27 PREFIX [--entries LIST] [--slapadd-entries N] [--rounds N]
#           [--dir DIR]
#
#   --openldap27 PREFIX  where OpenLDAP 2.7 is installed; without the option ditkit alone is
#                        measured
#   --entries LIST       [100000]
#   --slapadd-entries N  above so many entries slapadd is not run [100000]
#   --rounds N           of ditkit; the median counts [3]
#   --dir DIR            where to work [$TMPDIR, /tmp]
#
# CPU seconds are those of both programs of a pipe, user and system. Sizes are of the files:
# the old database, the new one, and what ditadd writes for its sorting.
. "${0%/*}/bench_lib.sh"

entries=100000 most=100000 rounds=3 prefix=
while [ $# -gt 0 ]; do
	case $1 in
	--openldap27) prefix=${2:-} && shift ;;
	--entries) entries=${2:-} && shift ;;
	--slapadd-entries) most=${2:-} && shift ;;
	--rounds) rounds=${2:-} && shift ;;
	--dir) base=${2:-} && shift ;;
	--help) show_help && exit 0 ;;
	*) wrong_call "unknown option \"$1\"" ;;
	esac
	shift
done
check_list --entries "$entries" "$number"
check_list --slapadd-entries "$most" "$number"
check_list --rounds "$rounds" "$number"
ditcat=${DITCAT:-$builddir/ditcat}
need slapcat slapd
need_built "$ditadd" "$ditcat" "$ditgen" "$ditcheck" "$measure"
[ -z "$prefix" ] || need_built "$prefix/sbin/slapadd" "$prefix/sbin/slapcat"
make_work

# conf_of_2_7: the configuration of the new server
conf_of_2_7() {
	write_conf "$work/new" yes |
		if [ -n "$prefix" ]; then
			sed "s,/usr/lib/ldap,$prefix/libexec/openldap,
				s,$schema/,$prefix/etc/openldap/schema/,"
		else
			cat
		fi
}

# moved NAME COMMAND: runs a pipe into an empty directory; leaves its cost
moved() {
	rm -rf "$work/new"
	mkdir "$work/new"
	measured bash -o pipefail -c "$2"
	[ -s "$work/new/data.mdb" ] || die "$1: nothing was made: $(head -3 "$work/output")"
}

# line ENTRIES NAME WALL CPU TEMPORARY
line() {
	printf '| %s | %s | %s | %s | %s | %s |\n' "$1" "$2" "$3" "$4" "$5" \
		"$(($(stat -c %b "$work/new/data.mdb") / 2048))"
}

median() {
	sort -g | awk '{ list[NR] = $1 } END { print list[int((NR + 1) / 2)] }'
}

old="$ditcat -f $work/slapd.conf"
new="$ditadd -q --openldap=2.7 -f $work/new.conf"
write_conf "$work/db" yes >"$work/slapd.conf"
conf_of_2_7 >"$work/new.conf"
echo "| entries | move | wall s | cpu s | temporary MiB | new database MiB |"
echo "|---|---|---|---|---|---|"
for n in ${entries//,/ }; do
	empty_db
	"$ditgen" --entries "$n" --operational |
		"$ditadd" -q --openldap=2.5 -f "$work/slapd.conf" >"$work/load" 2>&1 ||
		die "the load failed: $(head -3 "$work/load")"
	for ((i = 0; i < rounds; i++)); do
		moved ditadd "$old | $new --stats"
		cost wall_s >>"$work/wall"
		cost cpu_s >>"$work/cpu"
		temp_written >>"$work/temporary"
	done
	"$ditcheck" --quick --database "$work/new" >"$work/check" ||
		die "the new database: $(head -3 "$work/check")"
	line "$n" "ditcat \\| ditadd" "$(median <"$work/wall")" "$(median <"$work/cpu")" \
		"$(($(median <"$work/temporary") / 1048576))"
	rm "$work/wall" "$work/cpu" "$work/temporary"
	[ -n "$prefix" ] && [ "$n" -le "$most" ] || continue
	"$prefix/sbin/slapcat" -f "$work/new.conf" | sha256sum >"$work/sum"
	moved slapadd "slapcat -f $work/slapd.conf | $prefix/sbin/slapadd -q -f $work/new.conf"
	line "$n" "slapcat \\| slapadd" "$(cost wall_s)" "$(cost cpu_s)" -
	"$prefix/sbin/slapcat" -f "$work/new.conf" | sha256sum | cmp - "$work/sum" ||
		die "slapadd made another database"
done
