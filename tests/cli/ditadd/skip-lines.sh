"$DITADD" -v -j 7 -f slapd.conf -l "$DATA/ldif/bare.ldif"
