import { builtinModules } from 'node:module'
import parser from '@typescript-eslint/parser'
import * as regexp from 'eslint-plugin-regexp'
import { defineConfig, globalIgnores } from 'eslint/config'

/** What oxlint (.oxlintrc.json), which finds all else, has no rules for: imports between layers, and regular expressions. */

/** Which workspace packages each package may import (docs/architecture.md). */
const mayImport = {
  contract: [],
  server: ['contract'],
  client: ['contract'],
  cli: ['contract', 'client', 'server'],
  console: ['contract', 'client'],
}
const packages = Object.keys(mayImport).join('|')

/** Layers that only entry points import. */
const topLayers = ['archive', 'commands', 'serve', 'config', 'app', 'app.js']

/** Layers of the server that each layer must not import. Only app.ts imports all. */
const mayNotReach = {
  db: ['ports', 'http', 'areas', ...topLayers],
  ports: ['http', 'areas', ...topLayers],
  http: ['areas', ...topLayers],
  archive: ['http', 'areas', 'commands', 'serve', 'app', 'app.js'],
  shared: ['db', 'ports', 'http', 'areas', ...topLayers],
}

const tests = ['**/*.test.ts', '**/test/**', 'e2e/**', 'bench/**']

/** A parameter of a prepared query, and the places where JavaScript would decide by it. */
const parameter = 'MemberExpression[object.name="p"]'
const decisions = [
  `:matches(ConditionalExpression, IfStatement) > ${parameter}.test`,
  `:matches(ConditionalExpression, IfStatement) > UnaryExpression.test > ${parameter}`,
  `:matches(LogicalExpression, BinaryExpression) > ${parameter}`,
]

/** Mistakes that would otherwise appear when the unit or the query is first used. */
const misuses = [
  {
    selector: ':function CallExpression[callee.name="unit"]',
    message: 'Declare a unit of work at the top level of its module: the writer thread finds it by loading the module.',
  },
  {
    selector: decisions.map((decision) => `CallExpression[callee.name="prepared"] ${decision}`).join(', '),
    message: 'A prepared query is built once, before its parameters have values: compare them in SQL.',
  },
]

/** Refuses matching imports, by a statement or by `import()`, and misuses of units and prepared queries. */
const restrict = (files, refused) => ({
  files,
  ignores: tests,
  rules: {
    'no-restricted-imports': ['error', { patterns: refused }],
    'no-restricted-syntax': [
      'error',
      ...misuses,
      ...refused.map(({ regex, message }) => ({
        selector: `ImportExpression > Literal[value=/${regex.replaceAll('/', '\\u002F')}/]`,
        message,
      })),
    ],
  },
})

const packageRule = (name) => [
  {
    regex: `^@svc/(?!(${mayImport[name].join('|') || '-'})(/|$))`,
    message: `${name} may import: ${mayImport[name].join(', ') || 'no other package'}.`,
  },
  { regex: `(^|/)(${packages})/(src|dist)(/|$)`, message: 'Import another package by its name.' },
]

const nodeModules = {
  regex: `^node:|^(${builtinModules.join('|')})(/|$)`,
  message: 'The contract also runs in browsers: no Node modules.',
}
const noImports = {
  regex: '.',
  message: 'This module must have no imports: the writer thread loads it.',
}
/** @param depth how many folders below areas/ a file lies */
const areaRule = (depth) => ({
  regex: String.raw`^(\.\./){${depth}}(?!\.\./(db|ports|shared)/|\.\./http/(area|answer|handler|staged)\.js$|\.\./(lazy|network-of)\.js$)`,
  message: 'An area imports the contract, db/, ports/ and the handler types of http/, and no other area.',
})
const layerRule = (layer) => ({
  regex: String.raw`^(\.\./)+(${mayNotReach[layer].join('|')})(/|$)`,
  message: `${layer}/ may not import: ${mayNotReach[layer].join(', ')}.`,
})

// The last block that matches a file decides, so the narrower ones repeat their package's rule.
const importRule = [
  ...Object.keys(mayImport).map((name) => restrict([`packages/${name}/src/**`], packageRule(name))),
  restrict(['packages/contract/src/**'], [...packageRule('contract'), nodeModules]),
  restrict(['packages/contract/src/{errors,group-by,limits,public-name,scopes}.ts'], [noImports]),
  restrict(['packages/server/src/areas/*/*.ts'], [...packageRule('server'), areaRule(1)]),
  restrict(['packages/server/src/areas/*/*/*.ts'], [...packageRule('server'), areaRule(2)]),
  restrict(['packages/server/src/areas/*/*/*/**'], [...packageRule('server'), areaRule(3)]),
  ...Object.keys(mayNotReach).map((layer) =>
    restrict([`packages/server/src/${layer}/**`], [...packageRule('server'), layerRule(layer)]),
  ),
]

export default defineConfig(
  globalIgnores(['**/dist/', 'coverage/', 'data/', 'e2e/generators/']),
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  { files: ['**/*.{ts,tsx}'], languageOptions: { parser } },
  {
    // A regular expression that takes more than linear time lets one request hold the event loop for seconds. The rules see
    // literals and constant `new RegExp`; `report: 'potential'` also counts those whose use they do not see.
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential' }],
    },
  },
  {
    files: ['packages/{contract,server,client,console}/src/**'],
    ignores: ['packages/server/src/{commands,generate}/**'],
    rules: { 'no-console': 'error' },
  },
  importRule,
  {
    files: ['packages/{server,cli}/src/**'],
    // log-output.ts writes the log, which log.ts has escaped.
    ignores: ['**/*.test.ts', 'packages/server/src/{terminal,log-output}.ts', 'packages/cli/src/output.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        ...['stdout', 'stderr'].map((property) => ({
          object: 'process',
          property,
          message: 'Text from outside must not command a terminal: write through output.ts or terminal.ts.',
        })),
      ],
    },
  },
)
