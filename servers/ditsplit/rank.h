/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which part a process takes, as the engine that started it says in the environment.
 *
 *   Slurm, an array   (SLURM_ARRAY_TASK_ID - _MIN) / _STEP   SLURM_ARRAY_TASK_COUNT
 *   Slurm             SLURM_PROCID                           SLURM_NTASKS
 *   Kubernetes        JOB_COMPLETION_INDEX                   --parts
 *   Open MPI          OMPI_COMM_WORLD_RANK                   OMPI_COMM_WORLD_SIZE
 *   PMI               PMI_RANK                               PMI_SIZE
 *
 * A single task of Slurm says nothing: a shell in an allocation is one.
 */
#ifndef DITSPLIT_RANK_H
#define DITSPLIT_RANK_H

#define RANK_WHY_BYTES 512

/** Part @p number of @p n, from 0. */
struct rank {
	unsigned number;
	unsigned n;
};

/**
 * Read "R/N".
 *
 * @return 0 or -1
 */
int rank_read(const char *text, struct rank *ret);

/**
 * Ask the environment.
 *
 * @param nparts  of --parts; 0: not given
 * @param why     RANK_WHY_BYTES: on failure what is wrong, and what to do
 *
 * @return 0; with nparts 0 and no engine part 0 of 1. -1
 */
int rank_find(unsigned nparts, struct rank *ret, char *why);

#endif
