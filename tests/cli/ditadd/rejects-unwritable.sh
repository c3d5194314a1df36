"$DITADD" -c -f slapd.conf --rejects /nonexistent/rejects -l "$DATA/errors/mixed.ldif"
echo $?
ls -A db
