# What would change the stored bytes and is not built yet is refused by name.
cp slapd.conf base.conf
for line in 'multival cn 5,3' 'subordinate'; do
	{
		cat base.conf
		echo "$line"
	} >slapd.conf
	"$DITADD" -f slapd.conf -l "$DATA/ldif/bare.ldif"
	echo $?
done
{
	echo 'sortvals cn'
	cat base.conf
} >slapd.conf
"$DITADD" -f slapd.conf -l "$DATA/ldif/bare.ldif"
echo $?
ls -A db
