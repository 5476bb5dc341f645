// The peer of the request rows: node:http answering the same bytes, and nothing else.
import {createServer} from 'node:http'

const {status, headers, body} = JSON.parse(process.argv[2])
const payload = Buffer.from(body)
const server = createServer((_request, response) => {
  response.writeHead(status, headers)
  response.end(payload)
})
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({port: server.address().port})))
process.once('SIGTERM', () => process.exit(0))
