# Nothing to load makes an empty database, which a later load may fill.
"$DITADD" -f slapd.conf -l /dev/null
ls db
"$DITADD" -v -f slapd.conf -l "$DATA/ldif/bare.ldif"
# It says so, where refused records are explained.
"$DITADD" --explain=no -f slapd.conf -l /dev/null
"$DITADD" -u -f slapd.conf -l /dev/null
