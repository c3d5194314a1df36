# Each kind of change: what is printed, what is stored, and that the indexes follow; entryUUIDs
# stay. ldapmodify sends nothing of an attribute without values, passes over lines before dn and
# one after newsuperior, and ends names of a new entry at blanks.
"$DITADD" -q -f slapd.conf -l "$DATA/ldif/bare.ldif"
"$DITCAT" -f slapd.conf -o ldif-wrap=no | grep -E '^(dn|entryUUID|createTimestamp):' >before
cat >changes.ldif <<'LDIF'
version: 1

# a comment
dn: ou=Groups,dc=example,dc=com
changetype: add
objectClass: organizationalUnit
ou: Groups

description: passed over
dn: cn=new,ou=Groups,dc=example,dc=com
changetype: add
objectClass : device
cn: new
serialNumber: 7

dn: uid=ann,ou=people,dc=EXAMPLE,dc=com
changetype: modify
add: description
description: a second one
-
delete: cn
cn: ann
-
replace: mail
mail: ann@example.org
-
increment: uidNumber
uidNumber: 5
-
add: nonsense
-

dn: uid=ann,ou=People,dc=example,dc=com
changetype: modrdn
newrdn: uid=anna
deleteoldrdn: 1

dn: cn=group,dc=example,dc=com
changetype: delete

dn: ou=People,dc=example,dc=com
changetype: moddn
newrdn: ou=Staff
deleteoldrdn: 1
newsuperior: ou=Groups,dc=example,dc=com
-

dn: uid=anna,ou=Staff,ou=Groups,dc=example,dc=com
replace: title
title: moved

LDIF
"$DITMODIFY" -v -f slapd.conf -l changes.ldif
echo "# status $?"
"$DITCAT" -f slapd.conf -o ldif-wrap=no | tee after |
	grep -vE '^(structuralObjectClass|entryUUID|entryCSN|creatorsName|modifiersName|(create|modify)Timestamp):'
"$DITCHECK" -f slapd.conf
"$DITCHECK" -f slapd.conf --strict >/dev/null || echo 'not strictly sound'
slapcat -f slapd.conf -o ldif-wrap=no | cmp - after
"$DITCAT" -f slapd.conf -a '(uid=anna)' | grep '^dn'
# All but those of the deleted entry are there still.
grep -E '^(entryUUID|createTimestamp):' after | sort >stay
grep -E '^(entryUUID|createTimestamp):' before | sort | comm -23 - stay | sed 's/:.*//'
