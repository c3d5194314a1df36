# A database that is passed over is told in slapcat's words.
"$DITADD" -q -f slapd.conf -l "$DATA/ldif/bare.ldif"
sed 's/^database mdb/database monitor\n&/; s/^moduleload back_mdb/&\nmoduleload back_monitor/' \
	slapd.conf >other.conf
"$DITCHECK" -f other.conf
