# The indexes of a database of OpenLDAP 2.7: an index more, all of them, with --online as
# well, one less. Without --online it is refused while another process has the database;
# with the configuration of an older release always.
cat >in.ldif <<'END'
dn: dc=example,dc=com
objectClass: domain
dc: example

dn: cn=a,dc=example,dc=com
objectClass: person
cn: a
sn: b

END
"$DITADD" --openldap=2.7 -q -f slapd.conf -l in.ldif
cp -r db before
echo 'index sn pres,eq,sub' >>slapd.conf
"$DITCHECK" --openldap=2.7 -f slapd.conf
"$DITINDEX" --openldap=2.7 -f slapd.conf sn
"$DITCHECK" --openldap=2.7 -f slapd.conf
"$DITCHECK" --compare --exact before db
"$DITINDEX" --openldap=2.7 -f slapd.conf
"$DITCHECK" --openldap=2.7 -f slapd.conf
"$DITINDEX" --openldap=2.7 --online -f slapd.conf | sed 's/waited .*//'
"$DITCHECK" --openldap=2.7 -f slapd.conf
sed -i '/^index sn/d' slapd.conf
"$DITINDEX" --openldap=2.7 --drop-unconfigured -f slapd.conf
"$DITCHECK" --compare --exact before db
echo $?
ls db
cp db/data.mdb before
"$DITINDEX" --openldap=2.6 -f slapd.conf
echo $?
"$DITINDEX" --openldap=2.6 --online -f slapd.conf
echo $?
exec 9<db
flock 9
"$DITINDEX" --openldap=2.7 -f slapd.conf
echo $?
cmp before/data.mdb db/data.mdb
