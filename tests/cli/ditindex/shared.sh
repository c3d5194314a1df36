# An attribute stands for its index database, with all definitions that share it.
echo 'index cn;lang-en eq' >>slapd.conf
cat >in.ldif <<LDIF
dn: dc=example,dc=com
objectClass: organization
objectClass: dcObject
o: e
dc: example

dn: cn=a,dc=example,dc=com
objectClass: person
cn: a
cn;lang-en: apple
sn: s
LDIF
"$DITADD" -f slapd.conf -q -l in.ldif
cp -r db before
"$DITINDEX" -f slapd.conf cn
"$DITCHECK" --compare --exact before db
"$DITINDEX" -f slapd.conf 'cn;lang-en'
"$DITCHECK" --compare --exact before db
