# A link in the place of a database file is refused, by new loads and by merges; a link in
# the place of the directory is followed.
printf 'dn: ou=new,dc=example,dc=com\nobjectClass: organizationalUnit\nou: new\n' >more.ldif
mkdir other
ln -s ../other/data.mdb db/data.mdb
"$DITADD" -f slapd.conf -l "$DATA/ldif/bare.ldif"
echo "exit status $?"
rm db/data.mdb
rmdir db
ln -s other db
"$DITADD" -f slapd.conf -l "$DATA/ldif/bare.ldif"
echo "exit status $?"
mv other/data.mdb real.mdb
ln -s ../real.mdb other/data.mdb
"$DITADD" -f slapd.conf -l more.ldif
echo "exit status $?"
mv real.mdb other/data.mdb
mv other/lock.mdb real-lock.mdb
ln -s ../real-lock.mdb other/lock.mdb
"$DITADD" -f slapd.conf -l more.ldif
echo "exit status $?"
ls -A other
