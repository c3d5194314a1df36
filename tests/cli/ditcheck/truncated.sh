# A file that was cut, and one that is empty.
"$DITADD" -q -f slapd.conf -l "$DATA/ldif/bare.ldif"
truncate -s -4096 db/data.mdb
"$DITCHECK" --quick --database db | grep -c '^db/data.mdb: file-cut: '
truncate -s 0 db/data.mdb
"$DITCHECK" --quick --database db
echo $?
