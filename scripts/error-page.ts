import {commonFaults, faultTable, type FaultCode} from '../src/contract/faults.js'

/** The text of docs/errors.md. */
export function renderErrorPage(): string {
  const common = new Set<string>(commonFaults)
  const rows = (codes: readonly [string, (typeof faultTable)[FaultCode]][]) =>
    codes.map(([code, {status, exit, meaning}]) => `| \`${code}\` | ${status} | ${exit} | ${meaning} |`)
  const all = Object.entries(faultTable)
  const heading = ['| code | status | exit | meaning |', '| --- | --- | --- | --- |']
  return [
    '# Errors',
    '',
    'Made from the fault table by `npm run generate`; do not edit.',
    '',
    'The daemon answers a failure with the HTTP status and the body `{"error": "<one line>", "code": "<CODE>"}`; the command line ends with the exit',
    'number and, with `--json`, prints `{"error": {"code", "message", …}}` on stdout. Branch on `code`; the wording of messages may change.',
    '',
    'Exit numbers: 0 done, 1 failed, 2 wrong usage or configuration, 4 not signed in or not allowed, 8 accepted but not finished when waiting ended,',
    '130 interrupted.',
    '',
    '## Any route',
    '',
    ...heading,
    ...rows(all.filter(([code]) => common.has(code))),
    '',
    '## Single routes and the command line',
    '',
    ...heading,
    ...rows(all.filter(([code]) => !common.has(code))),
    '',
  ].join('\n')
}
