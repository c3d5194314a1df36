# A subordinate database without the one that it belongs to, beside another one.
"$DITADD" -q -f slapd.conf </dev/null
cat >>slapd.conf <<END
database mdb
suffix "dc=elsewhere"
subordinate
directory $PWD/db
END
"$DITINDEX" -q -f slapd.conf
