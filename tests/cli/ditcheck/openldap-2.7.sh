# Structure and content of a database of OpenLDAP 2.7 are checked, as the configuration says:
# that of an older release makes other keys.
printf 'dn: dc=example,dc=com\nobjectClass: domain\ndc: example\n\n' >in.ldif
"$DITADD" --openldap=2.7 -q -f slapd.conf -l in.ldif
rm db/lock.mdb
"$DITCHECK" --openldap=2.7 -f slapd.conf
echo $?
"$DITCHECK" --quick -f slapd.conf
echo $?
"$DITCHECK" --openldap=2.6 -f slapd.conf
echo $?
ls db
exec 9<db
flock 9
"$DITCHECK" --openldap=2.7 -f slapd.conf
flock -u 9
rm db/data.mdb
"$DITADD" --openldap=2.6 -q -f slapd.conf -l in.ldif
"$DITCHECK" --openldap=2.7 -f slapd.conf
