# The next run removes the files that a killed one left.
mkdir db/ditkit-staging
echo rubbish >db/ditkit-staging/data.mdb
"$DITADD" -f slapd.conf -l "$DATA/ldif/bare.ldif"
ls -A db "$TMPDIR"
