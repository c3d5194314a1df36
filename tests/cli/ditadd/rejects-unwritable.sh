"$DITADD" -c -f slapd.conf --rejects /nonexistent/rejects -l "$DATA/errors/mixed.ldif"
"$DITADD" -c -f slapd.conf --rejects "" -l "$DATA/errors/mixed.ldif"
echo $?
ls -A db
