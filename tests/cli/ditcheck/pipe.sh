# A pipe in the place of a file: ditcheck does not wait for its other end.
mkfifo pipe db/data.mdb
timeout 20 "$DITCHECK" --quick --database pipe
echo $?
timeout 20 "$DITCHECK" --quick --database db/data.mdb
echo $?
timeout 20 "$DITCHECK" --compare pipe db
echo $?
timeout 20 "$DITCHECK" --quick --database /dev/null
echo $?
