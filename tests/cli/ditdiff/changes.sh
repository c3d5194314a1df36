# How each kind of difference is written; here and back; from LDIF, packed or not.
entry() { # entry DN NUMBER LINE...
	printf 'dn: %s,dc=example,dc=com\n' "$1"
	printf '%s\n' "${@:3}"
	printf 'entryUUID: 00000000-0000-4000-8000-%012d\n\n' "$2"
}
person=$'objectClass: person\nsn: Roe'
top='dn: dc=example,dc=com
objectClass: domain
dc: example
'
unit='objectClass: organizationalUnit'
{
	echo "$top"
	entry ou=a 1 "$unit" 'ou: a' 'description: Alpha' 'description: beta' 'description: gamma'
	entry ou=b 2 "$unit" 'ou: b'
	entry cn=in,ou=a 3 "$person" 'cn: in' 'telephoneNumber: +1 23'
	entry cn=swap,ou=b 4 "$person" 'cn: swap' 'description: four'
	entry cn=other,ou=b 5 "$person" 'cn: other' 'description: five'
	entry cn=gone,ou=b 6 "$person" 'cn: gone'
	entry cn=under,cn=gone,ou=b 7 "$person" 'cn: under'
	entry ou=class,ou=b 8 "$unit" 'ou: class'
	entry cn=kept,ou=class,ou=b 9 "$person" 'cn: kept'
	entry cn=lower,ou=b 10 "$person" 'cn: lower'
} >first.ldif
{
	echo "$top"
	entry ou=a 1 "$unit" 'ou: a' 'description: ALPHA' 'description: gamma' \
		'description: delta' 'description:: IGxlYWRz'
	entry ou=B 2 "$unit" 'ou: B'
	entry cn=in,ou=B 3 "$person" 'cn: in' 'telephoneNumber: +123'
	entry cn=other,ou=B 4 "$person" 'cn: other' 'description: four'
	entry cn=swap,ou=B 5 "$person" 'cn: swap' 'description: five'
	entry ou=class,ou=B 11 'objectClass: groupOfNames' 'objectClass: extensibleObject' 'cn: class' \
		'ou: class' 'member: cn=in,ou=b,dc=example,dc=com'
	entry cn=kept,ou=class,ou=B 9 "$person" 'cn: kept'
	entry cn=LOWER,ou=B 10 "$person" 'cn: LOWER'
	entry cn=new,ou=a 12 "$person" 'cn: new'
} >second.ldif
mkdir second
sed "s,/db$,/second," slapd.conf >second.conf
"$DITADD" -q -f slapd.conf -l first.ldif
"$DITADD" -q -f second.conf -l second.ldif
"$DITDIFF" -f slapd.conf db second
echo "# status $?"
"$DITDIFF" -f slapd.conf --reverse db second | grep -v '^description'
"$DITDIFF" -f slapd.conf db second >changes
gzip second.ldif
"$DITDIFF" -f slapd.conf first.ldif second.ldif.gz | cmp - changes
"$DITDIFF" -f second.conf first.ldif | cmp - changes
"$DITDIFF" -f slapd.conf --summary db second
"$DITDIFF" -f slapd.conf --json db second | grep -v version
"$DITDIFF" -f slapd.conf --attrs telephoneNumber --subtree cn=in,ou=b,dc=example,dc=com db second
"$DITDIFF" -f slapd.conf -a '(description=*)' db second | grep -c '^dn: '
"$DITDIFF" -f slapd.conf first.ldif db
echo "# status $?"
"$DITDIFF" -f slapd.conf --summary first.ldif db
"$DITDIFF" -f slapd.conf --operational db second >changes
grep -c '^replace: entryUUID' changes
grep '^replace: entryCSN' changes
"$DITDIFF" -f slapd.conf db second >/dev/full
echo "# status $?"
ls "$TMPDIR"
