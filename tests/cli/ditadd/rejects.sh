# Records that are left out can be found in the reject file, with the reason.
"$DITADD" -c -f slapd.conf --rejects rejects.ldif -l "$DATA/errors/mixed.ldif" 2>/dev/null
echo $?
cat rejects.ldif
