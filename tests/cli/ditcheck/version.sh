"$DITCHECK" -V
"$DITCHECK" --version
