# What would change the stored bytes and is not built yet is refused by name.
cp slapd.conf base.conf
for line in 'subordinate'; do
	{
		cat base.conf
		echo "$line"
	} >slapd.conf
	"$DITADD" -f slapd.conf -l "$DATA/ldif/bare.ldif"
	echo $?
done
ls -A db
