import {describe, expect, test} from 'vitest'
import {startTestDaemon} from '../daemon/start-test-daemon.js'
import {runCommand, type RunOptions} from './run-command.js'

const document = async (argv: string[], options: RunOptions) => JSON.parse((await runCommand([...argv, '--json'], options)).stdout)

describe('tokens', () => {
  test('are created with their secret on stdout alone, listed without it, and revoked', async () => {
    const {home} = await startTestDaemon()
    const {stdout, stderr} = await runCommand(['tokens', 'create', 'pipeline', '--grant', 'job:*:read,write', '--read-only', '--expires-in-days', '90'], {home})
    const secret = stdout.trim()
    expect(stdout).toMatch(/^moor_pat_\w{43}\n$/)
    expect(stderr).not.toContain(secret)
    const listed = await runCommand(['tokens', 'list'], {home})
    expect(listed.stdout).toContain('\tpipeline\t')
    expect(listed.stdout).toContain('read, limited')
    expect(listed.stdout).not.toContain(secret)
    expect(await document(['whoami'], {home, variables: {MOORAGE_TOKEN: secret}})).toMatchObject({credential: {readOnly: true, grants: [{resourceType: 'job', permissions: ['read', 'write']}]}})
    expect(await runCommand(['tokens', 'revoke', 'pipeline'], {home})).toMatchObject({exitCode: 2, stderr: expect.stringContaining('--yes')})
    expect(await document(['tokens', 'revoke', 'pipeline', '--yes'], {home})).toMatchObject({name: 'pipeline', revoked: true})
    expect((await runCommand(['whoami'], {home, variables: {MOORAGE_TOKEN: secret}})).exitCode).toBe(4)
    expect((await document(['tokens', 'list'], {home})).items.map((token: {name: string}) => token.name)).not.toContain('pipeline')
    expect((await document(['tokens', 'list', '--revoked'], {home})).items.map((token: {name: string}) => token.name)).toContain('pipeline')
  })

  test('need grants or full access, not both', async () => {
    const {home} = await startTestDaemon()
    expect((await document(['tokens', 'create', 'a'], {home})).error.code).toBe('TOKEN_SCOPE_REQUIRED')
    expect((await document(['tokens', 'create', 'a', '--full-access', '--grant', 'job:*:read'], {home})).error.code).toBe('USAGE')
  })

  test('a read-only one changes nothing and says so with 4', async () => {
    const {home} = await startTestDaemon()
    const secret = (await document(['tokens', 'create', 'viewer', '--full-access', '--read-only'], {home})).token
    const {stdout, exitCode} = await runCommand(['projects', 'create', 'shop', '--json'], {home, variables: {MOORAGE_TOKEN: secret}})
    expect({exitCode, code: JSON.parse(stdout).error.code}).toEqual({exitCode: 4, code: 'TOKEN_READ_ONLY'})
  })

  test('of one name twice have to be told apart by id', async () => {
    const {home} = await startTestDaemon()
    const ids = [(await document(['tokens', 'create', 'a', '--full-access'], {home})).id, (await document(['tokens', 'create', 'a', '--full-access'], {home})).id]
    const {error} = await document(['tokens', 'revoke', 'a', '--yes'], {home})
    expect(error).toMatchObject({code: 'CONFLICT', message: '2 tokens are called a: give the id'})
    expect([...error.details.ids].sort()).toEqual([...ids].sort())
    expect((await runCommand(['tokens', 'revoke', ids[0], '--yes'], {home})).exitCode).toBe(0)
  })
})

describe('projects', () => {
  test('are created, listed, shown by slug and deleted', async () => {
    const {home} = await startTestDaemon()
    const created = await document(['projects', 'create', 'Shop', '--slug', 'shop', '--type', 'docker', '--port', '8080'], {home})
    expect(created).toMatchObject({name: 'Shop', slug: 'shop', projectType: 'docker', port: 8080})
    expect((await runCommand(['projects', 'list'], {home})).stdout).toMatch(/^proj_[\w-]+\tShop\tshop\tdocker\t/)
    expect((await document(['projects', 'show', 'shop'], {home})).id).toBe(created.id)
    expect(await runCommand(['projects', 'delete', 'shop'], {home})).toMatchObject({exitCode: 2})
    expect((await runCommand(['projects', 'delete', 'shop', '--yes'], {home})).exitCode).toBe(0)
    expect((await document(['projects', 'show', 'shop'], {home})).error).toMatchObject({code: 'NOT_FOUND', suggestions: ['moorage projects list']})
  })

  test('of one name twice are refused with the code of the API', async () => {
    const {home} = await startTestDaemon()
    await runCommand(['projects', 'create', 'shop'], {home})
    expect((await document(['projects', 'create', 'shop'], {home})).error.code).toBe('PROJECT_EXISTS')
  })

  test('fit a terminal', async () => {
    const {home} = await startTestDaemon()
    await runCommand(['projects', 'create', 'shop'], {home})
    const {stdout} = await runCommand(['projects', 'list'], {home, terminal: true, columns: 60, variables: {NO_COLOR: '1'}})
    expect(stdout.split('\n')[0]).toMatch(/^ID +NAME +SLUG/)
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(60)
  })
})

describe('members', () => {
  test('are added with a token of their own, given another role, and removed', async () => {
    const {home} = await startTestDaemon()
    const {stdout, stderr} = await runCommand(['members', 'add', 'kim@example.com', '--name', 'Kim Doe', '--role', 'admin'], {home})
    const secret = stdout.trim()
    expect(stderr).toContain('Kim Doe is admin')
    expect(await document(['whoami'], {home, variables: {MOORAGE_TOKEN: secret}})).toMatchObject({user: {email: 'kim@example.com'}, memberRole: 'admin'})
    expect((await document(['members', 'update', 'kim@example.com', '--role', 'member'], {home})).role).toBe('member')
    expect((await runCommand(['members', 'list'], {home})).stdout).toContain('kim@example.com\tmember')
    expect(await document(['members', 'remove', 'kim@example.com', '--yes'], {home})).toMatchObject({removed: true, tokensRevoked: 1})
    expect((await runCommand(['whoami'], {home, variables: {MOORAGE_TOKEN: secret}})).exitCode).toBe(4)
  })

  test('an address that is none names the argument', async () => {
    const {home} = await startTestDaemon()
    expect(await runCommand(['members', 'add', 'kim'], {home})).toMatchObject({exitCode: 2, stderr: expect.stringMatching(/^error: EMAIL: /)})
  })
})

test('the audit trail says who did what, and can be filtered', async () => {
  const {home} = await startTestDaemon()
  await runCommand(['projects', 'create', 'shop'], {home})
  const deadline = Date.now() + 10_000
  let items: {eventType: string; source: string}[] = []
  while (items.length === 0 && Date.now() < deadline) items = (await document(['audit', 'list', '--event', 'project.created'], {home})).items
  expect(items[0]).toMatchObject({eventType: 'project.created', source: 'cli'})
  expect((await document(['audit', 'list', '--event', 'project.deleted'], {home})).items).toEqual([])
  expect((await runCommand(['audit', 'list'], {home})).stdout).toContain('project.created\tOwner')
})

describe('api', () => {
  test('reads, with a query and without /api', async () => {
    const {home} = await startTestDaemon()
    const {stdout, exitCode} = await runCommand(['api', 'projects', '--query', 'limit=5'], {home})
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({data: [], pageInfo: {hasNextPage: false}})
  })

  test('posts what it is given, from the line or from stdin', async () => {
    const {home} = await startTestDaemon()
    expect(JSON.parse((await runCommand(['api', '/projects', '--data', '{"name":"shop"}'], {home})).stdout).data.name).toBe('shop')
    const {stdout} = await runCommand(['api', 'POST', '/api/projects', '--data', '-'], {home, stdin: '{"name":"blog"}'})
    expect(JSON.parse(stdout).data.name).toBe('blog')
  })

  test.each([
    [['api', '/nowhere'], 1, 'NOT_FOUND'], [['api', 'DELETE', '/projects/proj_x'], 1, 'NOT_FOUND'], [['api', 'POST', '/projects', '--data', '{}'], 2, 'VALIDATION_ERROR'],
    [['api', 'FETCH', '/projects'], 2, 'USAGE'], [['api', 'https://evil.example/'], 2, 'USAGE'], [['api', '/projects', '--data', '{'], 2, 'USAGE'], [['api', '/x', '--query', 'a'], 2, 'USAGE'],
  ])('%j ends with %i and %s', async (argv, exitCode, code) => {
    const {home} = await startTestDaemon()
    const result = await runCommand([...argv, '--json'], {home})
    expect({exitCode: result.exitCode, code: JSON.parse(result.stdout).error.code}).toEqual({exitCode, code})
  })
})

describe('doctor', () => {
  test('passes where everything is well', async () => {
    const {home} = await startTestDaemon()
    const {checks} = await document(['doctor'], {home})
    expect(checks.map((check: {name: string}) => check.name)).toEqual(['contexts', 'home', 'daemon', 'address', 'api', 'token', 'scheduler'])
    expect(checks.every((check: {status: string}) => check.status !== 'fail')).toBe(true)
  })

  test('names every check that failed, starts nothing, and ends with 1', async () => {
    const {home} = await startTestDaemon()
    const {stdout, exitCode} = await runCommand(['doctor', '--json'], {home, variables: {MOORAGE_TOKEN: 'moor_pat_wrong'}})
    const {error} = JSON.parse(stdout)
    expect(exitCode).toBe(1)
    expect(error.details.checks.filter((check: {status: string}) => check.status === 'fail').map((check: {name: string}) => check.name)).toEqual(['token', 'scheduler'])
  })
})
