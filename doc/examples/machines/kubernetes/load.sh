#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Kubernetes: one Job after the other; the next one when all pods of the last have succeeded.
set -eu
cd "$(dirname "$0")"
kubectl apply -f volume.yaml
for step in split prepare publish; do
	kubectl delete --ignore-not-found -f $step.yaml
	kubectl apply -f $step.yaml
	while :; do
		case $(kubectl get -f $step.yaml -o 'jsonpath={.status.conditions[*].type}') in
		*Complete*) break ;;
		*Failed*)
			kubectl logs --prefix -l job-name=ditkit-$step >&2
			exit 1
			;;
		esac
		sleep 5
	done
done
