# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause
# Sourced by scripts that go through all fixtures, after lib.sh: the table of them, and
# the files that one of them refers to.

# fixture, configuration, kind (exact: all operational attributes are given, and all bytes
# must agree; generated: some are made up by each loader), further options for both
table='
abstract        abstract      generated  -c
abstract        abstract      generated  -c -o value-check=yes
authz           certs         generated  -c
bare            default       generated
bare            no-rootdn     generated
bare            lastmod-off   exact
bare            default       generated  -S 4095
bare            default       generated  -s
base64          default       generated
bits            schema        generated  -c
blanks          default       generated
booleans        schema        generated  -c
certs           certs         generated  -c
children-first  default       generated
children-first  kinds         generated
classes         default       generated
comments        default       generated
cr              default       generated
crlf            default       generated
csn-forms       schema        generated  -c
digits          default       generated
dn-anywhere     default       generated
dn-attribute    default       generated  -c
dn-more         default       generated  -c
dn-values       default       generated
empty-suffix    empty-suffix  generated
empty-values    default       generated
first-integer   schema        generated  -c
first-oid       schema        generated  -c
folded          default       generated
grown-suffix    grown-suffix  generated
holes           default       generated
ia5-exact       schema        generated
ia5-fold        schema        generated
interleaved     default       generated
interleaved     hash64        generated
lists           schema        generated
long-dn         default       generated  -c
long-suffix     long-suffix   generated
loose           default       generated
module-values   modules       generated  -c
module-values   modules       generated  -c -o value-check=yes
marks           default       generated  -c
marks           substr        generated  -c
modules         modules       generated  -c
modules         modules       generated  -c -o value-check=yes
more-rules      certs         generated  -c
no-suffix-entry default       generated
nothing         default       generated
numbers         default       generated
numbers         intlen8       generated
numeric         schema        generated
octets          schema        generated
odd-suffix      odd-suffix    generated
odd-times       schema        generated
oids            schema        generated  -c
only-comments   default       generated
operational     default       exact
operational     hash64        exact
operational     idlexp        exact
operational     intlen8       exact
operational     kinds         exact
operational     lastmod-off   exact
operational     lexical       exact      -b ou=x,dc=example,dc=com
operational     lexical       exact      -n 3
operational     no-rootdn     exact
operational     substr        exact
operational     default       exact      -s
operational     default       exact      -j 60 -c
operational     default       exact      -o schema-check=no
options         default       generated
options         default       generated  -c -o value-check=yes
options         kinds         generated
options         hash64        generated
ordered         schema        generated  -c
places          ordered-types generated  -c
places          ordered-types generated  -c -o value-check=yes
rdns            default       generated
schema          schema        generated
single-twice    default       generated  -c
siblings        ordered-types generated  -c
siblings        ordered-types generated  -c -o value-check=yes
sizes           default       generated
sizes           hash64        generated
tags            options       generated  -c
telephones      schema        generated
times           schema        generated  -c
unicode         default       generated
unicode         kinds         generated
unicode         substr        generated
urls            default       generated
utf8-odd        default       generated  -c
utf8-odd        substr        generated  -c
uuids           schema        generated  -c
whitespace      default       generated
'

# The files that urls.ldif refers to, relative to the working directory of the loaders.
printf 'two\nlines\0and a zero' >"$work/value.bin"
printf 'percent' >"$work/with space"
printf 'cn=from a file,dc=example,dc=com' >"$work/dn.txt"
cat >"$work/part.ldif" <<-PART
	# an included file
	dn: cn=included,dc=example,dc=com
	objectClass: person
	cn: included
	sn: i

	include: file://$work/nested.ldif

	dn: cn=after nested,dc=example,dc=com
	objectClass: person
	cn: after nested
	sn: a
PART
printf 'dn: cn=nested,dc=example,dc=com\nobjectClass: person\nsn: n\n' \
	>"$work/nested.ldif"
