export interface ListeningSocket {
  readonly hostAddress: string
  readonly port: number
  readonly protocol: 'tcp' | 'udp'
}

// Listening TCP sockets (state 0A) and UDP sockets without a peer (07); a busy host has many thousand others. Of the network of a process where its id is given.
export const socketsScript = `for f in tcp tcp6 udp udp6; do
  echo "@ $f"
  grep -E '^ *[0-9]+: [0-9A-F]+:[0-9A-F]+ 0+:0000 (0A|07) ' "/proc/\${1:+$1/}net/$f" 2>/dev/null
done
exit 0`

const rowPattern = /^ *\d+: ([0-9A-F]{8}|[0-9A-F]{32}):([0-9A-F]{4}) 0+:0000 (0A|07) /

/** What the script printed, each socket once. */
export function parseListeningSockets(output: string): ListeningSocket[] {
  const found = new Map<string, ListeningSocket>()
  let protocol: 'tcp' | 'udp' | undefined
  for (const line of output.split('\n')) {
    if (line.startsWith('@ ')) protocol = line.startsWith('@ tcp') ? 'tcp' : 'udp'
    const [, address, port, state] = rowPattern.exec(line) ?? []
    if (protocol === undefined || address === undefined || port === undefined || (state === '0A') !== (protocol === 'tcp')) continue
    const socket = {hostAddress: toAddress(address), port: Number.parseInt(port, 16), protocol}
    found.set(`${protocol} ${socket.hostAddress} ${socket.port}`, socket)
  }
  return [...found.values()]
}

// The kernel prints words of 32 bits as the machine holds them, least byte first.
function toAddress(hex: string): string {
  const words = hex.match(/.{8}/g) ?? []
  const bytes = words.flatMap((word) => [...Buffer.from(word, 'hex')].reverse())
  if (bytes.length === 4) return bytes.join('.')
  const isMapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255
  if (isMapped) return bytes.slice(12).join('.')
  const groups = Array.from({length: 8}, (_, index) => (((bytes[2 * index] ?? 0) << 8) | (bytes[2 * index + 1] ?? 0)).toString(16))
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1)
}
