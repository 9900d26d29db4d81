import { expect, it } from 'vitest'
import { operations, recordTypes, ruleAccesses, ruleKinds, type Operation, type RuleKind } from '@svc/contract'
import { ruleNames } from '../src/app/rule-names.js'
import { checkRules } from '../src/areas/account/tokens/check-rules.js'
import { readable } from '../src/areas/dns/zones/record-rules.js'
import { allows, readableNames, type Change, type Rule, type RuledRecord } from '../src/shared/rules.js'
import { mayList, mayRequest, needs, type Request } from './rules-model.js'

/** A million pairs of a token and a request: svc and the model decide alike. */

const pairs = 1_000_000
const requestsOfToken = 40

/** A seeded generator, so that a difference can be found again. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const random = randomNumbers(28)
const oneOf = <T>(values: readonly T[]): T => values[random(values.length)] as T
const some = <T>(values: readonly T[], max: number): T[] => Array.from({ length: 1 + random(max) }, () => oneOf(values))

const names: Readonly<Record<RuleKind, readonly string[]>> = {
  zone: ['example.com', 'example.org', '2.0.192.in-addr.arpa'],
  site: ['docs', 'blog', 'example-com'],
  package: ['tool', 'docs', 'example-com'],
  deployment: ['launch', 'docs', 'contact'],
  credential: ['registrar.example', 'docs', 'other'],
}
const labels = ['a', 'www', '_acme-challenge', 'dyn', '*']
const plainLabels = labels.filter((label) => label !== '*')

/** Up to three labels; an asterisk is the first. */
const host = (): string => {
  const rest = Array.from({ length: random(3) }, () => oneOf(plainLabels))
  return random(8) === 0 ? '@' : [oneOf(labels), ...rest].join('.')
}

/** The same as a rule has it: with patterns, and not always in lower case. */
const hostOfRule = (): string => {
  const kind = random(5)
  if (kind === 0) return '**'
  const base = host()
  const pattern = kind === 1 && base !== '@' ? `${base}.**` : base
  return random(4) === 0 ? pattern.toUpperCase() : pattern
}

const rule = (): Rule => {
  const kind = oneOf(ruleKinds)
  const isZone = kind === 'zone'
  const name = oneOf(names[kind])
  return {
    kind,
    name: isZone && random(4) === 0 ? name.toUpperCase() : name,
    ...(isZone && random(3) > 0 && { hosts: Array.from({ length: 1 + random(3) }, hostOfRule) }),
    ...(isZone && random(2) === 0 && { types: some(recordTypes, 3) }),
    access: oneOf(ruleAccesses),
  }
}

const record = (): RuledRecord => ({ host: host(), type: oneOf(recordTypes) })

/** As the server decides: the declaration of the operation, and `allows`. */
function svcAllows(rules: readonly Rule[] | undefined, { touches }: Operation, { name, records }: Request): boolean {
  if (touches?.by === undefined) return true
  const half = Math.ceil(records.length / 2)
  const change: Change = {
    kind: touches.kind,
    name,
    access: touches.access,
    ...(touches.kind === 'zone' && { removed: records.slice(0, half), added: records.slice(half) }),
  }
  return allows(rules, change)
}

/** Operations that name one record, or several. */
const ofRecords = new Set(
  Object.keys(needs).filter((id) =>
    /^dns\.(record(sBatch|Create|Get|Update|Delete)|rrset|zoneFile(Preview|Import))/.test(id),
  ),
)

it(`${String(pairs)} requests with generated tokens are allowed exactly as the rules say`, () => {
  const covered = new Map<string, number>()
  const differences: unknown[] = []
  let refused = 0
  for (let token = 0; token < pairs / requestsOfToken; token++) {
    const given = random(20) === 0 ? undefined : Array.from({ length: 2 + random(7) }, rule)
    const rules = given && checkRules(given, ruleNames)
    for (let i = 0; i < requestsOfToken; i++) {
      // Every operation in turn.
      const op = operations[(token * requestsOfToken + i) % operations.length] as Operation
      const kind = needs[op.id]?.[0] ?? oneOf(ruleKinds)
      const name =
        random(4) > 0 && given
          ? (given.find((one) => one.kind === kind)?.name ?? oneOf(names[kind]))
          : oneOf(names[kind])
      const request: Request = {
        operation: op.id,
        name: name.toLowerCase(),
        records: ofRecords.has(op.id) ? Array.from({ length: 1 + random(3) }, record) : [],
      }
      const expected = mayRequest(given, request)
      if (!expected) refused++
      if (svcAllows(rules, op, request) !== expected) differences.push({ given, request, expected })
      for (const { kind: ofRule } of given ?? []) {
        const pair = `${op.id} ${ofRule}`
        covered.set(pair, (covered.get(pair) ?? 0) + 1)
      }
    }
    // What lists show.
    const kind = oneOf(ruleKinds)
    const name = oneOf(names[kind])
    if ((readableNames(rules, kind)?.includes(name) ?? true) !== mayList(given, kind, name))
      differences.push({ given, kind, name })
    const [zone, one] = [oneOf(names.zone), record()]
    const isShown = readable({ zone, rules }, [one]).length === 1
    if (isShown !== mayList(given, 'zone', zone, one)) differences.push({ given, zone, one })
  }
  expect(differences.slice(0, 3)).toEqual([])
  const missing = operations.flatMap(({ id }) =>
    ruleKinds.filter((kind) => (covered.get(`${id} ${kind}`) ?? 0) < 100).map((kind) => `${id} with a ${kind} rule`),
  )
  expect(missing).toEqual([])
  // A test that sees few refusals would say little.
  expect(refused).toBeGreaterThan(pairs / 10)
}, 120_000)

/** The areas whose things rules can name. */
const ruledAreas = ['dns', 'tls', 'cred', 'sites', 'deployments', 'packages']

it('every operation of an area with rules declares what it touches, and no other does', () => {
  const declared = operations.filter(({ touches }) => touches !== undefined).map(({ id }) => id)
  expect(declared.sort()).toEqual(Object.keys(needs).sort())
  const ofAreas = operations
    .filter(({ id, refusesRules }) => refusesRules === undefined && ruledAreas.includes(id.split('.', 1)[0] ?? ''))
    .map(({ id }) => id)
  expect(declared).toEqual(ofAreas.sort())
})

it.each(operations.filter(({ touches }) => touches !== undefined).map((op) => [op.id, op] as const))(
  '%s names what it touches with a field of its input, or is a list',
  (_, { touches, method, params, query, body }) => {
    const [place, field] = touches?.by?.split('.') ?? []
    if (place === undefined) expect(method).toBe('GET')
    else expect(Object.keys({ params, query, body }[place]?.properties ?? {})).toContain(field)
  },
)
