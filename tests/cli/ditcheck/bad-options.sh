# Every wrong call says what is wrong with it.
for options in '--memory 1M' '--memory x' '--quick -b dc=x -n 1' '--stats --database db --filter-log err' \
	'--quick -n 0' '--quick -n x' '--quick -T 0' '--quick --max-findings -1' \
	'--quick extra' '--quick --nonsense' '--compare db' '--compare db db db' \
	'--compare --database db db db' '--compare -n 0 db db' '--compare --quick db db' '--quick --generated'; do
	# shellcheck disable=SC2086 # several words
	"$DITCHECK" $options 2>err
	echo "$?: $(head -1 err | sed 's,.*/ditcheck,ditcheck,')"
done
