# A load keeps X-ORDERED values as they come. slapd sorts them when one is added or deleted.
for cn in add delete mixed; do
	printf 'dn: dc=%s,dc=example,dc=com\nobjectClass: domain\nobjectClass: extensibleObject\ndc: %s\n' $cn $cn
	printf 'olcAccess: %s\n' '{2}a' '{7}b' '{1}c' '{0}d' '{7}e'
	[ $cn != mixed ] || echo 'olcAccess: f'
	echo
done >>input.ldif
printf 'dn: dc=example,dc=com\nobjectClass: domain\ndc: example\n\n' | cat - input.ldif |
	"$DITADD" -q -f slapd.conf
"$DITMODIFY" -f slapd.conf <<'LDIF'
dn: dc=add,dc=example,dc=com
changetype: modify
add: olcAccess
olcAccess: {1}new
-

dn: dc=delete,dc=example,dc=com
changetype: modify
delete: olcAccess
olcAccess: {0}d
-

dn: dc=mixed,dc=example,dc=com
changetype: modify
delete: olcAccess
olcAccess: {0}d
-

LDIF
"$DITCAT" -f slapd.conf | grep '^dn\|^olc'
"$DITCHECK" -f slapd.conf
