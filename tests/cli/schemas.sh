#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The JSON that the tools print follows the schemas of doc/schemas, which name each member.
. "${0%/*}/figures_lib.sh"
: "${DITADD:?}" "${DITCHECK:?}" "${DITDIFF:?}" "${DITGEN:?}" "${DITINDEX:?}" "${DITMODIFY:?}"
command -v python3 >/dev/null || skip 'no python3 (Debian: python3)'

# follows KIND FILE...
follows() {
	check "$*" python3 "$DIT_SRCDIR/tests/cli/schemas.py" "$DIT_SRCDIR/doc/schemas" "$@"
}

# ends STATUS COMMAND...
ends() {
	local wanted=$1
	shift
	"$@" 2>err
	is "$*" $? "$wanted"
}

mkdir db none prepared
sed "s,@SCHEMA@,$schema,; s,@DB@,$work/db," "$DIT_TEST_DATA/conf/bench.conf" >conf
sed "s,$work/db,$work/prepared," conf >prepared.conf
"$DITGEN" --entries 500 --operational >people.ldif || exit 1
{
	cat people.ldif
	printf '\ndn: cn=a,dc=example,dc=com\nobjectClass: person\ncn: a\nsn: a\nnonsense: 1\n'
} >bad.ldif
printf '%s\n' 'dn: ou=People,dc=example,dc=com' 'changetype: modify' 'add: description' \
	'description: x' >changes.ldif
for ((n = 0; n < 200; n++)); do echo '(carLicense=a)'; done >filters

ends 0 "$DITADD" -f conf -l people.ldif --estimate=json >estimate.json
ends 1 "$DITADD" -q -f conf -l bad.ldif --stats=failed.json
ends 0 "$DITADD" -q -c -f conf -l bad.ldif --stats=load.json --progress=json
grep '^{' err >progress.json
ends 0 "$DITADD" -u -f conf -l people.ldif --stats=dry.json
ends 0 "$DITADD" --if-empty -q -f conf -l people.ldif --stats=unneeded.json
ends 0 "$DITINDEX" -f conf --estimate=json >estimate-index.json
ends 0 "$DITINDEX" -f conf --stats=index.json
ends 0 "$DITINDEX" --online -f conf cn --stats=online.json
cp db/data.mdb none/
ends 0 "$DITDIFF" --digest -f conf >digest.json
ends 0 "$DITMODIFY" -u -f conf -l changes.ldif --stats=tried.json
ends 0 "$DITMODIFY" -f conf -l changes.ldif --stats=changes.json
ends 1 "$DITDIFF" --json -f conf people.ldif >difference.json
ends 1 "$DITDIFF" --json -f conf digest.json >digests.json
ends 1 "$DITCHECK" --compare --json none db >comparison.json
ends 0 "$DITCHECK" --json -f conf >check.json
ends 0 "$DITCHECK" --stats --json -f conf --filter-log=filters >sizes.json
ends 0 "$DITADD" --prepare -q -f prepared.conf -l people.ldif --stats=prepared-load.json
ends 0 "$DITADD" --status --json -f prepared.conf >prepared.json
cp prepared/ditkit-prepared/manifest.json .
ends 0 "$DITADD" --publish -f prepared.conf
ends 0 "$DITADD" --status --json -f prepared.conf >published.json
dd if=/dev/urandom of=none/data.mdb bs=4096 seek=9 count=4 conv=notrunc 2>/dev/null
ends 1 "$DITCHECK" --json --database none >damaged.json

follows run load.json failed.json dry.json unneeded.json index.json online.json tried.json \
	changes.json prepared-load.json
follows check check.json sizes.json damaged.json
for kind in comparison difference digest digests manifest prepared progress; do
	follows $kind $kind.json
done
follows estimate estimate.json estimate-index.json
follows prepared published.json

# The test itself: what is wrong is found.
for change in 's/"format": 1/"format": 9/' 's/"added"/"more"/' 's/"entries": \[/&true,/'; do
	sed "$change" difference.json >wrong.json
	nchecks=$((nchecks + 1))
	! python3 "$DIT_SRCDIR/tests/cli/schemas.py" "$DIT_SRCDIR/doc/schemas" difference \
		wrong.json >/dev/null || fail "$change is not found"
done
finish
