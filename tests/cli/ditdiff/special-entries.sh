# Entries that slapd treats in a way of their own: a referral, the topmost one under another
# spelling, a new RDN that the old classes or values do not allow, holes.
states() { # states FIRST SECOND: lines after a topmost entry
	printf 'dn: dc=example,dc=com\nobjectClass: domain\ndc: example\n\n%s\n' "$1" >first.ldif
	printf 'dn: dc=Example,dc=com\nobjectClass: domain\ndc: example\n\n%s\n' "$2" >second.ldif
	"$DITDIFF" -f slapd.conf first.ldif second.ldif
	echo "# status $?"
}
id='entryUUID: 00000000-0000-4000-8000-000000000001'
referral=$'objectClass: referral\nobjectClass: extensibleObject\nou: r'
states "dn: ou=r,dc=example,dc=com
$referral
ref: ldap://a/" "dn: ou=r,dc=example,dc=com
$referral
ref: ldap://b/

dn: ou=s,dc=example,dc=com
${referral%r}s
ref: ldap://c/"
unit=$'objectClass: organizationalUnit\nou: b'
domain=$'objectClass: dcObject\n'$unit
states "dn: ou=b,dc=example,dc=com
$unit
$id" "dn: dc=b,dc=example,dc=com
$domain
dc: b
$id"
states "dn: ou=b,dc=example,dc=com
$domain
dc: a
$id" "dn: dc=b,dc=example,dc=com
$domain
dc: b
$id"
states "dn: ou=b,dc=example,dc=com
$unit

dn: ou=b,ou=b,dc=example,dc=com
$unit" "dn: ou=b,ou=b,dc=example,dc=com
$unit
description: below a hole"
"$DITDIFF" -f slapd.conf --subtree ou=b,ou=b,dc=example,dc=com first.ldif second.ldif
states "dn: ou=b,ou=b,dc=example,dc=com
$unit
$id" "dn: ou=b,dc=example,dc=com
$unit

dn: ou=b,ou=b,dc=example,dc=com
$unit
$id"
"$DITADD" -q -f slapd.conf -l first.ldif
"$DITDIFF" -f slapd.conf first.ldif db/data.mdb
# An entry that gets the DN of a hole above it.
states "dn: ou=b,ou=b,dc=example,dc=com
$unit
$id" "dn: ou=b,dc=example,dc=com
$unit
$id"
# A hole below an entry that becomes one of another class.
branch() { # branch CLASSES
	printf 'dn: ou=b,dc=example,dc=com\n%s\n\n' "$1"
	printf 'dn: cn=e,cn=hole,ou=b,dc=example,dc=com\nobjectClass: device\ncn: e\n%s\n' "$id"
}
device=$'objectClass: device\nobjectClass: extensibleObject\ncn: b\nou: b'
states "$(branch "$unit")" "$(branch "$device")"
# An entry that gets the name of a hole which moves with the one above it.
states "$(branch "$unit
${id%1}2")" "dn: ou=c,dc=example,dc=com
${unit/ou: b/ou: c}
${id%1}2

dn: cn=hole,ou=c,dc=example,dc=com
objectClass: device
cn: hole"
echo '# entries that are changed, renamed: slapd would stamp them'
stamps="createTimestamp: 20190101000000Z
modifiersName: cn=ann,dc=example,dc=com
modifyTimestamp: 20200101000000Z
$id"
unit=$'objectClass: organizationalUnit\nou: b'
states "dn: ou=b,dc=example,dc=com
$unit
$stamps" "dn: ou=b,dc=example,dc=com
$unit
${stamps/2020/2021}" >/dev/null
sed 's/^ou: b/&\ndescription: c/' second.ldif >changed.ldif
sed 's/^dn: ou=b/dn: ou=c/; s/^ou: b/ou: c/' second.ldif >renamed.ldif
for to in changed renamed; do
	"$DITDIFF" -f slapd.conf -a '(ou=*)' --operational --reverse $to.ldif second.ldif
done
"$DITDIFF" -f slapd.conf -a '(ou=*)' --operational --summary renamed.ldif second.ldif
"$DITDIFF" -f slapd.conf -a '(ou=*)' --operational first.ldif second.ldif
echo '# the empty suffix: several topmost entries'
sed 's/^suffix .*/suffix ""/' slapd.conf >empty.conf
for name in one two; do
	printf 'dn: dc=%s\nobjectClass: domain\n\ndn: ou=b,dc=%s\nobjectClass: organizationalUnit\n%s\n' \
		$name $name "$id" >$name.ldif
done
"$DITDIFF" -f empty.conf one.ldif two.ldif
echo "# status $?"
echo '# a glue entry becomes another one'
states "dn: ou=b,dc=example,dc=com
objectClass: glue
$id" "dn: ou=b,dc=example,dc=com
$unit
$id"
echo '# slapadd 2.5 stores an attribute in several blocks'
states "dn: ou=b,dc=example,dc=com
$unit
description: one
l: x
description: two
$id" "dn: ou=b,dc=example,dc=com
$unit
description: one
l: x
$id" >/dev/null
rm db/*
"$DITADD" -q --openldap 2.5 -f slapd.conf -l first.ldif
"$DITDIFF" --openldap 2.5 -f slapd.conf db second.ldif | tee changes
"$DITMODIFY" --openldap 2.5 -f slapd.conf changes
"$DITDIFF" --openldap 2.5 -f slapd.conf db second.ldif
echo "# status $?"
printf '%s\n' 'dn: ou=b,dc=example,dc=com' 'changetype: delete' '' >delete.ldif
"$DITMODIFY" --openldap 2.5 -f slapd.conf delete.ldif
sed '/^dn: dc/,/^$/d' first.ldif | "$DITADD" -q --openldap 2.5 -f slapd.conf
printf '%s\n' 'dn: ou=b,dc=example,dc=com' 'replace: description' 'description: a' >replace.ldif
"$DITMODIFY" --openldap 2.5 -f slapd.conf replace.ldif
"$DITCAT" --openldap 2.5 -f slapd.conf -a '(ou=b)' | grep '^[dl][el]*[s:]'
echo '# the schema does not know the attributes of names any more'
{
	echo "attributetype ( 1.3.6.1.4.1.99999.6.1 NAME 'gone' SUP name )"
	cat slapd.conf
} >knows.conf
mkdir old new
for name in y,old x,new; do
	{
		printf 'dn: dc=example,dc=com\nobjectClass: domain\ndc: example\n\n'
		printf 'dn: gone=%s,dc=example,dc=com\n%s\n%s\n' "${name%,*}" "$unit" "$id"
	} | "$DITADD" -q -s -f knows.conf --database "${name#*,}"
done
"$DITDIFF" -f slapd.conf old new
