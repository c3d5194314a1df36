"$DITADD" -f slapd.conf --index-keys=hashed
