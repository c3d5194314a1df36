# A database of OpenLDAP 2.7 is printed as the same one of 2.6 is, if it is not in use.
cat >in.ldif <<'END'
dn: dc=example,dc=com
objectClass: domain
dc: example
structuralObjectClass: domain

dn: cn=a,dc=example,dc=com
objectClass: person
cn: a
sn: b
structuralObjectClass: person

END
sed -i 's/^database.*/&\nlastmod off/' slapd.conf
for release in 2.6 2.7; do
	rm -f db/*
	"$DITADD" --openldap=$release -q -f slapd.conf -l in.ldif
	"$DITCAT" -f slapd.conf -l $release.ldif
done
cmp 2.6.ldif 2.7.ldif
"$DITCAT" -f slapd.conf -a '(sn=b)'
exec 9<db
flock 9
"$DITCAT" -f slapd.conf
