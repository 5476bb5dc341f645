import type {ComposeProject} from './compose-model.js'

export interface PluginKey {
  /** The service, or the network, that has it. */
  readonly owner: string
  readonly key: string
}

export const pluginServiceKeys = ['annotations', 'cgroup', 'post_start', 'pre_stop', 'uts'] as const
const pluginAttachmentKeys = ['driver_opts', 'gw_priority', 'interface_name', 'mac_address'] as const

/** Keys that only the plugin (`docker compose`) knows: docker-compose 1.29 refuses a file with one of them. Empty where any will do. */
export function findPluginKeys({services, networks}: Pick<ComposeProject, 'services' | 'networks'>): readonly PluginKey[] {
  return [
    ...services.flatMap(({name, others, networks: attachments}) => [
      ...pluginServiceKeys.filter((key) => Object.hasOwn(others, key)).map((key) => ({owner: name, key})),
      ...Object.values(attachments).flatMap((attachment) => pluginAttachmentKeys.filter((key) => Object.hasOwn(attachment.others ?? {}, key)).map((key) => ({owner: name, key: `networks.${key}`}))),
    ]),
    ...networks.filter(({others}) => Object.hasOwn(others, 'enable_ipv4')).map(({key}) => ({owner: key, key: 'enable_ipv4'})),
  ]
}
