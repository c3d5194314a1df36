# Without -c the first refused record ends the run, and the database stays as it was.
"$DITADD" -f slapd.conf -l "$DATA/errors/mixed.ldif"
echo $?
ls -A db
