import js from '@eslint/js'
import tseslint from 'typescript-eslint'
import {boundaries} from './scripts/boundaries.mjs'

const sources = ['bin/**', 'commands/**', 'src/**', 'daemon/**']

const noBarrels = [
  {selector: 'ExportAllDeclaration', message: 'no barrels: import from the file that defines the thing'},
  {selector: 'ExportNamedDeclaration[source]', message: 'no barrels: import from the file that defines the thing'},
]

export default tseslint.config(
  {ignores: ['dist/', 'node_modules/', 'coverage/', '**/*.d.ts', '.moorage-dev/']},
  {linterOptions: {reportUnusedDisableDirectives: 'error', reportUnusedInlineConfigs: 'error'}},
  {
    ...js.configs.recommended,
    files: ['**/*.{js,mjs}'],
    languageOptions: {
      ecmaVersion: 2023,
      globals: Object.fromEntries(['process', 'console', 'URL', 'Buffer', 'AbortController', 'AbortSignal', 'fetch', 'setTimeout', 'clearTimeout', 'performance'].map((name) => [name, 'readonly'])),
    },
  },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [js.configs.recommended, ...tseslint.configs.recommended],
    languageOptions: {parserOptions: {projectService: true, tsconfigRootDir: import.meta.dirname}},
    rules: {
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': ['error', {checksVoidReturn: {arguments: false, attributes: false, properties: false}}],
      '@typescript-eslint/no-unnecessary-type-assertion': 'error',
      '@typescript-eslint/no-unsafe-argument': 'error',
      '@typescript-eslint/no-unsafe-assignment': 'error',
      '@typescript-eslint/no-unsafe-call': 'error',
      '@typescript-eslint/no-unsafe-member-access': 'error',
      '@typescript-eslint/no-unsafe-return': 'error',
      'no-throw-literal': 'error',
      '@typescript-eslint/prefer-promise-reject-errors': ['error', {allowThrowingAny: true, allowThrowingUnknown: true}],
      '@typescript-eslint/return-await': ['error', 'error-handling-correctness-only'],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', {considerDefaultExhaustiveForUnions: true}],
      '@typescript-eslint/no-unused-vars': ['error', {argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrors: 'none', ignoreRestSiblings: true}],
      // Terminal output is full of control characters, and the code that cleans it names them.
      'no-control-regex': 'off',
      '@typescript-eslint/no-unused-expressions': ['error', {allowShortCircuit: true, allowTernary: true}],
      eqeqeq: ['error', 'always', {null: 'ignore'}],
    },
  },
  {
    files: sources,
    plugins: {house: {rules: {boundaries}}},
    rules: {
      'house/boundaries': 'error',
      'no-console': 'error',
      'no-restricted-syntax': ['error', ...noBarrels],
    },
  },
  {
    files: ['commands/**', 'src/**', 'daemon/**'],
    rules: {
      'no-restricted-properties': [
        'error',
        {object: 'process', property: 'exit', message: 'set the exit code; only bin/ ends the process'},
        {object: 'process', property: 'env', message: 'the environment is read once, in src/config/'},
      ],
    },
  },
  {
    files: ['src/config/**'],
    rules: {'no-restricted-properties': ['error', {object: 'process', property: 'exit', message: 'set the exit code; only bin/ ends the process'}]},
  },
  {files: ['bin/**', 'src/cli/output*.ts'], rules: {'no-console': 'off'}},
  {
    files: ['test/**'],
    rules: {
      // What a test reads from the wire it compares at once; a type adds nothing to that.
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      'no-restricted-syntax': [
        'error',
        {selector: "MemberExpression[property.name='only'][object.name=/^(describe|it|test|suite)$/]", message: 'a test alone hides all others'},
        {selector: "MemberExpression[property.name='skip'][object.name=/^(describe|it|test|suite)$/]", message: 'a test that is skipped tests nothing'},
      ],
    },
  },
)
