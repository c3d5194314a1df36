#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The page of figures: everything that README.md and the guide say about speed, measured by
# one call on one machine, and printed as Markdown. The other scripts do the work; their
# output goes to standard error.
#
#   figures.sh [--rounds N] [--scale N] [--threads LIST] [--large N] [--dir DIR]
#
#   --rounds N      runs of each; medians count (5)
#   --scale N       all sizes divided by N: to try the script (1)
#   --threads LIST  numbers of threads in the tables of threads (1,2,4,8,16)
#   --large N       also load a file of N entries, with --memory 256M, 1G and the default,
#                   once each; 6 KiB of disk for each entry
#   --dir DIR       where to work, on the disk to be measured: 10 GiB ($TMPDIR, /tmp)
#
# A quiet machine is needed for some 20 minutes, more with --large. Everything runs with 2
# threads, the tables of threads aside. slapd's tool and ditkit take turns. A ratio is that
# of two runs of one turn; a table shows the median, the lowest and the highest one. The
# instructions are counted by valgrind, if it is there.
. "${0%/*}/bench_lib.sh"

rounds=5 scale=1 threads=1,2,4,8,16 huge=0
while [ $# -gt 0 ]; do
	case $1 in
	--rounds) rounds=${2:-} && shift ;;
	--scale) scale=${2:-} && shift ;;
	--threads) threads=${2:-} && shift ;;
	--large) huge=${2:-} && shift ;;
	--dir) base=${2:-} && shift ;;
	--help) show_help && exit 0 ;;
	*) wrong_call "unknown option \"$1\"" ;;
	esac
	shift
done
check_list --rounds "$rounds" "$number"
check_list --scale "$scale" "$number"
check_list --threads "$threads" "$number"
check_list --large "$huge" '[0-9]+'
[ "$scale" -le 1000 ] || wrong_call "--scale: 1000 at most"
need slapadd slapd dd coreutils
need_built "$ditadd" "$ditgen" "$measure"
make_work
small=$((100000 / scale))
large=$((1000000 / scale))
present=$((180000 / scale))
added=$((20000 / scale))
half=$((2048 / scale))

# part NAME SCRIPT OPTION...: the figures of another script, in $work/NAME.tsv
part() {
	echo "$(date +%T) $*" >&2
	"${0%/*}/$2" --dir "$work" --tsv "$work/$1.tsv" --rounds "$rounds" "${@:3}" >&2 ||
		die "failed: $*"
}

# kib_s COMMAND...: KiB a second of a run that moves twice $half pieces of 512 KiB
kib_s() {
	measured "$@"
	awk -v n=$((2 * half)) -v wall="$(cost wall_s)" 'BEGIN { printf "%.0f\n", n * 512 / wall }'
}

# measure_disk: sets write_kib_s, two_kib_s, read_kib_s
measure_disk() {
	local to='dd if=/dev/zero bs=512K oflag=direct of='
	echo "$(date +%T) the disk" >&2
	settle
	write_kib_s=$(kib_s sh -c "$to$work/disk count=$((2 * half))") || exit
	read_kib_s=$(kib_s dd if="$work/disk" of=/dev/null bs=512K iflag=direct) || exit
	rm "$work/disk"
	settle
	two_kib_s=$(kib_s sh -c "$to$work/disk count=$half &
		$to$work/disk2 count=$half; wait") || exit
	rm "$work/disk" "$work/disk2"
	settle
}

# count_instructions: of a load of $added entries by one thread, to $instructions
count_instructions() {
	echo "$(date +%T) instructions" >&2
	write_conf "$work/db" yes >"$work/slapd.conf"
	"$ditgen" --entries $added >"$work/input.ldif" || die "the generator failed"
	empty_db
	measured valgrind --tool=callgrind --callgrind-out-file=/dev/null "$ditadd" -q -T 1 \
		-f "$work/slapd.conf" -l "$work/input.ldif"
	instructions=$(awk '/ Collected : / { print $NF }' "$work/errors")
	[ -n "$instructions" ] || die "valgrind counted nothing"
}

measure_disk
part small bench.sh --entries $small --index yes,no --threads 2
part large bench.sh --entries $large --threads 2 --slapadd-rounds 0
part export export.sh --entries $large --threads 2 --to pipe,file,check
part index index.sh --entries $small --index mail --threads 2 --slapindex-rounds "$rounds"
part merge merge.sh --entries $present --add $added --threads 2 --slapadd-rounds "$rounds"
part threads bench.sh --entries $small --threads "$threads" --slapadd-rounds 0
: >"$work/huge.tsv"
[ "$huge" -eq 0 ] || part huge bench.sh --entries "$huge" --threads 2 --slapadd-rounds 0 \
	--memory 256M,1G,default --rounds 1
instructions=-1
if command -v valgrind >/dev/null; then
	count_instructions
fi

printf '# Figures\n\n'
describe
echo "- \`${0##*/} --rounds $rounds --scale $scale --threads $threads --large $huge\`"
[ "$scale" -eq 1 ] || echo "- all sizes are $scale times too small for the targets"
awk -v mode=none -v small=$small -v large=$large -v present=$present -v added=$added \
	-v huge="$huge" -v write_kib_s="$write_kib_s" -v two_kib_s="$two_kib_s" \
	-v read_kib_s="$read_kib_s" -v mib=$half -v instructions="$instructions" \
	-f "${0%/*}/bench_report.awk" -f "${0%/*}/figures_report.awk" \
	"$work"/{small,large,export,index,merge,huge}.tsv
report threads "$work/threads.tsv"
printf '\n## Loads\n'
for name in small large huge; do
	[ ! -s "$work/$name.tsv" ] || report tables "$work/$name.tsv"
done
