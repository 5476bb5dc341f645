import type {Rule} from './rule.js'

const web = (port: string) => [{name: 'web', image: 'ghcr.io/example/paste:1.4.2', exposed: true, exposedPort: 8090, ports: [port]}]

/** What only shows over several files. Found by checking them together. */
export const setRules: readonly Rule[] = [
  {
    id: 'duplicate-app', severity: 'error', meaning: 'two definitions of one id',
    why: 'Only the last one is ever seen. Rename one.',
    bad: {apps: [{id: 'paste', services: web('8090:8090')}, {id: 'paste', services: web('8091:8090')}]}, good: {apps: [{id: 'paste', services: web('8090:8090')}, {id: 'notes', services: web('8091:8090')}]},
  },
  {
    id: 'id-case', severity: 'warning', meaning: 'two ids that differ only in capitals',
    why: 'People mix them up, and some file systems keep only one of the files.', alsoRaises: ['id-form'],
    bad: {apps: [{id: 'paste', services: web('8090:8090')}, {id: 'Paste', services: web('8091:8090')}]}, good: {apps: [{id: 'paste', services: web('8090:8090')}, {id: 'notes', services: web('8091:8090')}]},
  },
  {
    id: 'host-port-clash', severity: 'info', meaning: 'one host port for two apps',
    why: 'Both can not run on one machine unless one of the ports is changed at the install.',
    bad: {apps: [{id: 'paste', services: web('8090:8090')}, {id: 'notes', services: web('8090:8090')}]}, good: {apps: [{id: 'paste', services: web('8090:8090')}, {id: 'notes', services: web('8091:8090')}]},
  },
  {
    id: 'article-missing', severity: 'warning', meaning: 'an article file that is not there',
    why: 'Articles lie in a folder articles beside the definitions, or beside their folder.',
    bad: {app: {marketplace: {articleFile: 'articles/paste.md'}}, fileName: 'paste-box.json'}, good: {app: {marketplace: {article: '# Paste Box'}}, fileName: 'paste-box.json'},
    check: ({definition: {marketplace}, hasArticle}) =>
      marketplace?.articleFile === undefined || hasArticle === undefined || hasArticle(marketplace.articleFile) ? [] : [{path: ['marketplace', 'articleFile'], message: `there is no ${marketplace.articleFile}, neither beside this file nor beside its folder`}],
  },
]
