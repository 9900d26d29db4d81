/** A rule of oxlint: mistakes that would otherwise appear when the unit or the query is first used. */

/** A parameter of a prepared query, and the places where JavaScript would decide by it. */
const parameter = 'MemberExpression[object.name="p"]'
const decisions = [
  `:matches(ConditionalExpression, IfStatement) > ${parameter}.test`,
  `:matches(ConditionalExpression, IfStatement) > UnaryExpression.test > ${parameter}`,
  `:matches(LogicalExpression, BinaryExpression) > ${parameter}`,
]

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

/** Reports each misuse. Selectors are those of ESLint. */
const create = (context) =>
  Object.fromEntries(misuses.map(({ selector, message }) => [selector, (node) => context.report({ node, message })]))

export default { meta: { name: 'svc' }, rules: { misuses: { create } } }
