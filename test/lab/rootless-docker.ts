import type {DockerHost} from './docker-host.js'
import type {LabUser} from './lab-users.js'
import {untilTrue} from './lab-processes.js'
import {missingPart} from './require-part.js'

const script = '/usr/share/docker.io/contrib/dockerd-rootless.sh'

/** Null where the machine has all that a rootless engine needs, besides what Docker hosts do. */
export function rootlessMissing(): string | null {
  return missingPart('rootless Docker', ['rootlesskit', 'newuidmap', 'slirp4netns'])
}

export interface RootlessDocker {
  readonly user: LabUser
  /** The socket of the engine, where a session of the user has it. */
  readonly socket: string
  /** Runs the client of the host on that engine. */
  docker(command: string): Promise<string>
}

/** A user of a host with an engine of its own, beside that of root. It goes with the host. */
export async function startRootlessDocker(host: DockerHost, name: string): Promise<RootlessDocker> {
  const user = await host.addUser({name})
  const uid = (await host.run(`id -u ${name}`)).trim()
  const folder = `/run/user/${uid}`
  const socket = `${folder}/docker.sock`
  // The SSH server of the host names the engine of root for everyone. Of the devices only this machine's own are there: the host gets a tunnel that users may open.
  await host.run(`echo unset DOCKER_HOST >${user.home}/.bashrc
    mkdir -p ${folder} && chown ${name} ${folder} && chmod 700 ${folder} && chmod 755 /run
    [ -e /srv/tun ] || { mknod /srv/tun c 10 200 && chmod 666 /srv/tun && mount --bind /srv/tun /dev/net/tun; }`)
  await host.run(`export XDG_RUNTIME_DIR=${folder} PATH="$PATH:/usr/sbin:/sbin"; setsid sh ${script} --storage-driver vfs >~/dockerd.log 2>&1 </dev/null &`, {user})
  const docker = (command: string) => host.run(`DOCKER_HOST=unix://${socket} docker ${command}`, {user})
  await untilTrue(async () => (await docker('version').catch(() => '')) !== '', {what: `the rootless engine of ${name} on ${host.name}, which logs to ${user.home}/dockerd.log`, withinMs: 45_000})
  return {user, socket, docker}
}
