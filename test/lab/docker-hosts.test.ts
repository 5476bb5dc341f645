import {existsSync} from 'node:fs'
import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {describe, expect, it, onTestFinished} from 'vitest'
import type {DockerHost} from './docker-host.js'
import {dockerHostsMissing, startDockerHosts} from './docker-hosts.js'
import {readyImageNames} from './docker-images.js'
import {startGitServers} from './git-server.js'
import {untilTrue} from './lab-processes.js'
import {sharedPart} from './shared-part.js'
import {labRunner} from './ssh-target.js'
import {servePage, untilServes} from './web-page.js'

describe.skipIf(dockerHostsMissing() !== null)('two Docker hosts', () => {
  const lab = sharedPart(() => startDockerHosts(2))
  const one = sharedPart(() => lab.host(1))
  const two = sharedPart(() => lab.host(2))

  /** Runs a container until the test is over. */
  async function runContainer(host: DockerHost, ...words: readonly string[]): Promise<string> {
    const id = (await host.docker('run', '--detach', ...words)).trim()
    onTestFinished(async () => void (await host.docker('rm', '--force', '--volumes', id)))
    return id
  }

  it('are machines of their own: name, address, files, users, processes and engine', async () => {
    expect(await one.run('hostname')).toBe('docker-1\n')
    expect(await two.run('hostname')).toBe('docker-2\n')
    await one.run('mkdir -p /var/lib/thing && echo one >/var/lib/thing/name && echo here >/root/here && useradd -m extra')
    expect((await two.attempt('cat /var/lib/thing/name')).exitCode).toBe(1)
    expect(await two.run('ls /root')).toBe('')
    expect(existsSync('/var/lib/thing')).toBe(false)
    expect(await readFile(join(one.folder, 'var/lib/thing/name'), 'utf8')).toBe('one\n')
    expect((await two.attempt('id extra')).exitCode).toBe(1)
    expect(await readFile('/etc/passwd', 'utf8')).not.toMatch(/^extra:/m)
    expect((await one.run('ps -eo comm')).split('\n').filter((name) => name === 'dockerd')).toHaveLength(1)
    await one.docker('tag', 'lab/base:1', 'lab/mine:1')
    expect(await two.docker('image', 'ls', '--quiet', 'lab/mine')).toBe('')
    expect(await one.run('ls /var/run/docker.sock /usr/local')).toBe('/var/run/docker.sock\n\n/usr/local:\n')
  })

  it('let in root, a user with sudo, a user of the docker group, and one with neither', async () => {
    const {root, sudoer, member, guest} = one.users
    const ways = ['docker ps --quiet', 'sudo -n docker ps --quiet']
    const codes = async (user: typeof root) => Promise.all(ways.map(async (command) => (await one.attempt(command, {user})).exitCode))
    expect(await codes(root)).toEqual([0, 0])
    expect(await codes(sudoer)).toEqual([1, 0])
    expect(await codes(member)).toEqual([0, 1])
    expect(await codes(guest)).toEqual([1, 1])
    expect(await one.run('pwd; id -un; echo "$DOCKER_HOST"; cat', {user: sudoer, input: 'said'})).toBe('/home/sudoer\nsudoer\nunix:///var/run/docker.sock\nsaid')
    const late = await one.addUser({name: 'late', sudo: 'with_password'})
    expect(await one.run('sudo -S -p "" id -un', {user: late, input: `${late.password}\n`})).toBe('root\n')
    await expect(one.run('echo why >&2; exit 4', {user: guest})).rejects.toThrow(/ended with 4: why/)
  })

  it('are servers for the program under test too', async () => {
    const {exitCode, stdout} = await labRunner(lab, two.sshd, two.users.member).exec(['docker', 'info', '--format', '{{.Name}} {{.Driver}} {{.ServerVersion}}'], {signal: AbortSignal.timeout(10_000)})
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^docker-2 vfs 20\.10\./)])
  })

  it('bring a project up with docker-compose 1.29: published port, named volume, network, exec', async () => {
    const compose = {
      version: '3.8',
      services: {
        web: {image: 'lab/web:2', ports: ['8081:80'], volumes: ['kept:/kept'], networks: ['inner']},
        client: {image: 'lab/base:1', command: ['sh', '-c', 'until wget -q -O /tmp/page http://web/; do sleep 0.1; done; cat /tmp/page; exec sleep 600'], networks: ['inner']},
      },
      volumes: {kept: {}},
      networks: {inner: {}},
    }
    expect(await one.run('docker-compose version --short')).toMatch(/^1\.29\./)
    await one.run('mkdir -p /srv/shop && cat >/srv/shop/docker-compose.yml', {input: JSON.stringify(compose)})
    const project = 'cd /srv/shop && docker-compose --no-ansi'
    onTestFinished(async () => void (await one.run(`${project} down --volumes --timeout 1`)))
    await one.run(`${project} up -d`)
    await untilServes(`http://${one.address}:8081/`, 'version 2')
    await untilTrue(async () => (await one.run(`${project} logs client`)).includes('version 2'), {what: 'one service to reach the other by its name'})
    await one.run(`${project} exec -T web sh -c 'echo data >/kept/file'`)
    expect(await one.docker('run', '--rm', '--volume', 'shop_kept:/kept', 'lab/base:1', 'cat', '/kept/file')).toBe('data\n')
    expect(await two.docker('ps', '--quiet')).toBe('')
  })

  it('reach each other by address and by name, and what listens on this machine', async () => {
    await runContainer(one, '--publish', '8082:80', 'lab/web:3')
    await untilServes(`http://${one.address}:8082/`, 'version 3')
    expect(await two.run('busybox wget -q -O - http://docker-1:8082/')).toBe('version 3\n')
    expect(await two.docker('run', '--rm', 'lab/base:1', 'wget', '-q', '-O', '-', `http://${one.address}:8082/`)).toBe('version 3\n')
    const server = await servePage(lab.gateway, 'from outside')
    onTestFinished(() => server.close())
    expect(await one.run(`busybox wget -q -O - ${server.url}`)).toBe('from outside')
    expect(await one.docker('run', '--rm', 'lab/base:1', 'wget', '-q', '-O', '-', server.url)).toBe('from outside')
  })

  it('clone from git servers that listen on their side of this machine', async () => {
    const git = await startGitServers({address: lab.gateway})
    onTestFinished(() => git.stop())
    const {head} = await git.repository('shop', [{message: 'Open the shop', files: {Dockerfile: 'FROM lab/base:1\n'}}])
    for (const url of [git.daemonUrl('shop'), git.httpUrl('shop')]) {
      expect(await one.run(`rm -rf clone && git clone --quiet ${url} clone && git -C clone rev-parse HEAD`, {user: one.users.guest})).toBe(`${await head()}\n`)
    }
  })

  it('have no way out, and say so at once', async () => {
    const begun = Date.now()
    const refused = {exitCode: 1, stderr: expect.stringMatching(/connection refused/)}
    expect(await one.attempt('docker pull registry.example.test/thing:1')).toMatchObject(refused)
    expect(await one.attempt('docker pull thing:1')).toMatchObject(refused)
    const inside = 'lab/base:1 wget -q -O - http://example.test/'
    expect(await one.attempt(`docker run --rm ${inside}`)).toMatchObject({exitCode: 1, stderr: expect.stringMatching(/bad address/)})
    expect(await one.attempt(`docker network create own && docker run --rm --network own ${inside}`)).toMatchObject({exitCode: 1, stderr: expect.stringMatching(/bad address/)})
    expect(await one.attempt('echo >/dev/tcp/192.0.2.77/80')).toMatchObject({exitCode: 1, stderr: expect.stringMatching(/Network is unreachable/)})
    expect(Date.now() - begun).toBeLessThan(30_000)
  })

  it('have images that serve a version, pass or fail their health check, or exit at once', async () => {
    expect((await two.docker('image', 'ls', '--format', '{{.Repository}}:{{.Tag}}', 'lab/*')).trim().split('\n').sort()).toEqual([...readyImageNames].sort())
    await runContainer(two, '--publish', '8083:80', '--env', 'VERSION=2026.1', 'lab/web:1')
    await untilServes(`http://${two.address}:8083/`, 'version 2026.1')
    const health = (id: string) => two.docker('inspect', '--format', '{{.State.Health.Status}}', id)
    const [healthy, unhealthy] = [await runContainer(two, 'lab/healthy:1'), await runContainer(two, 'lab/unhealthy:1')]
    await untilTrue(async () => (await health(healthy)) === 'healthy\n' && (await health(unhealthy)) === 'unhealthy\n', {what: 'both health checks'})
    expect(await two.attempt('docker run --rm lab/exits:1')).toEqual({exitCode: 3, stdout: '', stderr: 'this container gives up\n'})
  })

  it('build images from files', async () => {
    const dockerfile = 'FROM lab/base:1\nCOPY pages /www\nRUN echo built >>/www/index.html\nCMD ["cat", "/www/index.html", "/www/deep/file"]\n'
    const id = await one.buildImage({name: 'lab/built:1', dockerfile, files: {'pages/index.html': 'page\n', 'pages/deep/file': Buffer.from('deep\n')}})
    expect(id).toMatch(/^sha256:[0-9a-f]{64}$/)
    expect(await one.docker('run', '--rm', 'lab/built:1')).toBe('page\nbuilt\ndeep\n')
    await expect(one.buildImage({name: 'lab/broken:1', dockerfile: 'FROM lab/base:1\nRUN exit 9\n'})).rejects.toThrow(/code: 9/)
  })

  it('lose their engine as in a crash, and have it back with what it kept', async () => {
    const id = await runContainer(one, '--publish', '8084:80', '--restart', 'always', 'lab/web:1')
    await untilServes(`http://${one.address}:8084/`, 'version 1')
    await one.killDockerd()
    await one.killDockerd()
    expect(await one.attempt('docker ps')).toMatchObject({exitCode: 1, stderr: expect.stringMatching(/Is the docker daemon running/)})
    expect(await one.run('ps -eo comm')).toMatch(/^httpd$/m)
    expect(await two.run('docker ps --quiet')).toBe('')
    await one.startDockerd()
    await one.startDockerd()
    await untilServes(`http://${one.address}:8084/`, 'version 1')
    expect(await one.docker('ps', '--quiet', '--no-trunc')).toBe(`${id}\n`)
  })

  it('stop their engine in order: containers first', async () => {
    const id = await runContainer(two, 'lab/web:1')
    await two.stopDockerd()
    expect(await two.run('ps -eo comm')).not.toMatch(/^(httpd|dockerd|containerd.*)$/m)
    expect((await two.attempt('docker ps')).exitCode).toBe(1)
    await two.startDockerd()
    expect(await two.docker('inspect', '--format', '{{.State.Status}}', id)).toBe('exited\n')
  })

  it('lose their SSH server while containers go on', async () => {
    await runContainer(two, '--publish', '8085:80', 'lab/web:1')
    await two.sshd.kill()
    expect((await two.attempt('true')).exitCode).toBe(255)
    await untilServes(`http://${two.address}:8085/`, 'version 1')
    await two.sshd.start()
    expect((await two.attempt('true')).exitCode).toBe(0)
  })
})
