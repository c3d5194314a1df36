#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Slurm: one step, which is tried three times. Slurm itself repeats it when its machine fails.
#SBATCH --requeue
#SBATCH --kill-on-invalid-dep=yes
#SBATCH --open-mode=append
#SBATCH --output=%x-%A-%a.log
/srv/ditkit/step.sh "$@" && exit
status=$?
if [ "${SLURM_RESTART_COUNT:-0}" -lt 2 ] && scontrol requeue "$SLURM_JOB_ID"; then
	sleep 60 # until Slurm ends this try
fi
exit "$status"
