# The data file ends at its last used page, whatever maxsize is.
"$DITADD" -q -f slapd.conf -l "$DATA/ldif/bare.ldif"
[ "$(stat -c %s db/data.mdb)" -lt 200000 ] || stat -c %s db/data.mdb
