// Where each sealed value of a project belongs: a value moved elsewhere does not open.

export const deployKeyContext = (projectId: string) => `projects/${projectId}/deployKey`
export const gitPasswordContext = (projectId: string) => `projects/${projectId}/gitPassword`
export const envContext = (envId: string) => `env_vars/${envId}/value`
export const inlineEnvContext = (serviceId: string, key: string) => `services/${serviceId}/environment/${key}`
export type SealedField = 'composeText' | 'model' | 'files' | 'texts'
export const releaseContext = (releaseId: string, field: SealedField) => `releases/${releaseId}/${field}`
