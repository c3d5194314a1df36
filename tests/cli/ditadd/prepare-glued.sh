# Databases that are prepared together are published together.
mkdir sub
sed -i "/^database/i database mdb\nsuffix ou=people,dc=example,dc=com\nsubordinate\ndirectory $PWD/sub" slapd.conf
cat >input.ldif <<LDIF
dn: dc=example,dc=com
objectClass: domain
dc: example

dn: ou=people,dc=example,dc=com
objectClass: organizationalUnit
ou: people

dn: uid=a,ou=people,dc=example,dc=com
objectClass: account
uid: a
LDIF
ditadd() { "$DITADD" -f slapd.conf "$@" | sed -E 's/ at .*Z,|, digest.*//g'; }
ditadd --prepare -l input.ldif
ditadd --status
ditadd -b ou=people,dc=example,dc=com --publish
ditadd --status
# Only one of them was prepared again.
cp -r sub/ditkit-prepared saved
ditadd --prepare -l input.ldif
rm -r sub/ditkit-prepared
ditadd --publish
mv saved sub/ditkit-prepared
ditadd --publish
ditadd --prepare -l input.ldif
# A killed --publish has put one of them in place.
cp -r db/ditkit-prepared saved
ditadd --publish
rm -r db/*
mv saved db/ditkit-prepared
ditadd --status
ditadd --publish
ditadd --status
"$DITCAT" -f slapd.conf | grep ^dn:
ditadd --abandon
ls -A db sub
