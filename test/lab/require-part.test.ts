import {afterEach, beforeEach, expect, it, vi} from 'vitest'
import {missingPart} from './require-part.js'

let said = ''
beforeEach(() => {
  said = ''
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    said += String(text)
    return true
  })
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

it('says in one line what is missing and which package has it, and goes on', () => {
  vi.stubEnv('CI', '')
  // Neither is in the folders for administrators, which are looked at in any case.
  vi.stubEnv('PATH', '/nowhere')
  const line = missingPart('Docker hosts', ['docker', 'busybox', 'no-such-program'])
  expect(line).toBe('SKIPPED: no Docker hosts (docker, busybox, no-such-program not installed: apt-get install docker.io busybox-static no-such-program); its tests did not run')
  expect(said).toBe(`\n!!! ${line}\n`)
})

it('fails under CI', () => {
  vi.stubEnv('CI', 'true')
  expect(() => missingPart('Docker hosts', ['no-such-program'])).toThrow(/apt-get install no-such-program/)
})

it('looks at the machine once all programs are there', () => {
  vi.stubEnv('CI', '')
  const asRoot = process.getuid?.() === 0
  expect(missingPart('Docker hosts', ['sh'], {probe: () => 'no network namespaces here'})).toContain(asRoot ? '(no network namespaces here)' : '(needs root)')
  expect(missingPart('Docker hosts', ['no-such-program'], {probe: () => expect.unreachable()})).toContain('no-such-program')
  if (asRoot) expect(missingPart('Docker hosts', ['sh'])).toBe(null)
})
