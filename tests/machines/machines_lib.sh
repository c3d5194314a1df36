# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause
# Sourced first by the scripts here, which run as root: a script starts itself again in
# namespaces of its own. There /srv/ditkit is a copy of doc/examples/machines, the network is
# loopback alone, with the names n0 to n9, and each process ends with the script.
#
#   DITADD, DITGEN, DIT_SRCDIR   as tests/local.mk sets them
#   ENTRIES                      of the input [what the script sets in $entries]
set -u
export LC_ALL=C
: "${DIT_SRCDIR:?}" "${DITADD:?}" "${DITGEN:?}"
entries=${ENTRIES:-$entries}
nfailed=0

if [ -z "${DIT_MACHINES-}" ]; then
	as_root=
	[ "$(id -u)" -eq 0 ] || as_root='--user --map-root-user'
	if ! unshare $as_root --mount --net --pid --fork true; then
		echo 'SKIPPED: no namespaces for this user' >&2
		exit 77
	fi
	DIT_MACHINES=$(mktemp -d "${TMPDIR:-/tmp}/ditkit-machines-XXXXXX") || exit 1
	export DIT_MACHINES
	chmod 755 "$DIT_MACHINES"
	unshare $as_root --mount --net --pid --fork --kill-child --mount-proc bash "$0" "$@" &
	trap 'kill -9 $!' INT TERM HUP
	wait $!
	status=$?
	rm -rf "$DIT_MACHINES"
	exit $status
fi
work=$DIT_MACHINES
PATH=$(dirname "$DITADD"):/usr/sbin:/usr/bin:/sbin:/bin
export PATH

set_up() {
	local node
	mount --make-rshared /
	ip link set lo up
	mkdir "$work/srv" "$work/srv/ditkit"
	mount --bind "$work/srv" /srv
	mount -t tmpfs -o mode=755 none /run
	cp -R "$DIT_SRCDIR"/doc/examples/machines/. /srv/ditkit
	cp /etc/hosts "$work/hosts"
	for node in 0 1 2 3 4 5 6 7 8 9; do
		ip address add "192.0.2.1$node/32" dev lo
		echo "192.0.2.1$node n$node" >>"$work/hosts"
	done
	mount --bind "$work/hosts" /etc/hosts
	mkdir /srv/ditkit/ldif
	reset_load
}

# reset_load: nothing is split, prepared or published
reset_load() {
	rm -rf /srv/ditkit/db /srv/ditkit/parts
	mkdir -p /srv/ditkit/db/a /srv/ditkit/db/b /srv/ditkit/db/c /srv/ditkit/parts
	rm -f /srv/ditkit/*.log
}

fail() {
	nfailed=$((nfailed + 1))
	echo "FAILED: $*" >&2
}

finish() {
	[ "$nfailed" -eq 0 ] || exit 1
	exit 0
}

# check NAME COMMAND...: its output is shown only if it fails
check() {
	local name=$1
	shift
	if "$@" >"$work/check.out" 2>&1; then
		echo "ok: $name"
	else
		fail "$name"
		tail -n 40 "$work/check.out" >&2
		return 1
	fi
}

# refused NAME TEXT COMMAND...: the command fails, and says TEXT (a regular expression)
refused() {
	local name=$1 text=$2
	shift 2
	if "$@" >"$work/check.out" 2>&1; then
		fail "$name: not refused"
	elif ! grep -Eq -- "$text" "$work/check.out"; then
		fail "$name: refused in other words"
		tail -n 20 "$work/check.out" >&2
	else
		echo "ok: $name: $(grep -Eom1 -- "$text" "$work/check.out")"
	fi
}

# soon COMMAND...: it succeeds within some minutes
soon() {
	local try
	for ((try = 0; try < 3000; try++)); do
		if "$@" >/dev/null 2>&1; then
			return
		fi
		sleep 0.1
	done
	fail "never: $*"
	return 1
}

# make_input: people directly below ou=People, groups of 50 of them; three plain files, one packed.
make_input() {
	local out=/srv/ditkit/ldif
	"$DITGEN" --entries "$entries" --seed 1 | awk -v n="$entries" -v out=$out '
	BEGIN {
		RS = ""
		ORS = "\n\n"
		pack = "zstd -q >" out "/3.ldif.zst"
		base = "ou=Groups,dc=example,dc=com"
		print "dn: " base "\nobjectClass: organizationalUnit\nou: Groups" >out "/4.ldif"
	}
	/^dn: uid=/ {
		sub(/,ou=[^,]*,ou=People/, ",ou=People")
		dn = substr($0, 5, index($0, "\n") - 5)
		if (people++ % 50 == 0) {
			if (people > 1) {
				print group >out "/4.ldif"
			}
			group = "dn: cn=group " people "," base "\nobjectClass: groupOfNames\n" \
				"cn: group " people
		}
		group = group "\nmember: " dn
	}
	NR * 4 > n * 3 { print | pack; next }
	{ print >out (NR * 2 > n ? "/2.ldif" : "/1.ldif") }
	END { print group >out "/4.ldif" }'
}

# content DIRECTORY: the digest in the manifest of what was prepared there
content() {
	python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["content"])' \
		"$1/ditkit-prepared/manifest.json"
}

# text CONF...: the entries of these databases, a sorted line for each, without what differs
# between two loads
text() {
	local conf
	for conf; do
		ditcat -f "$conf" -o ldif-wrap=no
	done | awk 'BEGIN { RS = ""; FS = "\n"; OFS = "\t" }
		{
			line = ""
			for (i = 1; i <= NF; i++) {
				if ($i !~ /^(entryUUID|entryCSN|contextCSN|(create|modify)Timestamp):/) {
					line = line $i OFS
				}
			}
			print line
		}' | sort -u -T "$work"
}

# load_one: the reference; everything on one machine, and what all shards have alone
load_one() {
	local name
	for name in one shared; do
		mkdir -p "/srv/$name"
		sed "s#/srv/ditkit/db/a#/srv/$name#" /srv/ditkit/slapd-a.conf >"/srv/$name.conf"
	done
	mkdir /srv/shared.ldif
	zcat -f /srv/ditkit/ldif/1.ldif |
		awk 'BEGIN { RS = ""; ORS = "\n\n" } NR <= 2 { print } NR == 2 { exit }' \
			>/srv/shared.ldif/1.ldif
	check "load of everything on one machine" \
		ditadd --prepare -q -w -f /srv/one.conf -l /srv/ditkit/ldif
	check "load of what all shards have" \
		ditadd --prepare -q -w -f /srv/shared.conf -l /srv/shared.ldif
	check "publication on one machine" ditadd --publish -f /srv/one.conf
	text /srv/one.conf >"$work/one.text"
}

# sums_agree: the digests of the shards are those of one machine, shared entries thrice
sums_agree() {
	python3 - "$(content /srv/one)" "$(content /srv/shared)" \
		"$(content /srv/ditkit/db/a)" "$(content /srv/ditkit/db/b)" \
		"$(content /srv/ditkit/db/c)" <<-'END'
	import sys
	one, shared, a, b, c = (int(word, 16) for word in sys.argv[1:])
	print("one %032x, shards %032x" % (one, (a + b + c - 2 * shared) % 2**128))
	sys.exit(one != (a + b + c - 2 * shared) % 2**128)
	END
}

# is_whole: all shards are published, sound, and together what one machine has loaded, by the
# digests and by the text of all entries
is_whole() {
	local shard
	for shard in a b c; do
		[ -e /srv/ditkit/db/$shard/data.mdb ] || return
		ditcheck -f /srv/ditkit/slapd-$shard.conf || return
	done
	sums_agree && text /srv/ditkit/slapd-[abc].conf | cmp - "$work/one.text"
}

# nothing_published: no shard has a database
nothing_published() {
	! ls /srv/ditkit/db/*/data.mdb
}

# --- engines ----------------------------------------------------------------------

# start_node N: its slurmd in a namespace; the kill of ${node[N]} ends all its processes
declare -A node
start_node() {
	unshare --mount --propagation slave --pid --fork --kill-child --mount-proc \
		slurmd -D -N "n$1" 2>/dev/null &
	node[$1]=$!
}

start_controller() {
	slurmctld -D 2>/dev/null &
	controller=$!
}

start_slurm() {
	local host i
	host=$(hostname -s)
	install -d -m 755 -o munge /run/munge
	head -c 128 /dev/urandom >"$work/munge.key"
	chown munge "$work/munge.key"
	chmod 400 "$work/munge.key"
	setpriv --reuid munge --regid munge --clear-groups munged --force \
		--key-file="$work/munge.key" --seed-file=/run/munge/seed \
		--log-file=/run/munge/log || exit 1
	mkdir "$work/slurm"
	export SLURM_CONF=$work/slurm/slurm.conf
	cat >"$SLURM_CONF" <<-END
	ClusterName=machines
	SlurmctldHost=$host(127.0.0.1)
	SlurmUser=root
	AuthInfo=cred_expire=5
	CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	ReturnToService=2
	SlurmctldPidFile=$work/slurm/slurmctld.pid
	SlurmctldLogFile=$work/slurm/slurmctld.log
	SlurmdPidFile=$work/slurm/%n.pid
	SlurmdLogFile=$work/slurm/%n.log
	SlurmdSpoolDir=$work/slurm/%n
	StateSaveLocation=$work/slurm/state
	SlurmdTimeout=5
	KillWait=2
	SchedulerParameters=sched_interval=1,batch_sched_delay=0
	PartitionName=all Nodes=n[0-3] Default=YES State=UP
	END
	mkdir "$work/slurm/state"
	for i in 0 1 2 3; do
		echo "NodeName=n$i NodeHostname=$host NodeAddr=127.0.0.1 Port=$((17001 + i))" \
			>>"$SLURM_CONF"
	done
	start_controller
	for i in 0 1 2 3; do
		start_node $i
	done
	soon nodes_are_idle || tail -n 20 "$work/slurm/slurmctld.log" >&2
}

nodes_are_idle() {
	[ "$(sinfo -h -N -t idle | grep -c n)" -eq 4 ]
}

# slurm_ends: no job runs, and none will
slurm_ends() {
	local jobs
	until jobs=$(squeue -h -o '%T %r') && { [ -z "$jobs" ] ||
		awk '!/^PENDING/ { runs = 1 } /held/ { held = 1 } END { exit runs || !held }' \
			<<<"$jobs"; }; do
		sleep 0.2
	done 2>/dev/null
}

# printed HEADING: runs the commands that the README has there
printed() {
	awk -v heading="$1" '/^```/ { block = !block; next }
		block && on
		!block && /^#/ { on = substr($0, match($0, / /) + 1) == heading }' /srv/ditkit/README.md >"$work/printed"
	[ -s "$work/printed" ] && bash -eu "$work/printed"
}

# Each of these returns when its load has ended.
run_slurm() {
	printed Slurm && slurm_ends && published
}
run_mpi() {
	# More ranks than processors, as root, on one machine.
	OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_oob_tcp_if_include=lo \
		OMPI_MCA_rmaps_base_oversubscribe=1 printed "Open MPI"
}
run_ssh() {
	printed ssh
}
run_parallel() {
	printed "GNU parallel"
}

# start_sshd NODE...: the server of each node on its own address. With a directory $work/NODE
# that is its /srv/ditkit/db.
start_sshd() {
	local dir=$work/ssh node
	mkdir -p "$dir" /run/sshd
	if [ ! -e "$dir/config" ]; then
		ssh-keygen -q -t ed25519 -N '' -f "$dir/host"
		ssh-keygen -q -t ed25519 -N '' -f "$dir/user"
		printf 'LogLevel ERROR\nStrictHostKeyChecking no\nUserKnownHostsFile %s\nIdentityFile %s\n' \
			"$dir/known" "$dir/user" >"$dir/config"
		mount --bind "$dir/config" /etc/ssh/ssh_config
	fi
	for node; do
		unshare --mount --propagation slave sh -c '[ ! -d "$0" ] || mount --bind "$0" /srv/ditkit/db; exec "$@"' \
			"$work/$node" "$(command -v sshd)" -f /dev/null -h "$dir/host" \
			-o PidFile=none -o "AuthorizedKeysFile=$dir/user.pub" \
			-o StrictModes=no -o "SetEnv=PATH=$PATH" -o "ListenAddress=$node"
	done
}

# --- servers ----------------------------------------------------------------------

servers=()
# start_slapd NODE CONF [ssh NODE]: on the node's address; returns when it answers
start_slapd() {
	"${@:3}" slapd -d stats,stats2 -h "ldap://$1" -f "$2" 2>"$work/$1.log" &
	servers+=($!)
	while kill -0 $!; do
		if ldapsearch -x -H "ldap://$1" -s base -b '' 1.1 >/dev/null; then
			return
		fi
		sleep 0.1
	done 2>/dev/null
	fail "the slapd of $2 does not start"
	tail -n 20 "$work/$1.log" >&2
	return 1
}

# published: every shard is
published() {
	[ "$(find /srv/ditkit/db -name data.mdb -path '*/db/?/data.mdb' | wc -l)" -eq 3 ]
}

set_up
