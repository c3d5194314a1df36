# A database that is right: one line, and more with -v; exit status 0.
"$DITADD" -q -f slapd.conf -l "$DATA/ldif/bare.ldif"
"$DITCHECK" --quick -f slapd.conf
echo $?
"$DITCHECK" --quick -v --database db | sed 's/ [0-9]* pages/ N pages/; s/: [0-9]* in trees, [0-9]* free/: N in trees, N free/'
