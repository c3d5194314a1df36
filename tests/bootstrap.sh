#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# bootstrap, in every order of its commands: what was configured before a package was
# installed is configured again, and "check" fails when a suite did not run. Everything
# that takes time is made up here: packages are lines of a file, configure writes a
# makefile of a few lines, and a test program is a result next to a log.
set -u
: "${DIT_SRCDIR:?}"

work=$(mktemp -d "${TMPDIR:-/tmp}/ditkit-bootstrap-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
nfailed=0

# Real commands by name, so that what is not named here is not found.
mkdir -p "$work/bin"
for tool in awk bash cat chmod dirname env find grep head make mkdir nproc renice rm sed sh sort \
	tail tr xargs; do
	ln -s "$(command -v $tool)" "$work/bin/$tool"
done
# stub NAME: a program whose text comes from standard input
stub() {
	{ echo '#!/bin/sh' && cat; } >"$work/bin/$1"
	chmod +x "$work/bin/$1"
}
stub id <<<'echo 0'
stub dpkg-query <<'END'
for name; do :; done
grep -qx "$name" packages || exit 1
case $3 in
*Version*) echo "$name 1" ;;
*) printf '%s' 'install ok installed' ;;
esac
END
stub apt-get <<'END'
[ "$1" = install ] || exit 0
for name; do
	case $name in install | -*) ;; *) echo "$name" >>packages ;; esac
done
END
for tool in slapadd slapcat slapindex slapd ldapsearch ldapmodify mdb_dump mdb_load \
	mdb_stat c++ pgrep strace zstd xz bzip2 lowdown mandoc zsh systemd-analyze; do
	stub $tool <<<:
done

# make_tree: bootstrap, and a configure that knows test programs only with cmocka
make_tree() {
	rm -rf "$work/tree"
	mkdir -p "$work/tree/tests"
	cp "$DIT_SRCDIR/bootstrap" "$work/tree/"
	cp "$DIT_SRCDIR/tests/tally.sh" "$work/tree/tests/"
	: >"$work/tree/packages"
	: >"$work/tree/configure.ac"
	: >"$work/tree/Makefile.in"
	cat >"$work/tree/configure" <<'END'
#!/bin/sh
echo "${PWD##*/}" >>../configured
programs=
if grep -qx libcmocka-dev ../packages; then programs='one two'; fi
cat >Makefile <<MAKEFILE
RUN = $programs
all:
	@for tool in ditadd ditcheck; do printf '#!/bin/sh\n' >\$\$tool; chmod +x \$\$tool; done
build-unit build-threads:
check check-unit check-threads:
	@for p in \$(RUN); do echo ':global-test-result: PASS' >\$\$p.trs; : >\$\$p.log; done
list-check list-check-unit list-check-threads:
	@test -n '$programs' && echo $(printf '%s.log ' $programs)
MAKEFILE
END
	chmod +x "$work/tree/configure"
}

# run STATUS COMMAND...: in the tree
run() {
	local status=$1 got
	shift
	(cd "$work/tree" && PATH=$work/bin "$@") >"$work/out" 2>&1
	got=$?
	[ $got -eq "$status" ] && return
	echo "FAILED: $*: exit status $got" >&2
	sed 's/^/    /' "$work/out" >&2
	nfailed=$((nfailed + 1))
}

# expect NAME EXPECTED GOT
expect() {
	[ "$2" = "$3" ] && return
	echo "FAILED: $1: expected '$2', got '$3'" >&2
	nfailed=$((nfailed + 1))
}

# configured: how often build was, so far
configured() {
	grep -cx build "$work/tree/configured"
}

# The README's order: the tests' packages come after the first configure.
make_tree
run 0 ./bootstrap demo
expect 'demo configures' 1 "$(configured)"
run 0 ./bootstrap check
expect 'check configures again' 2 "$(configured)"
expect 'check counts three suites' '6 passed, 0 failed, 0 skipped' "$(tail -n 1 "$work/out")"
run 0 ./bootstrap check
run 0 ./bootstrap demo
run 0 ./bootstrap build
expect 'nothing new, nothing configured' 2 "$(configured)"

make_tree
run 0 ./bootstrap check
expect 'check alone configures once' 1 "$(configured)"
expect 'check alone counts three suites' '6 passed, 0 failed, 0 skipped' \
	"$(tail -n 1 "$work/out")"
run 0 ./bootstrap demo
expect 'demo after check configures nothing' 1 "$(configured)"

# A program that did not run, in the main suite.
run 1 env CHECK_ARGUMENTS=RUN=one ./bootstrap check
expect 'a suite that ran fewer programs' '5 passed, 1 failed, 0 skipped' \
	"$(tail -n 1 "$work/out")"

# A package of the tests, installed by hand.
make_tree
run 0 ./bootstrap build
echo libcmocka-dev >>"$work/tree/packages"
run 0 ./bootstrap build
expect 'a package installed by hand' 2 "$(configured)"

# A tool that its package did not bring.
rm "$work/bin/strace"
run 1 ./bootstrap check
expect 'a missing tool' 'strace is missing, though its package is installed' \
	"$(tail -n 1 "$work/out")"

echo "${0##*/}: $nfailed failed"
[ $nfailed -eq 0 ]
