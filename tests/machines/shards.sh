#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The steps of a load on many machines without an engine: 4 parts into 3 shards, which together
# are what one machine loads. A step that fails says why, nothing is published, and the load is
# whole when the step was repeated.
entries=3000
. "$(dirname "$0")/machines_lib.sh"

step() {
	/srv/ditkit/step.sh "$@"
}

all_shards() { # all_shards STEP
	step "$1" a && step "$1" b && step "$1" c
}

split_all() {
	step split 0/4 && step split 1/4 && step split 2/4 && step split 3/4
}

prepare_all() {
	reset_load
	check "split" split_all
	check "preparation" all_shards prepare
}

publish_all() {
	check "publication" all_shards publish
	check "it is whole" is_whole
}

ranks_of_engines() {
	reset_load
	rmdir /srv/ditkit/db/a
	check "a machine without a shard splits" step split 0/4
	mkdir /srv/ditkit/db/a
	check "Slurm's rank" env SLURM_ARRAY_TASK_ID=0 SLURM_ARRAY_TASK_COUNT=4 \
		/srv/ditkit/step.sh split
	refused "a task of Slurm alone" '.* says that there are 1 parts.*' \
		env SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_MIN=3 SLURM_ARRAY_TASK_COUNT=1 \
		/srv/ditkit/step.sh split
	check "Kubernetes' rank" env JOB_COMPLETION_INDEX=1 /srv/ditkit/step.sh split
	check "Open MPI's rank" env OMPI_COMM_WORLD_RANK=2 OMPI_COMM_WORLD_SIZE=4 \
		/srv/ditkit/step.sh split
	refused "two engines" 'ditsplit: .*' env OMPI_COMM_WORLD_RANK=2 OMPI_COMM_WORLD_SIZE=4 \
		SLURM_ARRAY_TASK_ID=0 SLURM_ARRAY_TASK_COUNT=4 /srv/ditkit/step.sh split
	check "a rank that is told" step split 3/4
	for shard in 0 1 2; do
		check "shard $shard" env JOB_COMPLETION_INDEX=$shard /srv/ditkit/step.sh prepare
	done
	publish_all
	check "the steps again" all_shards prepare
	publish_all
}

full_disk() {
	reset_load
	check "split" split_all
	mount -t tmpfs -o size=300k,mode=755 none /srv/ditkit/db/b
	check "shard a" step prepare a
	refused "a full disk on one node" 'No space left on device' step prepare b
	check "nothing is published" nothing_published
	mount -o remount,size=1g /srv/ditkit/db/b
	check "preparation with more space" all_shards prepare
	publish_all
	umount /srv/ditkit/db/b
}

short_part() {
	local part
	reset_load
	check "split" split_all
	part=$(echo /srv/ditkit/parts/a/part-2-of-4.ldif*[!8])
	truncate -s -7 "$part"
	refused "a part that ends short" 'part-2-of-4.*' step prepare a
	check "nothing is prepared" test ! -e /srv/ditkit/db/a/ditkit-prepared/manifest.json
	refused "nothing is prepared for a" '.*nothing.*' step publish a
	rm "$part"
	refused "a part that is missing" 'part-2-of-4.*|part 2.*' step prepare a
	check "the part is made again" step split 2/4
	check "preparation" all_shards prepare
	publish_all
}

# A host is a place for db; copies.sh in this folder has real ones.
other_shard() {
	refused "a shard that site.sh does not have" '.*has no shard x' step prepare x
	sed -i "s/^SHARDS=.*/SHARDS='a:n1 x64:n2'/" /srv/ditkit/site.sh
	mkdir /srv/ditkit/db/x64
	check "one of 64" step status x64
}

copies_again() {
	mkdir -p "$work/bin" "$work/n4/a" "$work/n5/a"
	cat >"$work/bin/ssh" <<-END
		#!/bin/sh
		place=$work/\$3
		shift 3
		exec unshare --mount sh -c "mount --bind \$place /srv/ditkit/db && exec \$*"
	END
	cat >"$work/bin/rsync" <<-END
		#!/bin/sh
		[ \$# -eq 3 ] || { shift && left_out=manifest.json; }
		to=$work/\${3%%:*}/a/ditkit-prepared
		mkdir -p "\$to"
		find "\$2" -type f ! -name "\${left_out-}" -exec cp -p {} "\$to/" \;
	END
	chmod +x "$work"/bin/*
	prepare_all
	PATH=$work/bin:$PATH check "a copy" /srv/ditkit/copies.sh n4
	PATH=$work/bin:$PATH check "copies again, after a kill" /srv/ditkit/copies.sh n4 n5
	check "publication" step publish a
	for host in n4 n5; do
		check "the copy on $host" cmp "$work/$host/a/data.mdb" /srv/ditkit/db/a/data.mdb
	done
}

# twice STEP...: two of them at once; one may be refused, not both
twice() {
	local other status
	step "$@" &
	other=$!
	step "$@"
	status=$?
	wait $other || [ $status -eq 0 ]
}

same_rank_twice() {
	local part step shard
	reset_load
	for part in 0 1 2 3; do
		check "part $part/4 twice at once" twice split $part/4
	done
	for step in prepare publish; do
		for shard in a b c; do
			check "$step $shard twice at once" twice $step $shard
		done
	done
	check "it is whole" is_whole
}

mixed_up() {
	prepare_all
	mv /srv/ditkit/db/a/ditkit-prepared/manifest.json "$work/manifest"
	mv /srv/ditkit/db/b/ditkit-prepared/manifest.json /srv/ditkit/db/a/ditkit-prepared
	mv "$work/manifest" /srv/ditkit/db/b/ditkit-prepared/manifest.json
	refused "another shard's manifest" 'damaged.*|digest.*' \
		ditadd --publish -f /srv/ditkit/slapd-a.conf
	refused "this shard's manifest elsewhere" 'damaged.*|digest.*' \
		ditadd --publish -f /srv/ditkit/slapd-b.conf
	check "nothing is published" nothing_published
	check "both are prepared again" all_shards prepare
	mv /srv/ditkit/db/a/ditkit-prepared "$work"
	mv /srv/ditkit/db/b/ditkit-prepared /srv/ditkit/db/a
	refused "all that another shard has prepared" 'prepared for another directory.*' step publish a
	check "nothing of it is published" nothing_published
	check "both are prepared again" all_shards prepare
	publish_all
}

abandoned() {
	prepare_all
	check "all are abandoned" all_shards abandon
	check "nothing is published" nothing_published
	check "nothing is left" test -z "$(ls /srv/ditkit/db/*/ditkit-prepared 2>&1 | grep mdb)"
	check "preparation again" all_shards prepare
	publish_all
}

make_input
load_one
ranks_of_engines
full_disk
short_part
same_rank_twice
mixed_up
abandoned
copies_again
other_shard
finish
