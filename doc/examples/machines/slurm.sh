#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Slurm: submits a load and prints the numbers of its jobs. The prepared shards are published
# if all of them are prepared; else nothing is, and Slurm cancels the jobs that would do it.
# After a job has failed for good, mend the cause and submit the load again.
set -eu
cd "$(dirname "$0")"
. ./site.sh

split=$(sbatch --parsable --array="0-$((NPARTS - 1))" slurm-step.sh split)
echo "split    $split"
prepared=
for shard in $SHARDS; do
	job=$(sbatch --parsable --nodelist="${shard#*:}" --dependency="afterok:$split" \
		slurm-step.sh prepare "${shard%:*}")
	echo "prepare  $job"
	prepared=$prepared:$job
done
for shard in $SHARDS; do
	job=$(sbatch --parsable --nodelist="${shard#*:}" --dependency="afterok$prepared" \
		slurm-step.sh publish "${shard%:*}")
	echo "publish  $job"
done
