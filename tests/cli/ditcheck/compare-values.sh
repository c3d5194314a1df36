# Databases of 2.6 and of 2.7 whose values have another order in one of them, since they are
# sorted or stored apart: equal as sets. Then one value of each differs, and a long one.
sed -i 's/^database.*/&\nlastmod off/' slapd.conf
sed "s,/db$,/old," slapd.conf >old.conf
printf 'sortvals memberUid\nmultival description 3,2\n' >>old.conf
mkdir old
cat >in.ldif <<END
dn: dc=example,dc=com
objectClass: domain
dc: example
description: three
description: one
description: two

dn: cn=a,dc=example,dc=com
objectClass: posixGroup
cn: a
gidNumber: 1
memberUid: zoe
memberUid: ann
memberUid: kim
description: $(printf '%0300d' 0)

END
"$DITADD" --openldap=2.6 -q -f old.conf -l in.ldif
"$DITADD" --openldap=2.7 -q -f slapd.conf -l in.ldif
"$DITCAT" -f old.conf | grep memberUid
"$DITCHECK" --compare old db
echo $?
"$DITCHECK" --compare db old
echo $?
rm db/*
sed 's/kim/kit/; s/two/2/; s/0000$/0001/' in.ldif | "$DITADD" --openldap=2.7 -q -f slapd.conf
"$DITCHECK" --compare old db
echo $?
