// A Compose project after reading: variables filled in, files merged, short forms made long. What we read from users and what we write for servers have this form.

export interface ComposeBuild {
  /** Folder within the source, normalized, `.` for the root. */
  readonly context: string
  readonly dockerfile: string
  readonly dockerfileInline: string | null
  readonly args: Readonly<Record<string, string>>
  readonly target: string | null
}

export interface ComposePort {
  readonly hostAddress: string | null
  /** Null where the engine chooses. */
  readonly hostPort: number | null
  readonly containerPort: number
  readonly protocol: 'tcp' | 'udp'
}

export interface ComposeMount {
  readonly type: 'volume' | 'bind' | 'tmpfs'
  /** Key of a declared volume, path on the host, or path within the source (starting with ./); null is anonymous. */
  readonly source: string | null
  readonly target: string
  readonly readOnly: boolean
  /** As the short form has them, without ro and rw: `z`, `nocopy`, `rslave`, for tmpfs `size=64m`. Left out where there are none. */
  readonly options?: readonly string[]
}

/** A file with a text of its own that a container sees, read-only. */
export interface ComposeFile {
  /** Absolute path in the container. */
  readonly target: string
  readonly content: string
  /** Octal, as `0444`. */
  readonly mode: string
  readonly isSecret: boolean
}

export interface ComposeAttachment {
  readonly aliases: readonly string[]
  /** ipv4_address and the like, as they came. Left out where there are none. */
  readonly others?: Readonly<Record<string, unknown>>
}

export interface ComposeHealthcheck {
  /** As Compose writes it: starts with CMD or CMD-SHELL. Null leaves the image's. */
  readonly test: readonly string[] | null
  readonly interval: string | null
  readonly timeout: string | null
  readonly startPeriod: string | null
  readonly retries: number | null
  /** Takes the image's health check away. */
  readonly disable: boolean
}

export type DependsCondition = 'service_started' | 'service_healthy' | 'service_completed_successfully'

export interface ComposeService {
  readonly name: string
  readonly image: string | null
  readonly build: ComposeBuild | null
  readonly environment: Readonly<Record<string, string>>
  readonly ports: readonly ComposePort[]
  readonly mounts: readonly ComposeMount[]
  /** Configs and secrets whose text is in the Compose file or in a variable. Left out where there are none. */
  readonly files?: readonly ComposeFile[]
  readonly dependsOn: readonly {readonly service: string; readonly condition: DependsCondition}[]
  readonly healthcheck: ComposeHealthcheck | null
  /** Null leaves the image's; [] clears it, for an engine only where an entrypoint is given with it. */
  readonly command: readonly string[] | null
  readonly entrypoint: readonly string[] | null
  readonly restart: string | null
  readonly stopGracePeriod: string | null
  readonly labels: Readonly<Record<string, string>>
  /** Names of networks it joins; `default` where the file names none, nothing with network_mode. */
  readonly networks: Readonly<Record<string, ComposeAttachment>>
  /** Keys that go to the written file under Compose's names, in one form each: user, working_dir, cap_add, ulimits, mem_limit … */
  readonly others: Readonly<Record<string, unknown>>
}

export interface ComposeVolume {
  readonly key: string
  /** The name on the engine; null lets the writer choose. */
  readonly name: string | null
  readonly external: boolean
  readonly others: Readonly<Record<string, unknown>>
}

export interface ComposeNetwork {
  readonly key: string
  readonly name: string | null
  readonly external: boolean
  readonly others: Readonly<Record<string, unknown>>
}

export interface ComposeProject {
  readonly services: readonly ComposeService[]
  readonly volumes: readonly ComposeVolume[]
  readonly networks: readonly ComposeNetwork[]
}

export interface ComposeProblem {
  /** Where: file, and line and column from 1. */
  readonly file: string
  readonly line: number
  readonly column: number
  /** JSON pointer into the file. */
  readonly path: string
  readonly message: string
  readonly severity: 'error' | 'warning'
}

export interface ReadCompose {
  /** Null where there is an error. */
  readonly project: ComposeProject | null
  readonly problems: readonly ComposeProblem[]
  /** Names of variables that were used, and whether each had a value or a default. */
  readonly variables: readonly {readonly name: string; readonly given: boolean; readonly hasDefault: boolean}[]
}

export interface ReadComposeOptions {
  /** Path of the Compose file within the source; paths in it are relative to its folder. */
  readonly path: string
  readonly text: string
  /** Paths within the source of files that are laid over it, in this order. Paths in them start from the folder of the first file. */
  readonly overrides?: readonly string[]
  /** Values for ${…}; `.env` beside the file is read too and loses against these. */
  readonly variables: Readonly<Record<string, string>>
  /** Those that are on; where none are given, those of the variable COMPOSE_PROFILES. */
  readonly profiles: readonly string[]
  /** Reads a file of the source (extends, include, env_file, .env); undefined where there is none. */
  readonly readText: (path: string) => Promise<string | undefined>
}
