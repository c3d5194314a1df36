# A superior and a subordinate database share a directory: no slapd has it.
"$DITADD" -f slapd.conf -l "$DATA/ldif/bare.ldif"
cat >glue.conf <<END
$(sed '/^database/,$d' slapd.conf)
database mdb
suffix "ou=people,dc=example,dc=com"
subordinate
directory $PWD/db/../db
database mdb
suffix "dc=example,dc=com"
directory $PWD/db
END
"$DITADD" -f glue.conf -l "$DATA/ldif/bare.ldif"
"$DITINDEX" -f glue.conf -d 0
