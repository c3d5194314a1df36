# SPDX-License-Identifier: BSD-2-Clause
"""What kubectl does for kubernetes/load.sh, without a cluster: each manifest is compared with
the published schema, in the form that Kubernetes' client for Python has it; the pods of an
Indexed Job run in chroots.

  kube.py apply | delete | get | logs ... -f FILE      as kubectl; $KUBE has root and state
  kube.py check FILE...                                only the schema
"""
import os
import re
import subprocess
import sys

import kubernetes.client as client
import yaml

KINDS = {('v1', 'PersistentVolumeClaim'): 'V1PersistentVolumeClaim', ('batch/v1', 'Job'): 'V1Job'}


def check(value, kind, where):
    """value is what the schema calls kind, and has no field that is unknown to it."""
    part = re.match(r'(list|dict)\[(.*)\]$|dict\((.*)\)$', kind)
    if part and kind.startswith('list'):
        assert isinstance(value, list), f'{where}: not a list'
        for i, item in enumerate(value):
            check(item, part[2], f'{where}[{i}]')
    elif part:
        for name, item in value.items():
            check(item, (part[2] or part[3]).split(', ')[1], f'{where}.{name}')
    elif kind in ('str', 'int', 'bool'):
        assert type(value).__name__ == kind, f'{where}: not {kind}'
    elif kind != 'object':
        model = getattr(client, kind)
        names = {outside: inside for inside, outside in model.attribute_map.items()}
        for name, item in value.items():
            assert name in names, f'{where}: unknown field {name}'
            check(item, model.openapi_types[names[name]], f'{where}.{name}')
        # The constructor refuses an object that lacks a field.
        model(**{names[name]: item for name, item in value.items()})


def read(path):
    """A manifest that follows the schema, and of a Job what the schema does not say."""
    with open(path, encoding='utf-8') as file:
        manifest = yaml.safe_load(file)
    kind = KINDS[manifest['apiVersion'], manifest['kind']]
    check(manifest, kind, os.path.basename(path))
    if kind == 'V1Job':
        spec, pod = manifest['spec'], manifest['spec']['template']['spec']
        assert spec['completionMode'] == 'Indexed', 'not Indexed'
        assert spec['completions'] == spec['parallelism'], 'not all pods at once'
        assert pod['restartPolicy'] in ('Never', 'OnFailure'), 'restartPolicy'
        volumes = {volume['name'] for volume in pod['volumes']}
        for container in pod['containers']:
            mounts = {mount['name'] for mount in container['volumeMounts']}
            assert mounts == volumes, f'mounts {mounts}, volumes {volumes}'
    return manifest


def claims(manifest):
    volumes = manifest['spec']['template']['spec']['volumes']
    return {volume['persistentVolumeClaim']['claimName'] for volume in volumes}


def run(job, kube):
    """All pods at once; one that fails is started again, backoffLimit times in all."""
    spec = job['spec']
    container = spec['template']['spec']['containers'][0]
    env = {variable['name']: variable['value'] for variable in container.get('env', [])}
    env['PATH'] = '/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin'
    left = spec['backoffLimit']

    def start(index):
        with open(f'{kube}/log', 'a', encoding='utf-8') as log:
            return subprocess.Popen(['chroot', f'{kube}/root{index}'] + container['command'],
                                    env=env | {'JOB_COMPLETION_INDEX': str(index)},
                                    stdout=log, stderr=log)
    pods = {index: start(index) for index in range(spec['completions'])}
    while pods:
        for index, pod in list(pods.items()):
            if pod.wait() == 0:
                del pods[index]
            elif left == 0:
                return 'Failed'
            else:
                left -= 1
                pods[index] = start(index)
    return 'Complete'


def main(words):
    verb, kube = words[0], os.environ.get('KUBE')
    if verb == 'check':
        for path in words[1:]:
            read(path)
        return
    if verb == 'logs':
        with open(f'{kube}/log', encoding='utf-8') as log:
            print(log.read())
        return
    manifest = read(words[words.index('-f') + 1])
    state = f'{kube}/{manifest["metadata"]["name"]}.{manifest["kind"]}'
    if verb == 'get':
        with open(state, encoding='utf-8') as file:
            print(file.read())
    elif verb == 'delete':
        if os.path.exists(state):
            os.unlink(state)
    elif not os.path.exists(state):
        result = 'Bound'
        if manifest['kind'] == 'Job':
            for claim in claims(manifest):
                assert os.path.exists(f'{kube}/{claim}.PersistentVolumeClaim'), claim
            result = run(manifest, kube)
        with open(state, 'w', encoding='utf-8') as file:
            file.write(result)


main(sys.argv[1:])
