# A dry run, an estimate and a failed load name the entries that are there already, and
# what to do; with -c the load leaves them out, and with -d 0 a dry run says nothing. An
# entry that is not there is no fault.
sed '/^$/q' "$DATA/ldif/bare.ldif" >suffix.ldif
"$DITADD" -f slapd.conf suffix.ldif
cp db/data.mdb before
"$DITADD" -u -f slapd.conf "$DATA/ldif/bare.ldif"
echo "dry run: $?"
"$DITADD" --estimate -f slapd.conf "$DATA/ldif/bare.ldif" >estimate
echo "estimate: $?"
cd "$DATA/ldif" && "$DITADD" -f "$OLDPWD/slapd.conf" bare.ldif
echo "load: $?"
cd "$OLDPWD" || exit 1
"$DITADD" -u -c -f slapd.conf "$DATA/ldif/bare.ldif"
"$DITADD" -u -d 0 -f slapd.conf "$DATA/ldif/bare.ldif"
"$DITADD" --estimate -c -f slapd.conf "$DATA/ldif/bare.ldif" >estimate
echo "estimate with -c: $?"
printf 'dn: cn=new,dc=example,dc=com\nobjectClass: device\ncn: new\n' >new.ldif
"$DITADD" -u -f slapd.conf new.ldif
cmp before db/data.mdb
# A dry run says that it could not look; the load itself is told by the opening.
head -c 3000 before >db/data.mdb
"$DITADD" -u -f slapd.conf new.ldif
echo "dry run over damage: $?"
