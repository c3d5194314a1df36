#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Pack the benchmark for another machine: one archive with ditadd, the generator, the
# comparison, the measuring programs, every shared library they use and the loader, the
# schema files, and bundle_run.sh as run.sh.
#
#   bundle.sh ARCHIVE.tar.gz
#
# There it needs Linux on x86-64 of any age that the packed C library still accepts, bash,
# awk, sed and the usual small programs; no package, no network, no root:
#
#   tar xzf ditkit-bench.tar.gz && ditkit-bench/run.sh --help
. "${0%/*}/bench_lib.sh"

case ${1-} in
--help) show_help && exit ;;
-*) wrong_call "$1?" ;;
esac
[ $# -eq 1 ] || wrong_call "one argument: the archive to write"
archive=$(realpath -m "$1")
source=$(realpath "${0%/*}")
need ldd libc-bin "$mdb_stat" lmdb-utils tar tar
need_built "$ditadd" "$ditgen" "$ditcheck" "$measure"
make_work
top=$work/ditkit-bench
mkdir -p "$top/bin" "$top/programs" "$top/lib" "$top/schema"

# libraries PROGRAM: the files it is linked with, the loader among them
libraries() {
	ldd "$1" | awk '{ for (i = 1; i <= NF; i++) if ($i ~ /^\//) print $i }'
}

# add_program PATH: the program, its libraries, and a starter of the same name
add_program() {
	local name=${1##*/} library
	cp "$1" "$top/programs/$name" || die "cannot copy $1"
	for library in $(libraries "$1"); do
		cp -L "$library" "$top/lib/" || die "cannot copy $library"
	done
	cat >"$top/bin/$name" <<-'END'
		#!/bin/sh
		top=${0%/*}/..
		exec "$top/lib/ld-linux-x86-64.so.2" --library-path "$top/lib" \
			"$top/programs/${0##*/}" "$@"
	END
	chmod +x "$top/bin/$name"
}

for program in "$ditadd" "$ditgen" "$ditcheck" "$measure" "$(command -v "$mdb_stat")"; do
	add_program "$program"
done
[ -x "$top/lib/ld-linux-x86-64.so.2" ] || die "this is not a Linux with glibc on x86-64"
for name in core cosine nis inetorgperson; do
	cp "$schema/$name.schema" "$top/schema/" || die "no schema files in $schema"
done
cp "$source/bench.sh" "$source/bench_lib.sh" "$source/bench_report.awk" "$top/"
cp "$source/bundle_run.sh" "$top/run.sh"
chmod +x "$top/run.sh" "$top/bench.sh"
tar -C "$work" -czf "$archive" --owner=0 --group=0 ditkit-bench || die "cannot write $archive"
echo "$archive: $(wc -c <"$archive") bytes, $(find "$top/lib" -type f | wc -l) libraries"
