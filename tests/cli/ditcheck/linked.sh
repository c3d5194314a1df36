# A link in the place of data.mdb is not followed, as by the other tools; the directory, and
# a file of another name, may be links. Where the numbers of the two meta pages do not follow each other, an older state
# may be the one that counts: ditcheck says so, and ditadd adds nothing.
"$DITADD" -q -f slapd.conf -l "$DATA/ldif/bare.ldif"
mv db/data.mdb real.mdb
ln -s ../real.mdb db/data.mdb
"$DITCHECK" --quick --database db
echo "exit status $?"
"$DITCHECK" -f slapd.conf
echo "exit status $?"
ln -s real.mdb linked.mdb
"$DITCHECK" --quick --database linked.mdb
echo "exit status $?"
rm db/data.mdb
mv real.mdb db/data.mdb
ln -s db other
"$DITCHECK" --quick --database other
echo "exit status $?"

# The number of a transaction lies at 144 of a meta page of LMDB 0.9.
printf '\4' | dd of=db/data.mdb bs=1 seek=144 conv=notrunc status=none
"$DITCHECK" --quick --database db
echo "exit status $?"
printf 'dn: ou=new,dc=example,dc=com\nobjectClass: organizationalUnit\nou: new\n' >more.ldif
"$DITADD" -f slapd.conf -l more.ldif
echo "exit status $?"
