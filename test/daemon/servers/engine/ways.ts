import type {DockerHost} from '../../../lab/docker-host.js'

/** Leaves single commands of the client as the only way to the engine: none forwards to its socket, and the client is no bridge. Answers with the way back. */
export async function refuseWays(host: DockerHost): Promise<() => Promise<void>> {
  const forwarding = await refuseForwarding(host)
  await host.run('mkdir -p /usr/local/bin && cat >/usr/local/bin/docker && chmod 755 /usr/local/bin/docker', {
    input: '#!/bin/sh\ncase "$*" in "system dial-stdio") echo "unknown command" >&2; exit 1;; esac\nexec /usr/bin/docker "$@"\n',
  })
  return async () => {
    await host.run('rm -f /usr/local/bin/docker')
    await forwarding()
  }
}

/** The SSH server forwards to no socket any more: nobody but root has the permission, and root neither. */
export async function refuseForwarding(host: DockerHost): Promise<() => Promise<void>> {
  await host.run('cp /etc/ssh/authorized_keys /etc/ssh/authorized_keys.open && sed -i "s/^/no-port-forwarding /" /etc/ssh/authorized_keys')
  return async () => void (await host.run('mv /etc/ssh/authorized_keys.open /etc/ssh/authorized_keys'))
}
