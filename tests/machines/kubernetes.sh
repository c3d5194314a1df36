#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The example for Kubernetes: its manifests follow the published schema, and its Jobs, with
# kube.py as kubectl, load 4 parts into 3 shards. A pod runs in a chroot. The workflow of
# doc/packaging/ci is YAML.
#
#   DIT_IMAGE   a root that debootstrap has made, with slapd [the /usr of this machine]
entries=20000
[ "${DIT_LONG-}" != yes ] || entries=2000000
. "$(dirname "$0")/machines_lib.sh"
kube=$DIT_SRCDIR/tests/machines/kube.py
export KUBE=$work/kube
manifests=/srv/ditkit/kubernetes

make_image() {
	local image=$work/image name pod
	mkdir -p "$KUBE" "$image/srv" "$image/proc" "$image/tmp" "$image/usr" "$image/etc/ldap"
	if [ -n "${DIT_IMAGE-}" ]; then
		mount --bind "$DIT_IMAGE" "$image"
	else
		for name in bin sbin lib lib64; do
			ln -s usr/$name "$image/$name"
		done
		mount --bind /usr "$image/usr"
		mount --bind /etc/ldap "$image/etc/ldap"
	fi
	mount --bind "$(dirname "$DITADD")" "$image/usr/local/sbin"
	mount --bind /srv "$image/srv"
	mount -t proc proc "$image/proc"
	for pod in 0 1 2 3; do
		mkdir "$KUBE/root$pod"
		mount --rbind "$image" "$KUBE/root$pod"
	done
	printf '#!/bin/sh\nexec /usr/bin/python3 %s "$@"\n' "$kube" >"$work/kubectl"
	chmod +x "$work/kubectl"
	PATH=$work:$PATH
}

# wrong FILE SED TEXT: a manifest with this change is refused
wrong() {
	sed "$2" $manifests/$1.yaml >"$work/wrong.yaml"
	refused "$1.yaml, $2" "$3" python3 "$kube" check "$work/wrong.yaml"
}

make_input
load_one
make_image
check "the manifests follow the schema" python3 "$kube" check $manifests/*.yaml
check "the workflow of doc/packaging/ci" python3 -c 'import sys, yaml
assert len(yaml.safe_load(open(sys.argv[1]))["jobs"]["check"]["steps"]) == 4' \
	"$DIT_SRCDIR/doc/packaging/ci/check.yml"
wrong split 's/completionMode/completionmode/' 'unknown field completionmode'
wrong split 's/parallelism: 4/parallelism: 2/' 'not all pods at once'
wrong prepare 's/^        - name: load/        - name: lode/' 'mounts .*'
wrong publish 's/- name: step/- tty: true/' 'Invalid value for `name`'
wrong volume 's/storage: .*/- storage/' '.*(Error|dict).*'
reset_load
check "kubernetes: a load" printed Kubernetes
check "kubernetes: all shards together are the load on one machine" is_whole
check "kubernetes: the same load again changes nothing" printed Kubernetes
check "kubernetes: all shards are as they were" sums_agree

reset_load
mount -t tmpfs -o size=300k,mode=755 none /srv/ditkit/db/b
refused "a full disk" 'No space left on device' printed Kubernetes
check "nothing is published" nothing_published
umount /srv/ditkit/db/b
check "the load is repeated with more space" printed Kubernetes
check "it is whole" is_whole
finish
