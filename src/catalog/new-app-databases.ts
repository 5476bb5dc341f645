import type {ConfigField, Service} from './definition.js'

export const databaseKinds = ['none', 'postgres', 'mariadb', 'valkey'] as const
export type DatabaseKind = (typeof databaseKinds)[number]

/** What a database adds to a new app. */
export interface DatabaseParts {
  readonly service: Service
  readonly configField: ConfigField
  /** Environment entry of the app that holds its address. */
  readonly address: {readonly key: string; readonly value: string}
  readonly memoryMb: number
}

const check = {interval: '10s', timeout: '5s', startPeriod: '30s', retries: 12}

const postgres: DatabaseParts = {
  service: {
    name: 'db',
    image: 'postgres:17.5-alpine',
    environment: {POSTGRES_USER: 'app', POSTGRES_DB: 'app'},
    secretEnv: ['POSTGRES_PASSWORD'],
    volumes: ['db_data:/var/lib/postgresql/data'],
    healthcheck: {test: ['CMD-SHELL', 'pg_isready -U app -d app'], ...check},
    restart: 'unless-stopped',
    stopGracePeriod: '60s',
  },
  configField: {key: 'POSTGRES_PASSWORD', service: 'db', label: 'Database password', generate: 'secret', secret: true},
  address: {key: 'DATABASE_URL', value: 'postgres://app:{{config:POSTGRES_PASSWORD}}@db:5432/app'},
  memoryMb: 256,
}

const mariadb: DatabaseParts = {
  service: {
    name: 'db',
    image: 'mariadb:11.8.2',
    environment: {MARIADB_USER: 'app', MARIADB_DATABASE: 'app', MARIADB_RANDOM_ROOT_PASSWORD: '1'},
    secretEnv: ['MARIADB_PASSWORD'],
    volumes: ['db_data:/var/lib/mysql'],
    healthcheck: {test: ['CMD', 'healthcheck.sh', '--connect', '--innodb_initialized'], ...check},
    restart: 'unless-stopped',
    stopGracePeriod: '60s',
  },
  configField: {key: 'MARIADB_PASSWORD', service: 'db', label: 'Database password', generate: 'secret', secret: true},
  address: {key: 'DATABASE_URL', value: 'mysql://app:{{config:MARIADB_PASSWORD}}@db:3306/app'},
  memoryMb: 256,
}

const valkey: DatabaseParts = {
  service: {
    name: 'cache',
    image: 'valkey/valkey:8.1.3-alpine',
    secretEnv: ['VALKEY_PASSWORD'],
    volumes: ['cache_data:/data'],
    healthcheck: {test: ['CMD-SHELL', 'valkey-cli -a "$VALKEY_PASSWORD" --no-auth-warning ping | grep -q PONG'], ...check},
    restart: 'unless-stopped',
    // Placeholders do not work in commands: a shell reads the value from the environment.
    commandArgv: ['sh', '-c', 'exec valkey-server --appendonly yes --requirepass "$VALKEY_PASSWORD"'],
  },
  configField: {key: 'VALKEY_PASSWORD', service: 'cache', label: 'Cache password', generate: 'secret', secret: true},
  address: {key: 'REDIS_URL', value: 'redis://:{{config:VALKEY_PASSWORD}}@cache:6379'},
  memoryMb: 64,
}

export const databases: Readonly<Record<Exclude<DatabaseKind, 'none'>, DatabaseParts>> = {postgres, mariadb, valkey}
