# An entry stored without structuralObjectClass gets it with a change. Its new attributes
# stay when the memory of its batch is used again by the batches after it.
cat >bare.ldif <<'LDIF'
dn: dc=example,dc=com
objectClass: organization
objectClass: dcObject
o: Example
dc: example

dn: cn=A,dc=example,dc=com
objectClass: inetOrgPerson
cn: A
sn: A

LDIF
"$DITADD" -s -q -f slapd.conf -l bare.ldif
"$DITCAT" -f slapd.conf -a '(structuralObjectClass=*)'
cat >changes.ldif <<'LDIF'
dn: cn=A,dc=example,dc=com
changetype: modify
add: description
description: d
-
add: mail
mail: m@example.com
-
add: title
title: t
-
add: l
l: here

LDIF
for i in {1..6000}; do
	printf 'dn: dc=example,dc=com\nchangetype: modify\nreplace: description\n'
	printf 'description: number %d of many\n\n' "$i"
done >>changes.ldif
"$DITMODIFY" -f slapd.conf changes.ldif
"$DITCAT" -f slapd.conf -a '(cn=A)' |
	sed -E 's/^(entry(UUID|CSN)|(create|modify)Timestamp|modifiersName|creatorsName): .*/\1/'
"$DITCHECK" -f slapd.conf
