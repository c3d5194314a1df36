"$DITADD" -q -o value-check=yes -f slapd.conf -l "$DATA/ldif/bare.ldif"
