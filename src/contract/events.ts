// The one list of domain events: resource, dot, past tense. Areas add rows; released names stay.

export interface EventKind {
  /** Whether jobs may start on it, and how the list of trigger events shows it. */
  readonly trigger?: {readonly label: string; readonly description: string}
  /** The notification category, or none. */
  readonly category?: string
  /** The name in the audit trail; none when the event is not a person's act. */
  readonly audit?: string
}

export const eventKinds = {
  'deployment.succeeded': {trigger: {label: 'Deploy succeeded', description: 'a production deploy finished'}, category: 'deploy.succeeded'},
  'deployment.failed': {trigger: {label: 'Deploy failed', description: 'a build or a deploy went wrong'}, category: 'deploy.failed'},
  'deployment.requested': {audit: 'deployment.requested'},
  'deployment.started': {category: 'deploy.started'},
  'deployment.cancelled': {category: 'deploy.cancelled', audit: 'deployment.cancelled'},
  'deployment.rolled_back': {category: 'deploy.rolled_back'},
  'backup_run.succeeded': {trigger: {label: 'Backup succeeded', description: 'a scheduled or manual backup is done'}, category: 'backup.succeeded'},
  'backup_run.failed': {trigger: {label: 'Backup failed', description: 'a backup went wrong'}, category: 'backup.failed'},
  'backup_restore.completed': {trigger: {label: 'Restore completed', description: 'a restore finished'}, category: 'restore.completed'},
  'ssl.renewal_failed': {trigger: {label: 'SSL renewal failed', description: 'a certificate could not be renewed'}, category: 'domain.expiring'},
  'domain.verification_failed': {trigger: {label: 'Domain verification failed', description: 'a DNS check failed'}, category: 'domain.unverified'},
  'service.unhealthy': {trigger: {label: 'Service unhealthy', description: 'a container failed its health check several times in a row, or stopped'}, category: 'service.unhealthy'},
  'service.recovered': {trigger: {label: 'Service recovered', description: 'a service that was unhealthy is healthy again'}, category: 'service.recovered'},

  'job_run.started': {category: 'job.run.started'},
  'job_run.succeeded': {category: 'job.run.succeeded'},
  'job_run.failed': {category: 'job.run.failed'},
  'job_run.cancelled': {audit: 'job_run.cancelled'},
  'job_run.skipped': {audit: 'job_run.skipped'},
  'job_run.requested': {audit: 'job_run.requested'},
  'job.overdue': {trigger: {label: 'Job overdue', description: 'a job has not succeeded for as long as it should'}, category: 'job.overdue'},
  'job.recovered': {category: 'job.recovered'},
  'scheduler.stopped': {category: 'job.scheduler_stopped'},
  'scheduler.recovered': {category: 'job.scheduler_recovered'},

  'job.created': {audit: 'job.created'},
  'job.updated': {audit: 'job.updated'},
  'job.deleted': {audit: 'job.deleted'},
  'server.added': {audit: 'server.added'},
  'server.updated': {audit: 'server.updated'},
  'server.removed': {audit: 'server.removed'},
  'server.command_run': {audit: 'server.exec'},
  'project.created': {audit: 'project.created'},
  'project.updated': {audit: 'project.updated'},
  'project.env_changed': {audit: 'project.env_changed'},
  'project.env_revealed': {audit: 'project.env_revealed'},
  'service.changed': {audit: 'service.changed'},
  'service.command_run': {audit: 'service.exec'},
  'service.terminal_opened': {audit: 'service.terminal_opened'},
  'service.terminal_closed': {audit: 'service.terminal_closed'},
  'project.deleted': {audit: 'project.deleted'},
  'registry.saved': {audit: 'registry.saved'},
  'registry.removed': {audit: 'registry.removed'},
  'custom_app.uploaded': {audit: 'custom_app.uploaded'},
  'custom_app.replaced': {audit: 'custom_app.replaced'},
  'custom_app.deleted': {audit: 'custom_app.deleted'},
  'token.created': {audit: 'token.created'},
  'token.revoked': {audit: 'token.revoked'},
  'member.added': {audit: 'member.added'},
  'member.role_changed': {audit: 'member.role_changed'},
  'member.removed': {audit: 'member.removed'},
  'workspace.saved': {audit: 'workspace.saved'},
  'audit.enabled': {audit: 'audit.enabled'},
  'audit.disabled': {audit: 'audit.disabled'},
  'audit.retention_changed': {audit: 'audit.retention_changed'},
} as const satisfies Record<`${string}.${string}`, EventKind>

export type EventType = keyof typeof eventKinds

export function eventKind(type: EventType): EventKind {
  return eventKinds[type]
}
