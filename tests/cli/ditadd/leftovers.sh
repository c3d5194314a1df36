# What a killed run left is removed by the next one.
mkdir db/ditkit-staging
echo rubbish >db/ditkit-staging/data.mdb
"$DITADD" -f slapd.conf -l "$DATA/ldif/bare.ldif"
ls -A db "$TMPDIR"
