# A database of 2.6 and what it becomes in 2.7: equal, although IDs and hashes differ; then
# with differences.
sed -i 's/^database.*/&\nlastmod off/; $a index sn eq' slapd.conf
sed "s,/db$,/old," slapd.conf >old.conf
mkdir old
cat >in.ldif <<'END'
dn: cn=b,dc=example,dc=com
objectClass: person
cn: b
sn: x
description: the first

dn: dc=example,dc=com
objectClass: domain
dc: example

dn: cn=a,dc=example,dc=com
objectClass: person
cn: a
sn: y

END
"$DITADD" --openldap=2.6 -q -f old.conf -l in.ldif
"$DITCAT" -f old.conf | "$DITADD" --openldap=2.7 -q -f slapd.conf
"$DITCHECK" --compare old db
echo $?
"$DITCHECK" --compare db old
echo $?
rm db/*
"$DITCAT" -f old.conf | sed 's/^description: .*/description: other/; s/^sn: y/sn: z/' |
	"$DITADD" --openldap=2.7 -q -f slapd.conf
"$DITCHECK" --compare old db
echo $?
rm db/* old/*
sed -i '/lastmod/d' slapd.conf old.conf
"$DITADD" --openldap=2.6 -q -f old.conf -l in.ldif
"$DITADD" --openldap=2.7 -q -f slapd.conf -l in.ldif
"$DITCHECK" --compare --generated old db
echo $?
