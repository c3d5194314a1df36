#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The Python module of doc/packaging: its example, its structs as a C compiler has them,
# loads, changes, failures, interrupts; it reads what python3-ldap gets from a slapd.
. "${0%/*}/../installed.sh"
. "${0%/*}/lib.sh"
. "${0%/*}/slapd_lib.sh"
: "${DITGEN:?}"

# Another Python than Debian's may come first, without Debian's modules.
python=python3
"$python" -c 'import cffi, ldap' 2>/dev/null || python=/usr/bin/python3
"$python" -c 'import cffi, ldap' 2>/dev/null ||
	skip 'no cffi or no ldap for Python (Debian: python3-cffi, python3-ldap)'
[ -e "$DIT_BUILDDIR/libditkit.so.1.0.0" ] ||
	{ echo 'SKIPPED: no shared library was built' >&2 && exit 77; }

make_site "$work/dit"
conf=$work/dit/slapd.conf
sed -i 's/^database mdb/sizelimit unlimited\n&/' "$conf"
{
	cat "$DIT_TEST_DATA/ldif/operational.ldif"
	"$DITGEN" --entries 300 | awk 'BEGIN { RS = ""; ORS = "\n\n" }
		!/^dn: (ou=People,)?dc=example,dc=com/'
} >"$work/input.ldif"
cp -R "$DIT_SRCDIR/doc/packaging/python" "$work"
check 'declarations' "$python" "$work/python/declarations.py" \
	"$DIT_INSTALLED/root$prefix/include" "$work/python/ditkit/_libditkit.py"
export PYTHONPATH=$work/python PYTHONDONTWRITEBYTECODE=1

mkdir "$work/demo-db"
cp "$DIT_SRCDIR"/doc/examples/{slapd.conf,people.ldif} "$work"
cd "$work" || exit 1
check 'the example' "$python" -c 'import doctest, sys, ditkit
sys.exit(doctest.testmod(ditkit) != (0, 5))'

# A C program that prints what the compiler has other numbers for: sizes and places in
# structs, and what options begin with.
cat >layout.py <<'END'
import ditkit
ffi = ditkit._ffi
verbs = ['check', 'diff', 'entry_scan', 'export', 'load', 'modify']
numbers = {}
for name in ffi.list_types()[1]:
    struct = ffi.typeof('struct ' + name)
    if struct.fields is not None:
        numbers[f'sizeof(struct {name})'] = ffi.sizeof(struct)
        for field, at in struct.fields:
            numbers[f'offsetof(struct {name}, {field})'] = at.offset
            numbers[f'sizeof(((struct {name} *)0)->{field})'] = ffi.sizeof(at.type)
for verb in verbs:
    for field, number in ditkit._numbers(ditkit._Options(verb, {}).struct).items():
        numbers[f'(uint64_t){verb}.{field}'] = number % 2**64
assert len(numbers) > 1000, len(numbers)
print('#include <stdio.h>',
      *(f'#include <ditkit/{verb.replace("entry_", "")}.h>' for verb in verbs),
      'int main(void) {',
      *(f'struct dit_{one}_opts {one} = DIT_{one.upper()}_OPTS_INIT;' for one in verbs),
      *(f'if ({what} != {n}u) puts("{what}");' for what, n in numbers.items()),
      'puts("compared"); }', sep='\n')
END
"$python" layout.py >layout.c
# shellcheck disable=SC2046 # words
check 'all structs in C' ${CC:-cc} -o layout layout.c $(pkg-config --cflags ditkit)
same 'structs, and options that are not given' compared "$(./layout)"

mkfifo pipe
cat >work.py <<'END'
import os, pathlib, pickle, shutil, signal, sys, threading, ditkit
conf = sys.argv[1]

def fails(error, function, *arguments, **options):
    try:
        function(*arguments, conf=conf, **options)
    except error as raised:
        return raised
    raise SystemExit(f'no failure: {options}')

def interrupt():
    with open('pipe', 'w'):
        os.kill(os.getpid(), signal.SIGINT)
        done.wait()

stops = lambda _: {}['stops']
for options in [{'input_file': 'input.ldif'}, {'inputs': 'input.ldif'}, {'input': ['a']},
                {'inputs': ['a'], 'ninputs': 9}, {'inputs': ['a', 'b'], 'digests': ['0']}]:
    fails(TypeError, ditkit.load, **options)
fails(ValueError, ditkit.load, input='input.ldif\0.gz')
signal.signal(signal.SIGINT, signal.default_int_handler)
done = threading.Event()
threading.Thread(target=interrupt, daemon=True).start()
for error, options in [(KeyboardInterrupt, {'input': 'pipe'}),
                       (KeyError, {'input': 'input.ldif', 'progress': stops})]:
    raised = fails(error, ditkit.load, **options)
    assert raised.__cause__.name == 'DIT_E_STOPPED', raised.__cause__
    done.set()
assert not os.path.exists('dit/db/data.mdb')

seen, told, changes = [], [], []
ldif = [pathlib.Path('input.ldif')]
numbers = ditkit.load(conf=conf, inputs=ldif, progress=seen.append)
assert numbers['nentries'] == seen[-1]['nentries'] > 300, (numbers, seen[-1])
assert ditkit.check(conf=conf) == []
raised = fails(ditkit.Error, ditkit.load, input='input.ldif', report=told.append)
assert 'MDB_KEYEXIST' in str(raised) and told == raised.reports, raised
assert fails(ditkit.Error, ditkit.load, suffix='none').name == 'DIT_E_CONFIG'
raised = fails(ditkit.Error, lambda **all: list(ditkit.entries(**all)), filter='(cn=')
assert raised.name == 'DIT_E_CONFIG' and 'this is no filter' in str(raised), raised
again = pickle.loads(pickle.dumps(raised))  # as by multiprocessing
assert (again.code, str(again)) == (raised.code, str(raised)), again

# A warning of an unknown module comes before entries() has what it returns.
with open(conf) as own, open('module.conf', 'w') as other:
    other.write('modulepath /\nmoduleload "' + os.path.abspath('mine.so') + '"\n' + own.read())
open('mine.so', 'w').close()
nopen = len(os.listdir('/proc/self/fd'))
try:
    next(ditkit.entries(conf='module.conf', report=stops))
except KeyError:
    assert len(os.listdir('/proc/self/fd')) == nopen, 'the database stays open'
else:
    raise SystemExit('no warning')

shutil.copytree('dit/db', 'old')
dn, _ = next(ditkit.entries(conf=conf, filter='(mail=*)'))
pathlib.Path('changes').write_text(
    f'dn: {dn}\nchangetype: modify\nreplace: mail\nmail: new@example.com\n')
assert ditkit.modify(conf=conf, input='changes')['nmodified'] == 1
assert ditkit.diff(changes.append, conf=conf, first='old')['nmodified'] == 1
assert b'\nmail: new@example.com\n' in b''.join(changes), changes
assert fails(KeyError, ditkit.diff, stops, first='old').__cause__.code < 0
assert ditkit.export(conf=conf, output='exported')['nentries'] == numbers['nentries']
END
check 'load, changes, failures' "$python" work.py "$conf"
same 'an export' "$(slapcat -f "$conf")" "$(cat exported)"

# A slapadd of 2.5 stores an attribute twice whose lines stand apart, and so does a load.
mkdir apart
sed "s,^directory.*,directory $work/apart," "$conf" >apart.conf
printf '%s\n' 'dn: dc=example,dc=com' 'objectClass: domain' 'dc: example' \
	'description: one' 'l: here' 'description: two' >apart.ldif
check 'lines that stand apart' "$python" -c '
import ditkit
ditkit.load(conf="apart.conf", input="apart.ldif", is_quick=True, openldap=1)
(_, attributes), = ditkit.entries(conf="apart.conf")
assert attributes["description"] == [b"one", b"two"], attributes
assert attributes["l"] == [b"here"], attributes'

cat >iterate.py <<'END'
import sys, ditkit, ldap
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

assert stored() == served() and len(served()) > 300, 'all entries'
chosen = {'filter': '(&(sn=*a*)(!(cn=b*)))', 'attrs': ['cn', 'mail']}
assert stored(**chosen) == served(**chosen) and len(served(**chosen)) in range(1, 300)
assert stored(base=base, scope=2) == served(scope=ldap.SCOPE_ONELEVEL), 'children'
END
start_slapd dit
check 'what slapd shows' "$python" iterate.py "$conf" "${url[dit]}" "$base"
stop_slapd

printf x | dd of=dit/db/data.mdb bs=1 seek=$((2 * 4096 + 10)) conv=notrunc 2>/dev/null
check 'a damaged database' "$python" -c '
import sys, ditkit
findings = ditkit.check(conf=sys.argv[1], is_quick=True)
assert findings and all(one.kind and one.text for one in findings), findings' "$conf"
finish
