"$DITADD" -f slapd.conf --writer=tape
