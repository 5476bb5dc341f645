import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {runCommand} from '../../../../lab/lab-processes.js'
import {temporaryFolder} from '../../../start-test-daemon.js'

/** A key and a certificate that nobody has signed but itself. */
export async function selfSigned(): Promise<{key: string; cert: string}> {
  const folder = await temporaryFolder()
  await runCommand('openssl', [
    'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1', '-subj', '/CN=127.0.0.1', '-keyout', join(folder, 'key'), '-out', join(folder, 'cert'),
  ])
  const [key, cert] = await Promise.all([readFile(join(folder, 'key'), 'utf8'), readFile(join(folder, 'cert'), 'utf8')])
  return {key, cert}
}
