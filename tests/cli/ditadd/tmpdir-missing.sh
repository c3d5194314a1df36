# Refused at the start, not when the memory is full.
"$DITADD" -f slapd.conf --tmpdir /nonexistent/tmp -l "$DATA/ldif/bare.ldif"
echo $?
ls -A db
