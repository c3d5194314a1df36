"$DITCAT" --help
