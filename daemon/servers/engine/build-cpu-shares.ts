/** What a step of a build gets of a busy processor, where a container that serves gets 1024: a build gives way to what serves. */
export const buildCpuShares = 256
