# Nothing to check is not "nothing is wrong".
"$DITCHECK" --quick -f slapd.conf
echo $?
"$DITCHECK" --quick --database nowhere
echo $?
"$DITCHECK" --quick -f nowhere.conf
