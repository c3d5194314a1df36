# The next run removes the files that a killed one left.
mkdir db/ditkit-staging
echo rubbish >db/ditkit-staging/data.mdb
"$DITADD" -f slapd.conf -l "$DATA/ldif/bare.ldif"
ls -A db "$TMPDIR"
# Nobody reads what is printed: the load ends, and cleans up.
rm -r db/*
mkfifo pipe
: <pipe &
exec 5>pipe
wait
"$DITADD" -v -f slapd.conf -l "$DATA/ldif/bare.ldif" 2>&5
echo "exit $?"
ls -A db
