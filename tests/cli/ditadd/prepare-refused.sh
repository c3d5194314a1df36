# The prepared database is of another site, or not what the manifest says.
ditadd() {
	"$DITADD" --openldap=2.5 -f slapd.conf "$@" >out || echo "exit $?"
	sed -E 's/ at .*Z, | digest.*/ /g' out
}
fresh() {
	rm -rf db/*
	ditadd --prepare -l "$DATA/ldif/bare.ldif"
}
# edited SCRIPT: the configuration is another one
edited() {
	sed "$1" slapd.conf >other.conf
	shift
	ditadd -f other.conf --publish "$@"
}
manifest=db/ditkit-prepared/manifest.json
fresh
edited 's/dc=example,dc=com/dc=example,dc=org/'
edited 's/^index cn .*/index cn eq/'
edited '$amultival cn 10,5'
edited '/^include.*nis/d'
ditadd --openldap=2.6 --publish
edited 's/^maxsize.*/maxsize 8192/'
edited 's/^maxsize.*/maxsize 8192/' --grow
ditadd --status
rm db/data.mdb
ditadd --status
# The manifest is that of another file.
fresh
bytes=$(sed -n '/"bytes"/h; ${g;p}' $manifest)
cp db/ditkit-prepared/data.mdb data.mdb
ditadd --openldap=2.7 --prepare -l "$DATA/ldif/bare.ldif"
sed -i "/\"page_bytes\"/{n;s/.*/$bytes/}" $manifest
cp data.mdb db/ditkit-prepared
ditadd --openldap=2.7 --publish
# Other bytes of the same length; then another length; then no manifest, and a folder for it.
fresh
printf x | dd of=db/ditkit-prepared/data.mdb bs=1 seek=9000 conv=notrunc status=none
ditadd --publish
echo >>db/ditkit-prepared/data.mdb
ditadd --status
ditadd --publish
rm $manifest
ditadd --status
ditadd --publish
mkdir db/ditkit-prepared/manifest.json
ditadd --status
rmdir db/ditkit-prepared/manifest.json
ditadd --abandon
# A killed load leaves that.
mkdir db/ditkit-staging
ditadd --status
ditadd --abandon
echo file >db/ditkit-prepared
ditadd --status
ditadd --prepare -l "$DATA/ldif/bare.ldif"
rm db/ditkit-prepared
ls -A db
# Others may write in it.
fresh
chmod g+w db/ditkit-prepared
ditadd --publish
# Somebody has the database.
chmod g-w db/ditkit-prepared
flock db "$DITADD" --openldap=2.5 -f slapd.conf --publish
flock db "$DITADD" -f slapd.conf --abandon
flock db "$DITADD" -f slapd.conf --prepare -l "$DATA/ldif/bare.ldif"
ditadd --status
for options in "--prepare --publish" "--prepare -u" "--publish -l x" "--status x" --json; do
	ditadd $options
done
