import type {AppDefinition, Service} from '../../src/catalog/definition.js'
import {servedPorts} from '../../src/catalog/endpoints.js'
import type {DockerHost} from './docker-host.js'

// No image of the catalog can be pulled in a lab. A stand-in carries the name of one, listens on the ports of its service and answers whatever is asked
// there with its environment. Programs that definitions call in it only say that all is well, or what the test gives them to say.

export interface StandInWish {
  /** What programs print, by name. */
  readonly says?: Readonly<Record<string, string>>
}

/** What servers are started with: the service goes on for ever as its stand-in. */
const servers = ['prometheus', 'docker-entrypoint.sh', 'caddy']

/** Tools of health checks, prepare steps and Dockerfiles. */
const tools = ['pg_isready', 'psql', 'mysqladmin', 'mysql', 'mongosh', 'redis-cli', 'valkey-cli', 'node', 'curl', 'forgejo', 'chown']

const serve = `#!/bin/sh
# One listener a port; a command of a server that checks something is done at once.
case "$1" in validate|status) exit 0;; esac
for port in $STAND_IN_PORTS; do nc -ll -p "$port" -e /bin/answer & done
echo "stand-in serves $STAND_IN_PORTS"
while :; do sleep 3600 & wait $!; done
`

const answer = `#!/bin/sh
while read -r line; do [ "$line" = "$(printf '\\r')" ] && break; done
printf 'HTTP/1.0 200 OK\\r\\nContent-Type: text/plain\\r\\n\\r\\n'
env
`

const tool = `#!/bin/sh
name=\${0##*/}
echo "$name $*" >>/tmp/calls
case " $* " in *" -o /dev/null "*) exit 0;; esac
[ -e "/says/$name" ] && cat "/says/$name" || echo ok
`

const asUser = `#!/bin/sh
shift
exec "$@"
`

const entry = `#!/bin/sh
case "$1" in sh|/bin/sh) exec "$@";; esac
exec /bin/serve
`

/** Makes a stand-in for every image that the services of some definitions name, and for those that their Dockerfiles start from. */
export async function addStandIns(host: DockerHost, definitions: readonly AppDefinition[], {says = {}}: StandInWish = {}): Promise<void> {
  await host.buildImage({
    name: 'lab/stand-in:1',
    dockerfile: `FROM lab/base:1
COPY bin /bin/
COPY says /says/
RUN cd /bin && chmod 755 serve answer tool su-exec entry \\
 && for name in ${servers.join(' ')}; do ln -sf /bin/serve $name; done; ln -s /bin/serve /garage; ln -s /bin/serve /entrypoint.sh \\
 && for name in ${tools.join(' ')}; do rm -f $name; cp tool $name; done
STOPSIGNAL SIGKILL
ENTRYPOINT ["/bin/entry"]
`,
    files: {
      'bin/serve': serve, 'bin/answer': answer, 'bin/tool': tool, 'bin/su-exec': asUser, 'bin/entry': entry, 'says/nothing': '',
      ...Object.fromEntries(Object.entries(says).map(([name, text]) => [`says/${name}`, text])),
    },
  })
  for (const [name, ports] of imagesOf(definitions)) await host.buildImage({name, dockerfile: `FROM lab/stand-in:1\nENV STAND_IN_PORTS="${ports.join(' ')}"\n`})
}

function imagesOf(definitions: readonly AppDefinition[]): ReadonlyMap<string, readonly number[]> {
  const images = new Map<string, number[]>()
  for (const service of definitions.flatMap(({services = []}) => services)) {
    for (const image of namesOf(service)) images.set(image, [...new Set([...(images.get(image) ?? []), ...servedPorts(service), ...checkedPorts(service)])])
  }
  return images
}

function namesOf({image, build}: Service): string[] {
  if (build === undefined) return image === undefined ? [] : [image]
  return [...build.dockerfile.matchAll(/^FROM\s+(\S+)/gim)].map(([, name = '']) => name)
}

function checkedPorts({healthcheck}: Service): number[] {
  return [...JSON.stringify(healthcheck ?? {}).matchAll(/127\.0\.0\.1:(\d+)/g)].map(([, port]) => Number(port))
}
