# Something else that is called ditkit-staging is named, and stays.
echo text >db/ditkit-staging
"$DITADD" -f slapd.conf -l "$DATA/ldif/bare.ldif"
echo "exit status $?"
rm db/ditkit-staging
ln -s / db/ditkit-staging
"$DITADD" -f slapd.conf -l "$DATA/ldif/bare.ldif"
echo "exit status $?"
ls -A db
