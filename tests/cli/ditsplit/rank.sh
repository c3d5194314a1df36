# Which part a process takes: --part, else what the engine says; two that disagree are told.
printf 'shard a\nbelow dc=example,dc=com to a\n' >map
printf 'dn: dc=example,dc=com\n\n' >in.ldif
split() { # split NAME=VALUE... -- OPTION...
	local names=()
	while [ "$1" != -- ]; do
		names+=("$1")
		shift
	done
	shift
	echo "${names[*]} $*"
	env "${names[@]}" "$DITSPLIT" -f slapd.conf --map map --output out --compress none \
		-l in.ldif --stats --progress none "$@" 2>&1 | grep -v '^a:'
}
unset "${!SLURM@}" "${!PMI@}" "${!OMPI@}" JOB_COMPLETION_INDEX
array='SLURM_ARRAY_TASK_COUNT=4 SLURM_ARRAY_TASK_MIN=10'
split --
split -- --part 1/3
split -- --parts 1
split -- --parts 3
split -- --part 3/3
split -- --part 1
split -- --part 1/2/3
split -- --part -1/2
split -- --part 0/2 --parts 3
# shellcheck disable=SC2086 # words
split $array SLURM_ARRAY_TASK_ID=12 --
# shellcheck disable=SC2086
split $array SLURM_ARRAY_TASK_ID=14 --
# shellcheck disable=SC2086
split $array SLURM_ARRAY_TASK_ID=9 --
# shellcheck disable=SC2086
split $array SLURM_ARRAY_TASK_ID=12 SLURM_PROCID=1 SLURM_NTASKS=2 --
for step in "STEP=3 SLURM_ARRAY_TASK_ID=16" "STEP=3 SLURM_ARRAY_TASK_ID=14" \
	"STEP=0 SLURM_ARRAY_TASK_ID=10"; do
	# shellcheck disable=SC2086
	split $array SLURM_ARRAY_TASK_$step --
done
one='SLURM_ARRAY_TASK_COUNT=1 SLURM_ARRAY_TASK_MIN=3 SLURM_ARRAY_TASK_ID=3'
# shellcheck disable=SC2086
split $one --
# shellcheck disable=SC2086
split $one -- --parts 1
# shellcheck disable=SC2086
split $one -- --parts 4
# shellcheck disable=SC2086
split $one -- --part 3/4
split SLURM_PROCID=1 SLURM_NTASKS=2 --
split SLURM_PROCID=0 SLURM_NTASKS=1 OMPI_COMM_WORLD_RANK=2 OMPI_COMM_WORLD_SIZE=3 --
split SLURM_PROCID=1 SLURM_NTASKS=2 PMI_RANK=1 PMI_SIZE=2 --
split SLURM_PROCID=1 SLURM_NTASKS=2 PMI_RANK=0 PMI_SIZE=2 --
split SLURM_PROCID=1 SLURM_NTASKS=2 PMI_RANK=0 PMI_SIZE=2 -- --part 0/2
split JOB_COMPLETION_INDEX=2 --
split JOB_COMPLETION_INDEX=2 -- --parts 5
split JOB_COMPLETION_INDEX=5 -- --parts 5
split JOB_COMPLETION_INDEX=x -- --parts 5
split PMI_RANK=0 PMI_SIZE=2 -- --parts 3
split PMI_RANK=0 --
