import type {Rule} from './rule.js'

const service = {name: 'web', image: 'ghcr.io/example/paste:1.4.2'}
const output = {id: 'url', label: 'Address', source: 'publicUrl:web'}

/** What the server refuses. Found by the gate that it uses itself. */
export const shapeRules: readonly Rule[] = [
  {
    id: 'missing-key', severity: 'error', meaning: 'a key that has to be there is not',
    why: 'The server refuses the definition.',
    bad: {app: {connection: {outputs: [{id: 'url', source: 'publicUrl:web'}]}}}, good: {app: {connection: {outputs: [output]}}},
  },
  {
    id: 'wrong-type', severity: 'error', meaning: 'a value of the wrong type',
    why: 'The server refuses the definition. Environment values are always texts, ports and dependsOn are always lists of texts.',
    bad: {app: {services: [{...service, environment: {PAGE_SIZE: 20}}]}}, good: {app: {services: [{...service, environment: {PAGE_SIZE: '20'}}]}},
  },
  {
    id: 'bad-value', severity: 'error', meaning: 'a value that is none of those allowed',
    why: 'The server refuses the definition.',
    bad: {app: {category: 'databases'}}, good: {app: {category: 'database'}},
  },
  {
    id: 'out-of-bounds', severity: 'error', meaning: 'a value that is too long, too large or too small',
    why: 'The server refuses the definition. Texts and lists have limits: 120 characters for the name of a service, 50 ports, and so on.',
    bad: {app: {minResources: {memoryMb: 0}}}, good: {app: {minResources: {memoryMb: 512}}},
  },
  {
    id: 'schema-too-new', severity: 'error', meaning: 'a shape that only a newer release reads',
    why: 'schemaVersion 1 is the newest there is. Update Moorage, or leave the key out.',
    bad: {app: {schemaVersion: 2}}, good: {app: {schemaVersion: 1}},
  },
  {
    id: 'unknown-service', severity: 'error', meaning: 'a reference to a service that is not declared',
    why: 'The server refuses the definition. Names are compared letter by letter.',
    bad: {app: {endpoints: [{service: 'wbe', port: 8090, label: 'Web', kind: 'http'}]}}, good: {app: {endpoints: [{service: 'web', port: 8090, label: 'Web', kind: 'http'}]}},
  },
  {
    id: 'output-source', severity: 'error', meaning: 'an output source of no known form',
    why: 'A source is env:<service>:<KEY>, publicUrl:<service>, publicUrl:<service>:<port> or template:<text>, on one line.',
    bad: {app: {connection: {outputs: [{...output, source: 'url:web'}]}}}, good: {app: {connection: {outputs: [output]}}},
  },
  {
    id: 'jwt-group', severity: 'error', meaning: 'a jwtSecretGroup that no config field generates',
    why: 'A token is signed with the secret of that group. Give a field generate secret and this generateGroup.',
    bad: {app: {configFields: [jwt()]}}, good: {app: {configFields: [{key: 'JWT_SECRET', service: 'web', label: 'Signing key', generate: 'secret', generateGroup: 'jwt', secret: true}, jwt()]}},
  },
  {
    id: 'flow-href', severity: 'error', meaning: 'a flowHref that leaves the site',
    why: 'It is a route of the web interface, such as /apps/new/paste. An address with a host is refused, //host too.',
    bad: {app: {kind: 'flow', services: undefined, flowHref: 'https://example.com/start'}}, good: {app: {kind: 'flow', services: undefined, flowHref: '/apps/new/paste'}},
  },
  {
    id: 'image-or-build', severity: 'error', meaning: 'a service with both image and build, or neither',
    why: 'A service runs an image that exists or one that is built here.',
    bad: {app: {services: [{name: 'web'}]}}, good: {app: {services: [service]}},
  },
  {
    id: 'provides-output', severity: 'error', meaning: 'an outputRef that names no connection output',
    why: 'Each outputRef is the id of an entry of connection.outputs.',
    bad: {app: {connection: {outputs: [output]}, provides: [{id: 'web', outputRefs: ['uri']}]}}, good: {app: {connection: {outputs: [output]}, provides: [{id: 'web', outputRefs: ['url']}]}},
  },
  {
    id: 'article-both', severity: 'error', meaning: 'an article both inline and in a file',
    why: 'Only one can be shown. Choose article or articleFile.',
    bad: {app: {marketplace: {article: '# Paste Box', articleFile: 'articles/paste.md'}}}, good: {app: {marketplace: {article: '# Paste Box'}}},
  },
  {
    id: 'article-path', severity: 'error', meaning: 'an articleFile outside articles/',
    why: 'It has the form articles/<slug>.md: lower-case letters, digits and hyphens, and no way out of that folder.',
    bad: {app: {marketplace: {articleFile: '../secrets.md'}}}, good: {app: {marketplace: {articleFile: 'articles/paste.md'}}},
  },
  {
    id: 'file-path', severity: 'error', meaning: 'a mounted file whose path is not absolute, or climbs out with two dots',
    why: 'A file is mounted at exactly this path inside the container.',
    bad: {app: {files: [{service: 'web', path: 'etc/paste.conf', content: 'a = 1\n'}]}}, good: {app: {files: [{service: 'web', path: '/etc/paste.conf', content: 'a = 1\n'}]}},
  },
  {
    id: 'build-path', severity: 'error', meaning: 'a build file outside the folder of its service',
    why: 'Paths of build files are relative and stay inside that folder.',
    bad: {app: {services: [built('../entry.sh')]}}, good: {app: {services: [built('entry.sh')]}},
  },
]

function jwt(): object {
  return {key: 'ANON_KEY', service: 'web', label: 'Public key', generate: 'jwt', jwtSecretGroup: 'jwt', jwtRole: 'anon', secret: true}
}

function built(path: string): object {
  return {name: 'web', build: {dockerfile: 'FROM alpine:3.20\nCOPY web/ /app/\n', files: [{path, content: '#!/bin/sh\n'}]}}
}
