# The files have the configured mode, less the umask, and the directory's owner.
umask 027
echo 'mode 0666' >>slapd.conf
"$DITADD" -f slapd.conf -l "$DATA/ldif/bare.ldif"
stat -c '%a %n' db/*
[ "$(stat -c '%u:%g' db)" = "$(stat -c '%u:%g' db/data.mdb)" ]
