import {enginePath} from '../ask-engine.js'
import {createExec, inspectExec, type ExecParts} from './exec-calls.js'

const endMs = 15_000

// Who may use the engine may still not signal its processes: then the id that the process has inside is told.
const endScript = `p=$1
if kill -TERM "$p" 2>/dev/null; then
  for i in 1 2 3 4; do sleep 0.5; kill -0 "$p" 2>/dev/null || exit 0; done
  kill -KILL "$p"
else
  sed -n 's/^NSpid:.*[[:space:]]//p' "/proc/$p/status"
fi`

/** The engine has no call that ends a command. */
export async function endExec({http, runner, sudo}: ExecParts, containerId: string, execId: string): Promise<void> {
  const signal = AbortSignal.timeout(endMs)
  const {Running, Pid} = await inspectExec(http, execId, signal)
  if (!Running || Pid === 0) return
  const {stdout} = await runner.exec(['/bin/sh', '-c', endScript, 'sh', String(Pid)], {sudo, signal})
  const inside = stdout.trim()
  if (!/^\d+$/.test(inside)) return
  const body = {Cmd: ['kill', '-KILL', inside], User: '0'}
  const killer = await createExec(http, containerId, body, signal)
  await http.json({method: 'POST', path: enginePath('exec', killer, 'start'), body: {Detach: true}, signal})
}
