# ditdiff --reverse and ditmodify: back to the state before.
"$DITADD" -q -f slapd.conf -l "$DATA/ldif/bare.ldif"
"$DITCAT" -f slapd.conf -l backup.ldif
cat >changes.ldif <<'LDIF'
dn: ou=People,dc=example,dc=com
changetype: modrdn
newrdn: ou=Staff
deleteoldrdn: 1

dn: uid=ann,ou=Staff,dc=example,dc=com
changetype: modify
delete: description
-
add: title
title: changed

dn: cn=group,dc=example,dc=com
changetype: delete

dn: ou=new,dc=example,dc=com
changetype: add
objectClass: organizationalUnit

LDIF
"$DITMODIFY" -f slapd.conf changes.ldif
"$DITDIFF" -f slapd.conf --summary backup.ldif
"$DITDIFF" -f slapd.conf --reverse --operational backup.ldif | "$DITMODIFY" -f slapd.conf
echo "${PIPESTATUS[*]}"
"$DITDIFF" -f slapd.conf backup.ldif
echo $?

echo '== the other program is named as a file'
"$DITMODIFY" -f slapd.conf changes.ldif
timeout 60 "$DITMODIFY" -f slapd.conf \
	<("$DITDIFF" -f slapd.conf --reverse --operational backup.ldif)
echo $?
"$DITDIFF" -f slapd.conf backup.ldif
echo $?
"$DITCHECK" -f slapd.conf
