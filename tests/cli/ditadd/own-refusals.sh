# Where ditadd ends otherwise than slapadd, or says something else.
try() {
	"$DITADD" "$@" -f own.conf -l /dev/null
	echo "$?"
}
# A database without a suffix: slapadd -u exits with 0.
grep -v '^suffix\|^rootdn' slapd.conf >own.conf
try -u
# An OID that a macro makes twice: slapadd prints bytes of chance instead of the OID.
{
	printf '%s\n' "objectidentifier m 1.2.3" \
		"attributetype ( 1.2.3.1 NAME 'aa' SUP 2.5.4.41 )" \
		"attributetype ( m:1 NAME 'bb' SUP 2.5.4.41 )"
	cat slapd.conf
} >own.conf
try
# A schema that defines attributes of the mdb module: slapadd goes on without the type mdb, and
# has no advice.
{
	printf '%s\n' \
		"attributetype ( 1.2.3.1 NAME 'olcDbCheckpoint' SUP 2.5.4.41 )"
	cat slapd.conf
} >own.conf
try
# Glued databases: a parent is missing above, the last entry is the subordinate's; slapadd
# exits with 0.
mkdir db-sub
{
	sed '/^database/,$d' slapd.conf
	printf '%s\n' 'database mdb' 'suffix ou=sub,dc=example,dc=com' 'subordinate' \
		'directory db-sub'
	sed -n '/^database/,$p' slapd.conf
} >glue.conf
"$DITADD" -f glue.conf -l /dev/stdin <<'END'
dn: dc=example,dc=com
objectClass: domain
dc: example

dn: ou=a,ou=hole,dc=example,dc=com
objectClass: organizationalUnit
ou: a

dn: ou=sub,dc=example,dc=com
objectClass: organizationalUnit
ou: sub
END
echo "$?"
