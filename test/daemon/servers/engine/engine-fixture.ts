import {systemClock, type Clock} from '../../../../daemon/clock.js'
import type {Engine} from '../../../../daemon/servers/engine/engine.js'
import {EngineLink} from '../../../../daemon/servers/engine/engine-link.js'
import {serverEngine} from '../../../../daemon/servers/engine/server-engine.js'
import {localRunner} from '../../../../daemon/servers/local.js'
import type {Runner} from '../../../../daemon/servers/runner.js'
import type {ConnectionPool} from '../../../../daemon/servers/ssh/connection-pool.js'
import type {DockerHost} from '../../../lab/docker-host.js'
import type {LabKeys} from '../../../lab/lab-keys.js'
import type {LabUser} from '../../../lab/lab-users.js'
import {hopTo, labPool, runnerTo, targetOf} from '../../../lab/ssh-target.js'

export interface TestEngine {
  readonly engine: Engine
  readonly link: EngineLink
  readonly runner: Runner
  readonly pool: ConnectionPool
  close(): void
}

export interface EngineWish {
  readonly lab: Pick<LabKeys, 'key'>
  readonly host: DockerHost
  readonly user: LabUser
  readonly clock?: Clock
  /** Also for sudo, where it asks. */
  readonly withPassword?: boolean
}

/** The engine of a host of the lab, over SSH as a user of it. */
export function engineOver({lab, host, user, clock = systemClock, withPassword = false}: EngineWish): TestEngine {
  const pool = labPool({clock})
  const target = targetOf([hopTo(host.sshd, user, {privateKey: lab.key, ...(withPassword ? {password: user.password} : {})})], {name: host.name})
  const runner = runnerTo(target, pool)
  const subject = {serverId: 'srv_lab', name: host.name}
  const link = new EngineLink({clock, findServer: async () => ({runner, subject, env: {}}), signInAnew: () => pool.signInAnew('srv_lab')})
  return {
    engine: serverEngine('srv_lab', link), link, runner, pool,
    close() {
      link.forget()
      pool.close()
    },
  }
}

/** The engine of a host of the lab as if it were that of this machine: through its socket, which is a file here too. */
export function engineHere(host: DockerHost, runsFolder: string): TestEngine {
  const runner = localRunner({serverId: 'srv_local', clock: systemClock, runsFolder, surroundings: {PATH: '/usr/sbin:/usr/bin:/sbin:/bin'}})
  const subject = {serverId: 'srv_local', name: 'the local machine'}
  const link = new EngineLink({clock: systemClock, findServer: async () => ({runner, subject, env: {DOCKER_HOST: host.dockerHost}}), signInAnew: () => undefined})
  return {engine: serverEngine('srv_local', link), link, runner, pool: labPool(), close: () => link.forget()}
}
