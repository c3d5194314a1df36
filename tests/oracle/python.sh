#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The Python module of doc/packaging loads, iterates and checks: what it reads is what
# python3-ldap gets from a slapd that serves the same directory.
. "${0%/*}/../installed.sh"
. "${0%/*}/lib.sh"
. "${0%/*}/slapd_lib.sh"
: "${DITGEN:?}"

# Another Python than Debian's may come first, without Debian's modules.
python=
for one in python3 /usr/bin/python3; do
	[ -n "$python" ] || ! "$one" -c 'import cffi, ldap' 2>/dev/null || python=$one
done
if [ -z "$python" ]; then
	skip 'no cffi or no ldap for Python (Debian: python3-cffi, python3-ldap)'
fi
if [ ! -e "$DIT_BUILDDIR/libditkit.so.1.0.0" ]; then
	echo 'SKIPPED: no shared library was built' >&2
	exit 77
fi

make_site "$work/dit"
sed -i 's/^database mdb/sizelimit unlimited\n&/' "$work/dit/slapd.conf"
{
	cat "$DIT_TEST_DATA/ldif/operational.ldif"
	"$DITGEN" --entries 300 | awk 'BEGIN { RS = ""; ORS = "\n\n" }
		!/^dn: (ou=People,)?dc=example,dc=com/'
} >"$work/input.ldif"
export PYTHONPATH=$DIT_SRCDIR/doc/packaging/python PYTHONDONTWRITEBYTECODE=1

cat >"$work/load.py" <<'END'
import sys
import ditkit
conf, ldif, version = sys.argv[1:]
assert version in ditkit.VERSION, ditkit.VERSION
n = ditkit.load(conf=conf, input=ldif)
assert n > 300, n
assert ditkit.check(conf=conf) == []
try:
    ditkit.load(conf=conf, input=ldif)
    raise SystemExit('an entry could be stored twice')
except ditkit.Error as error:
    assert 'MDB_KEYEXIST' in str(error), error
END
version=$("$DITADD" --version | sed 's/.*ditkit \([0-9.]*\).*/\1/')
check 'load and check' "$python" "$work/load.py" "$work/dit/slapd.conf" "$work/input.ldif" "$version"

cat >"$work/iterate.py" <<'END'
import sys
import ditkit
import ldap
conf, url, base = sys.argv[1:]
server = ldap.initialize(url)
made_up = {'entrydn', 'subschemasubentry', 'hassubordinates'}  # for the search

def plain(dn, attributes):
    return ldap.dn.dn2str(ldap.dn.str2dn(dn)), {
        name.lower(): sorted(values) for name, values in attributes.items()
        if name.lower() not in made_up}

def served(scope=ldap.SCOPE_SUBTREE, filter='(objectClass=*)', attrs=('*', '+')):
    return dict(plain(*one) for one in server.search_s(base, scope, filter, attrs))

def stored(**options):
    found = [plain(*one) for one in ditkit.entries(conf=conf, **options)]
    assert len(found) == len(dict(found)), 'an entry comes twice'
    return dict(found)

assert len(served()) > 300
assert stored() == served(), 'all entries differ'
some = stored(filter='(&(sn=*a*)(!(cn=b*)))', attrs=['cn', 'mail'])
assert some == served(filter='(&(sn=*a*)(!(cn=b*)))', attrs=['cn', 'mail']), 'a filter'
assert 0 < len(some) < 300, len(some)
assert stored(base=base, scope=2) == served(scope=ldap.SCOPE_ONELEVEL), 'children'
early = ditkit.entries(conf=conf)
next(early)
early.close()
try:
    stored(filter='(cn=')
    raise SystemExit('a filter without an end was taken')
except ditkit.Error as error:
    assert 'this is no filter' in str(error), error
END
start_slapd dit
check 'what slapd shows' "$python" "$work/iterate.py" "$work/dit/slapd.conf" "${url[dit]}" "$base"
stop_slapd

printf x | dd of="$work/dit/db/data.mdb" bs=1 seek=$((2 * 4096 + 10)) conv=notrunc 2>/dev/null
check 'a damaged database' "$python" -c '
import sys, ditkit
findings = ditkit.check(conf=sys.argv[1], is_quick=True)
assert findings and all(one["kind"] and one["text"] for one in findings), findings' \
	"$work/dit/slapd.conf"
finish
