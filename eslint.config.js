import parser from '@typescript-eslint/parser'
import * as regexp from 'eslint-plugin-regexp'
import { defineConfig, globalIgnores } from 'eslint/config'

/** What oxlint (.oxlintrc.json), which finds all else, has no rules for: misuses of units and queries, and regular expressions. */

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
  { files: ['packages/*/src/**'], ignores: ['**/*.test.ts'], rules: { 'no-restricted-syntax': ['error', ...misuses] } },
)
