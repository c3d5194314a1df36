# The example directory of the documentation.
mkdir demo-db
"$DITADD" -q -f "$DATA/../../doc/examples/slapd.conf" \
	-l "$DATA/../../doc/examples/people.ldif"
echo $?
ls demo-db
