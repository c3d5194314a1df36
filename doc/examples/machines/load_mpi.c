/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Open MPI: a load on many machines in one mpirun.
 *
 *   mpicc -o load_mpi load_mpi.c
 *   mpirun -n 4 --host n0,n1,n2,n3 load_mpi /srv/ditkit/step.sh a b c
 *
 * The first argument is the script of the steps, the others are the shards. Rank R of N
 * splits part R/N and builds the shards R, R + N, ... Between the steps all ranks tell
 * each other whether they have succeeded. All publish, or all abandon.
 *
 * If a rank dies, mpirun ends the others. Run it again: a shard that is published already
 * stays as it is.
 */
#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank;
static int nranks;

/** Runs `SCRIPT STEP ARGUMENT`. It ends when this rank ends. */
static bool run(const char *script, const char *step, const char *argument)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		execl(script, script, step, argument, (char *)NULL);
		perror(script);
		_exit(127);
	}
	if (child < 0 || waitpid(child, &status, 0) != child) {
		perror("load_mpi");
		return false;
	}
	if (status != 0) {
		fprintf(stderr, "rank %d: %s %s failed\n", rank, step,
		        argument);
	}
	return status == 0;
}

/** Whether every rank says yes; each rank waits here for all others. */
static bool all(bool mine)
{
	int yes = mine;
	int everyone = 0;

	MPI_Allreduce(&yes, &everyone, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	return everyone == 1;
}

/** Runs @p step for each shard of this rank. */
static bool on_my_shards(const char *step, int argc, char **argv)
{
	bool good = true;

	for (int i = 2 + rank; i < argc; i += nranks) {
		good = run(argv[1], step, argv[i]) && good;
	}
	return good;
}

/** Returns whether all shards were published. */
static bool load(int argc, char **argv)
{
	char part[32];

	snprintf(part, sizeof(part), "%d/%d", rank, nranks);
	if (!all(run(argv[1], "split", part))) {
		return false;
	}
	if (!all(on_my_shards("prepare", argc, argv))) {
		on_my_shards("abandon", argc, argv);
		return false;
	}
	return all(on_my_shards("publish", argc, argv));
}

int main(int argc, char **argv)
{
	bool good;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &nranks);
	if (argc < 3) {
		fprintf(stderr, "usage: load_mpi SCRIPT SHARD...\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	good = load(argc, argv);
	MPI_Finalize();
	return good ? 0 : 1;
}
