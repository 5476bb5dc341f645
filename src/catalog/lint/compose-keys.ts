// What people who know Compose write into a service, and what to do instead.

/** Keys of a Compose service that the format does not have. */
export const composeServiceKeys: Readonly<Record<string, string>> = {
  container_name: 'the name of the service is its host name; leave it out',
  hostname: 'the name of the service is its host name; leave it out',
  networks: 'all services of a project share one network; leave it out',
  network_mode: 'all services of a project share one network; leave it out',
  links: 'services find each other by name; leave it out',
  env_file: 'write the values into environment, or as configFields and settings',
  secrets: 'make a config field with generate and secret, and list its key in secretEnv',
  configs: 'write the content into files',
  deploy: 'replicas and limits are set on the project; minResources says what the app needs',
  mem_limit: 'minResources says what the app needs; limits are set on the project',
  mem_reservation: 'minResources says what the app needs; limits are set on the project',
  cpus: 'minResources says what the app needs; limits are set on the project',
  scale: 'a service runs once; leave it out',
  privileged: 'a container never runs privileged; use an image that does not need it',
  cap_add: 'capabilities can not be given; use an image that does not need them',
  cap_drop: 'capabilities can not be changed; leave it out',
  devices: 'devices can not be passed in',
  gpus: 'devices can not be passed in',
  security_opt: 'security options can not be changed; leave it out',
  user: 'the user of the image is kept; build an image with USER where it has to differ',
  working_dir: 'the folder of the image is kept; build an image with WORKDIR where it has to differ',
  labels: 'labels are set by Moorage; leave it out',
  logging: 'output is kept by Moorage; leave it out',
  tmpfs: 'use a volume',
  shm_size: 'it can not be set; look for a setting of the application that needs less',
  ulimits: 'they can not be set; look for a setting of the application',
  sysctls: 'they can not be set; look for a setting of the application',
  extra_hosts: 'it can not be set; use names that DNS knows',
  dns: 'it can not be set; containers use the DNS of the machine',
  profiles: 'every service is started; leave out those that are optional',
  extends: 'write the service out',
  init: 'it can not be set; use an image that reaps its processes',
  tty: 'it can not be set; containers have no terminal',
  stdin_open: 'it can not be set; containers have no input',
  pull_policy: 'the image is pulled when it is missing; pin its version',
  platform: 'it can not be set; use an image for the platform of the machine',
  stop_signal: 'it can not be set; build an image with STOPSIGNAL',
  pid: 'containers keep to themselves; leave it out',
  ipc: 'containers keep to themselves; leave it out',
  read_only: 'it can not be set; leave it out',
  group_add: 'groups can not be added; leave it out',
  annotations: 'leave it out',
}

/** Keys of the build of a Compose service. */
export const composeBuildKeys: Readonly<Record<string, string>> = {
  context: 'a definition brings its own context: write the files into build.files and COPY them from <service-name>/',
  args: 'every value of the environment is a build argument already: declare it with ARG in the Dockerfile',
  target: 'it can not be chosen; make it the last stage of the Dockerfile',
  dockerfile_inline: 'write the Dockerfile into build.dockerfile',
}

/** Keys of a Compose file beside services. */
export const composeTopKeys: Readonly<Record<string, string>> = {
  version: 'a definition has no version of its own; leave it out',
  volumes: 'a volume is made by naming it in the volumes of a service',
  networks: 'all services of a project share one network; leave it out',
  secrets: 'make a config field with generate and secret, and list its key in secretEnv',
  configs: 'write the content into files',
}

/** The same keys as the format would spell them: gpu, capAdd, workingDir. */
export function adviceFor(key: string, table: Readonly<Record<string, string>>): string | undefined {
  const snake = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replaceAll('-', '_')
  for (const candidate of [key, snake, `${snake}s`]) if (Object.hasOwn(table, candidate)) return table[candidate]
  return undefined
}
