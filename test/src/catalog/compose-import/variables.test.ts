import {describe, expect, test} from 'vitest'
import {importService, importText} from './import-text.js'

const web = {image: 'ghcr.io/example/shop:1.4.2', ports: ['8080:3000']}
const db = {image: 'postgres:17.5'}

describe('a secret', () => {
  test.each(['POSTGRES_PASSWORD', 'APP_SECRET', 'JWT_TOKEN', 'SECRET_KEY_BASE', 'ENCRYPTION_KEY', 'DB_PASS', 'MYSQL_PWD', 'database__connection__password', 'sessionSecret', 'PW_SALT'])('%s is generated', (key) => {
    const {definition} = importService({environment: {[key]: '${ANYTHING}'}})
    expect(definition.configFields).toEqual([{key, service: 'web', label: expect.any(String), generate: 'secret', secret: true}])
    expect(definition.services?.[0]).toMatchObject({secretEnv: [key]})
    expect(definition.services?.[0]?.environment).toBeUndefined()
  })

  test.each([['ALLOW_EMPTY_PASSWORD', 'yes'], ['TOKEN_TTL', '3600'], ['PUBLIC_KEY', 'abc'], ['KEY_FILE', '/run/key'], ['PASSWORD_FILE', '/run/p'], ['MAX_TOKEN', '8'], ['MONKEY', 'chimp'], ['POSTGRES_PASSWORD', '']])('%s=%s is none', (key, value) => {
    const {web: service, definition} = importService({environment: {[key]: value}})
    expect(definition.configFields).toBeUndefined()
    expect(service.environment).toEqual({[key]: value})
  })

  test('of one variable is one value everywhere: a group for other keys, a placeholder for the same key', () => {
    const {definition} = importText({
      services: {
        web: {...web, environment: {DB_PASSWORD: '${PW}'}}, db: {...db, environment: ['POSTGRES_PASSWORD=${PW:?set it}']}, worker: {...db, environment: {POSTGRES_PASSWORD: '${PW}'}},
      },
    })
    expect(definition.configFields).toEqual([
      {key: 'DB_PASSWORD', service: 'web', label: 'DB password', generate: 'secret', secret: true, generateGroup: 'db_password'},
      {key: 'POSTGRES_PASSWORD', service: 'db', label: 'Postgres password', generate: 'secret', secret: true, generateGroup: 'db_password'},
    ])
    expect(definition.services?.[2]).toMatchObject({environment: {POSTGRES_PASSWORD: '{{config:DB_PASSWORD}}'}, secretEnv: ['POSTGRES_PASSWORD']})
  })

  test('of one literal text is one value everywhere, and the text itself is gone', () => {
    const {definition} = importText({services: {web: {...web, environment: {DB_PASSWORD: 'example1'}}, db: {...db, environment: {POSTGRES_PASSWORD: 'example1'}}}})
    expect(definition.configFields?.map(({generateGroup}) => generateGroup)).toEqual(['db_password', 'db_password'])
    expect(JSON.stringify(definition)).not.toContain('example1')
  })

  test('that one service has from a file and another from a variable is one value', () => {
    const {definition} = importText({services: {web: {...web, env_file: '.env'}, db: {...db, environment: {POSTGRES_PASSWORD: '${DB_PASSWORD}'}}}}, {files: {'.env': 'DB_PASSWORD=example1\n'}, variables: {DB_PASSWORD: 'example1'}})
    expect(new Set(definition.configFields?.map(({generateGroup}) => generateGroup)).size).toBe(1)
    expect(definition.configFields).toHaveLength(2)
  })

  test('of different texts under one key are two values', () => {
    const {definition} = importText({services: {web: {...web, environment: {PASSWORD: 'one-one'}}, db: {...db, environment: {PASSWORD: 'two-two'}}}})
    expect(definition.configFields?.map(({key, service}) => [key, service])).toEqual([['PASSWORD', 'web'], ['DB_PASSWORD', 'db']])
    expect(definition.services?.[1]).toMatchObject({environment: {PASSWORD: '{{config:DB_PASSWORD}}'}, secretEnv: ['PASSWORD', 'DB_PASSWORD']})
  })

  test.each([
    ['postgres://app:${PW}@db:5432/app', 'postgres://app:{{config:POSTGRES_PASSWORD}}@db:5432/app'],
    ['postgres://app:example1@db/app?sslmode=disable', 'postgres://app:{{config:POSTGRES_PASSWORD}}@db/app?sslmode=disable'],
    ['redis://:example1@db', 'redis://:{{config:POSTGRES_PASSWORD}}@db'],
    ['host=db user=app password=example1 dbname=app', 'host=db user=app password={{config:POSTGRES_PASSWORD}} dbname=app'],
    ['jdbc:postgresql://db/app?user=app&password=${PW:-x}', 'jdbc:postgresql://db/app?user=app&password={{config:POSTGRES_PASSWORD}}'],
    ['${DATABASE_URL:-postgres://app:${PW}@db/app}', 'postgres://app:{{config:POSTGRES_PASSWORD}}@db/app'],
  ])('is composed into %s', (dsn, expected) => {
    const password = dsn.includes('${PW') ? '${PW}' : 'example1'
    const {definition} = importText({services: {web: {...web, environment: {DATABASE_URL: dsn}}, db: {...db, environment: {POSTGRES_PASSWORD: password}}}})
    expect(definition.services?.[0]).toMatchObject({environment: {DATABASE_URL: expected}, secretEnv: ['DATABASE_URL']})
  })

  test('that is also the name of a user or of a database leaves those alone', () => {
    const {definition} = importText({
      services: {web: {...web, environment: {URL: 'postgres://postgres:postgres@db/postgres'}}, db: {...db, environment: {POSTGRES_USER: 'postgres', POSTGRES_DB: 'postgres', POSTGRES_PASSWORD: 'postgres'}, command: 'postgres -U postgres'}},
    })
    expect(definition.services?.[0]?.environment).toEqual({URL: 'postgres://postgres:{{config:POSTGRES_PASSWORD}}@db/postgres'})
    expect(definition.services?.[1]).toMatchObject({environment: {POSTGRES_USER: 'postgres', POSTGRES_DB: 'postgres'}, commandArgv: ['postgres', '-U', 'postgres']})
  })

  test('in a command is read from the environment by a shell', () => {
    const {definition, notes} = importText({
      services: {
        cache: {image: 'valkey/valkey:8.1.3', command: 'valkey-server --requirepass ${PW} --appendonly "y e s"', healthcheck: {test: ['CMD', 'valkey-cli', '-a', '${PW}', 'ping']}},
        web: {...web, environment: {REDIS_PASSWORD: '${PW}'}},
      },
    })
    expect(definition.services?.[0]).toMatchObject({
      commandArgv: ['sh', '-c', `exec valkey-server --requirepass "$REDIS_PASSWORD" --appendonly 'y e s'`],
      healthcheck: {test: ['CMD-SHELL', 'valkey-cli -a "$REDIS_PASSWORD" ping']},
      environment: {REDIS_PASSWORD: '{{config:REDIS_PASSWORD}}'}, secretEnv: ['REDIS_PASSWORD'],
    })
    expect(notes).toContainEqual(expect.objectContaining({level: 'check', key: 'command'}))
  })

  test('in a text that a shell reads becomes a variable there', () => {
    const {definition} = importText({
      services: {db: {...db, environment: {POSTGRES_PASSWORD: '${PW}'}, command: ['sh', '-c', 'run ${PW} $$HOME'], healthcheck: {test: 'check ${PW}'}}, ...{web}},
    })
    expect(definition.services?.[0]).toMatchObject({commandArgv: ['sh', '-c', 'run ${POSTGRES_PASSWORD} $HOME'], healthcheck: {test: ['CMD-SHELL', 'check ${POSTGRES_PASSWORD}']}})
  })

  test('written out behind an option of a command is found, too', () => {
    const {definition} = importText({services: {cache: {image: 'valkey/valkey:8.1.3', command: ['valkey-server', '--requirepass', 'hunter22'], ...{}}, web: {...web, environment: {REDIS_PASSWORD: 'hunter22'}}}})
    expect(definition.services?.[0]?.commandArgv).toEqual(['sh', '-c', 'exec valkey-server --requirepass "$REDIS_PASSWORD"'])
    expect(definition.services?.[0]).toMatchObject({environment: {REDIS_PASSWORD: '{{config:REDIS_PASSWORD}}'}, secretEnv: ['REDIS_PASSWORD']})
  })

  test.each(['SMTP_PASSWORD', 'OPENAI_API_KEY', 'AWS_SECRET_ACCESS_KEY', 'WEATHER_API_KEY', 'OAUTH_CLIENT_SECRET', 'JWT_PRIVATE_KEY'])('%s comes from somebody else and is asked for', (key) => {
    const {definition} = importService({environment: {[key]: '${VALUE}', OTHER: '1'}})
    expect(definition.settings?.[0]?.fields).toEqual([{key, service: 'web', label: expect.any(String), type: 'password', secret: true}])
    expect(definition.services?.[0]).toMatchObject({environment: {OTHER: '1'}, secretEnv: [key]})
  })

  test('of the service that gives it is generated', () => {
    expect(importText({services: {gitea: {image: 'gitea/gitea:1.24.2', environment: {GITEA_SECRET: 'x1y2z3'}}}}).definition.configFields).toHaveLength(1)
    expect(importText({services: {s3: {image: 'minio:1', environment: {MINIO_SECRET_KEY: '${K}'}}, web: {...web, environment: {S3_SECRET_KEY: '${K}'}}}}).definition.configFields).toHaveLength(2)
  })

  test('that may be empty, or has a form of its own, is asked for', () => {
    expect(importService({environment: {API_TOKEN: '${API_TOKEN:-}'}}).definition.settings?.[0]?.fields).toMatchObject([{key: 'API_TOKEN', type: 'password'}])
    const {definition} = importService({environment: {APP_KEY: 'base64:AAAA'}})
    expect(definition.settings?.[0]?.fields).toMatchObject([{key: 'APP_KEY', type: 'password', required: true, installStep: true}])
    expect(JSON.stringify(definition)).not.toContain('base64:AAAA')
  })

  test('in an address that no service shares is sealed and told', () => {
    const {definition, notes} = importService({environment: {DATABASE_URL: 'postgres://app:hunter22@db.example.com/app'}})
    expect(definition.services?.[0]).toMatchObject({secretEnv: ['DATABASE_URL']})
    expect(notes).toContainEqual(expect.objectContaining({level: 'check', why: expect.stringContaining('DATABASE_URL')}))
  })
})

describe('a variable that is no secret', () => {
  test.each([
    ['${TITLE:-Shop}', {type: 'text', default: 'Shop'}, 'Shop'],
    ['${TITLE-Shop}', {type: 'text', default: 'Shop'}, 'Shop'],
    ['${TITLE:-true}', {type: 'boolean', default: 'true'}, 'true'],
    ['${TITLE:-42}', {type: 'number', integer: true, default: '42'}, '42'],
    ['${TITLE:-${OTHER:-x}}', {type: 'text', default: 'x'}, 'x'],
    ['${TITLE:?name your shop}', {type: 'text', help: 'name your shop', required: true, installStep: true}, undefined],
    ['${TITLE}', {type: 'text', installStep: true}, undefined],
    [null, {type: 'text', installStep: true}, undefined],
  ])('%s becomes a setting', (value, field, inEnvironment) => {
    const {definition} = importService({environment: {TITLE: value}})
    expect(definition.settings?.[0]?.fields).toEqual([{key: 'TITLE', service: 'web', label: 'Title', ...field}])
    expect(definition.services?.[0]?.environment?.['TITLE']).toBe(inEnvironment)
  })

  test('has the value of the .env file as its default', () => {
    expect(importService({environment: ['TITLE']}, {variables: {TITLE: 'Ours'}}).definition.settings?.[0]?.fields).toMatchObject([{default: 'Ours'}])
  })

  test('that stands in several places is written out, and told', () => {
    const {definition, notes} = importText({services: {web: {...web, environment: {DB: '${NAME:-app}', URL: 'db/${NAME:-app}'}}, db: {...db, healthcheck: {test: 'pg_isready -d ${NAME:-app}'}}}})
    expect(definition.services?.[0]?.environment).toEqual({DB: 'app', URL: 'db/app'})
    expect(definition.settings).toBeUndefined()
    expect(notes).toContainEqual(expect.objectContaining({level: 'changed', why: 'NAME stands in 3 places and was written as "app"'}))
  })

  test('that another service has from a file is written out, as a setting would change only one of them', () => {
    const {definition} = importText({services: {web: {...web, env_file: '.env'}, db: {...db, environment: {POSTGRES_USER: '${DB_USER}'}}}}, {files: {'.env': 'DB_USER=app\n'}, variables: {DB_USER: 'app'}})
    expect(definition.services?.map(({environment}) => environment)).toEqual([{DB_USER: 'app'}, {POSTGRES_USER: 'app'}])
    expect(definition.settings).toBeUndefined()
  })

  test('that stands in several places without a value is asked for once', () => {
    const {definition} = importText({services: {web: {...web, environment: {DOMAIN: '${DOMAIN:?which domain}', MAIL: 'info@${DOMAIN}'}}, db}})
    expect(definition.configFields).toEqual([{key: 'DOMAIN', service: 'web', label: 'Domain', help: 'which domain', type: 'text', required: true}])
    expect(definition.services?.[0]?.environment).toEqual({MAIL: 'info@{{config:DOMAIN}}'})
  })

  test('that is only there to say where a service is stays as it is', () => {
    expect(importText({services: {web: {...web, environment: {DB_HOST: '${DB_HOST:-db}'}}, db}}).definition.services?.[0]?.environment).toEqual({DB_HOST: 'db'})
  })
})

describe('the address of the app', () => {
  test.each([
    ['BASE_URL', 'http://localhost:8080', '{{publicUrl:web}}'],
    ['ANYTHING', 'http://127.0.0.1:8080/callback', '{{publicUrl:web}}/callback'],
    ['ORIGINS', 'http://localhost:8080,http://localhost:9001', '{{publicUrl:web}},{{publicUrl:web:9001}}'],
    ['SITE_URL', 'https://shop.example.com', '{{publicUrl:web}}'],
    ['url', 'https://shop.example.com/', '{{publicUrl:web}}'],
    ['NEXTAUTH_URL', '${NEXTAUTH_URL}', '{{publicUrl:web}}'],
    ['APP_URL', 'https://${DOMAIN}/app', '{{publicUrl:web}}/app'],
    ['PUBLIC_ORIGIN', '${PUBLIC_ORIGIN:-http://localhost:8080}', '{{publicUrl:web}}'],
  ])('%s=%s becomes %s', (key, value, expected) => {
    const {web: service, notes} = importService({ports: ['8080:3000', '9001:9001'], environment: {[key]: value}})
    expect(service.environment).toEqual({[key]: expected})
    expect(notes).toContainEqual(expect.objectContaining({level: 'changed', why: expect.stringContaining(key)}))
  })

  test.each([['API_URL', 'http://api.example.com/v1'], ['DATABASE_URL', 'postgres://db/app'], ['SERVER_URL', 'http://web:3000'], ['BACK', 'http://localhost:1234']])('%s=%s is left alone', (key, value) => {
    expect(importService({ports: ['8080:3000'], environment: {[key]: value}}).web.environment).toEqual({[key]: value})
  })

  test('is in the connection card', () => {
    expect(importService({ports: ['8080:3000']}).definition.connection).toEqual({title: 'Shop', outputs: [{id: 'url', label: 'Address', source: 'publicUrl:web', kind: 'url', recommended: true}]})
  })
})

test('other names of a container become the name of its service', () => {
  const {definition} = importText({services: {web: {...web, environment: {HOST: 'shop-db', URL: 'postgres://shop-db:5432/x', KEEP: 'my-shop-db-x'}}, db: {...db, container_name: 'shop-db', networks: {default: {aliases: ['pg']}}}}})
  expect(definition.services?.[0]?.environment).toEqual({HOST: 'db', URL: 'postgres://db:5432/x', KEEP: 'my-shop-db-x'})
})

test('values of env_file are read, and those of the service win', () => {
  const files = {'app.env': 'A=file\nB=file\nAPP_SECRET=hunter22\n'}
  const {web: service, definition} = importService({env_file: ['app.env', {path: 'no.env', required: false}], environment: {B: 'own'}}, {files})
  expect(service.environment).toEqual({A: 'file', B: 'own'})
  expect(definition.configFields).toMatchObject([{key: 'APP_SECRET', generate: 'secret'}])
  expect(importService({env_file: '../outside.env'}).lost).toEqual(['env_file'])
})
