"$DITADD" -v -f slapd.conf <"$DATA/ldif/bare.ldif"
rm -rf db
mkdir db
cat "$DATA/ldif/bare.ldif" | "$DITADD" -v -f slapd.conf
