import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { operations, ruleKinds, type RuleKind, type TokenScope } from '@svc/contract'
import { unlimited } from '../src/areas/account/tokens/limits.js'
import { tokenStore } from '../src/areas/account/tokens/store.js'
import type { Rule, Rules } from '../src/shared/rules.js'
import { databaseKinds, type Envelope } from './app.js'
import { setUps } from './areas/index.js'
import type { HttpAnswer } from './raw-http.js'
import { mayRequest, needs } from './rules-model.js'
import { entries, openScene, type Call, type Entry, type Scene } from './walk/scene.js'

/** Every operation of /v1 with tokens that have rules of each kind, on a real server. */

/** Things that no test creates. */
const otherNames: Readonly<Record<RuleKind, string>> = {
  zone: 'elsewhere.org',
  site: 'elsewhere',
  package: 'elsewhere',
  deployment: 'elsewhere',
  credential: 'elsewhere',
}

const atV1 = entries.filter(({ door, op }) => door === 'v1' && op.access !== 'public')
const other = (kind: RuleKind): Rule => ({ kind, name: otherNames[kind], access: 'write' })

/** The name of the entries of each list. */
const lists: Readonly<Record<string, readonly [list: string, name: string]>> = {
  'dns.zoneList': ['zones', 'zone'],
  'sites.list': ['sites', 'name'],
  'sites.domains': ['domains', 'name'],
  'packages.list': ['packages', 'slug'],
  'deployments.list': ['deployments', 'slug'],
  'cred.list': ['credentials', 'platform'],
}

describe.each(databaseKinds)('rules of tokens on %s', (database) => {
  let scene: Scene
  beforeAll(async () => {
    scene = await openScene(database)
  })
  afterAll(() => scene.stop())

  let tokens = 0
  const created: number[] = []
  const withRules = async (rules: Rules | null, scopes: readonly TokenScope[] = ['*']) => {
    const name = `rules ${String(++tokens)}`
    const { id, token } = await tokenStore(scene.app.database).create(scene.owner, name, scopes, {
      ...unlimited,
      rules,
    })
    created.push(id)
    return { authorization: `Bearer ${token}` }
  }
  // An account may have 1,000 tokens.
  afterEach(async () => {
    for (const id of created.splice(0)) await tokenStore(scene.app.database).revoke(scene.owner, id)
  })

  const read = async (path: string): Promise<Envelope> =>
    (await scene.call('GET', path, { token: await scene.token(scene.owner, '*') })).body['data']

  /** A call that works, for a new thing of the owner. */
  async function prepared({ op }: Entry): Promise<Call> {
    const { params, query, body } = op.example
    const setUp = setUps[op.id]
    const call = (await (setUp?.works ?? setUp?.worksAlone)?.(scene)) ?? {}
    const isNew = op.id === 'deployments.create'
    return {
      params,
      query,
      body,
      ...call,
      ...(isNew && { body: { ...(call.body as object), slug: `rules-${String(++tokens)}` } }),
    }
  }

  /** The name that rules have for what a call touches. */
  async function nameOf({ op }: Entry, call: Call): Promise<string> {
    const [place = '', field = ''] = op.touches?.by?.split('.') ?? []
    const given = (call as Record<string, Record<string, unknown> | undefined>)[place]?.[field]
    if (field === 'host')
      return (await read('/v1/sites/domains'))['domains'].find(({ host }: { host: unknown }) => host === given)
        .name as string
    if (field !== 'id') return String(given)
    if (op.touches?.kind === 'deployment') return (await read(`/v1/deployments/${String(given)}`))['slug'] as string
    return (await read('/v1/cred'))['credentials'].find(({ id }: { id: unknown }) => id === given).platform as string
  }

  /** What a call gets with rules. The records that it touches are not limited by them. */
  const expected = (rules: Rules, { op }: Entry, name: string) => {
    // Webhooks get all events of the account, and secondaries all changes of zones: no token with rules can use them.
    if (op.refusesRules !== undefined) return 'forbidden_scope'
    const kind = needs[op.id]?.[0]
    const isAllowed = mayRequest(rules, { operation: op.id, name, records: [] })
    if (!isAllowed) return kind === 'zone' ? 'forbidden_zone' : 'forbidden'
    // The records of a site's domain are in a zone.
    const isOfZone = op.id === 'sites.domainAdd' || op.id === 'sites.domainRemove'
    return isOfZone && rules.some((rule) => rule.kind === 'zone') ? 'forbidden_zone' : 200
  }

  const outcome = ({ status, body }: HttpAnswer) => (status === 200 ? 200 : (body['error'] as string))

  it.each(atV1.map((entry) => [entry.op.id, entry] as const))('%s', async (_, entry) => {
    const call = async (rules: (name: string) => Rules) => {
      const input = await prepared(entry)
      const name = entry.op.touches?.by === undefined ? '' : await nameOf(entry, input)
      const given = rules(name)
      const answer = await scene.send(entry, input, await withRules(given))
      expect({ given, outcome: outcome(answer), text: answer.text }).toMatchObject({
        outcome: expected(given, entry, name),
      })
      return { answer, name }
    }
    for (const kind of ruleKinds) {
      const { answer } = await call(() => [other(kind)])
      const [list = '', field = ''] = lists[entry.op.id] ?? []
      if (entry.op.touches?.kind === kind && list !== '') {
        expect(answer.body['data'][list]).toEqual([])
        expect(answer.body['data'].total ?? 0).toBe(0)
        expect(field).not.toBe('')
      }
    }
    const { kind, by } = entry.op.touches ?? {}
    if (kind === undefined || by === undefined) return
    for (const access of ['write', 'read'] as const) await call((name) => [{ kind, name, access }])
    if (kind === 'zone') await call((name) => [{ kind, name, hosts: ['**', '@'], access: 'write' }])
  })

  it.each(Object.entries(lists))('%s shows only what rules name, with its total', async (id, [list, field]) => {
    const entry = atV1.find(({ op }) => op.id === id) as Entry
    const all = (await scene.send(entry, {}, await withRules(null))).body['data']
    const names = [...new Set((all[list] as Record<string, string>[]).map((one) => one[field] ?? ''))]
    const kind = entry.op.touches?.kind as RuleKind
    const wanted = names.slice(0, 2)
    expect(wanted.length, 'nothing to list').toBeGreaterThan(0)
    const rules = [...wanted.map((name): Rule => ({ kind, name, access: 'read' })), other(kind)]
    const shown = (await scene.send(entry, {}, await withRules(rules))).body['data']
    const isWanted = (one: Record<string, string>) => wanted.includes(one[field] ?? '')
    expect(shown[list]).toEqual((all[list] as Record<string, string>[]).filter(isWanted))
    if ('total' in all) expect(shown.total).toBe(shown[list].length)
  })

  it('pages of a list with rules follow each other, and its total counts what they show', async () => {
    const slugs = ['page-1', 'page-2', 'page-3']
    const token = await scene.token(scene.owner, '*')
    for (const slug of ['x-1', ...slugs, 'x-2'])
      await scene.call('POST', '/v1/deployments/create', {
        token,
        body: { kind: 'shortlink', slug, target: 'https://example.com/' },
      })
    const entry = atV1.find(({ op }) => op.id === 'deployments.list') as Entry
    const caller = await withRules(slugs.map((name) => ({ kind: 'deployment', name, access: 'read' })))
    const page = async (query: object) =>
      (await scene.send(entry, { query: { limit: 2, ...query } }, caller)).body['data']
    const first = await page({})
    const second = await page({ before: first.next })
    const slugsOf = (data: Envelope) => data['deployments'].map(({ slug }: { slug: string }) => slug) as string[]
    expect([slugsOf(first), slugsOf(second)]).toEqual([['page-3', 'page-2'], ['page-1']])
    expect([first.total, second.total, second.next]).toEqual([3, 3, null])
  })

  it('a token for the challenges of a zone changes nothing else, and reads nothing of another thing', async () => {
    const succeeded: string[] = []
    for (const entry of atV1) {
      const input = await prepared(entry)
      const isOfZone = entry.op.touches?.kind === 'zone' && entry.op.touches.by !== undefined
      const name = isOfZone ? await nameOf(entry, input) : otherNames.zone
      const hosts = ['_acme-challenge', '_acme-challenge.**']
      const rules: Rules = [{ kind: 'zone', name, hosts, types: ['TXT'], access: 'write' }]
      const { status } = await scene.send(entry, input, await withRules(rules, ['dns:write']))
      if (status === 200) succeeded.push(entry.op.id)
    }
    // Its own account's name, the certificates and the events of the zone, and reads of the zone, which show the challenges only.
    expect(succeeded.toSorted()).toEqual([
      'account.me',
      'dns.historyGet',
      'dns.historyList',
      'dns.recordList',
      'dns.zoneFileExport',
      'dns.zoneGet',
      'dns.zoneList',
      'dns.zoneQueries',
      'dns.zoneVerify',
      'events.stream',
      'tls.list',
    ])
  })

  it('every operation has a walk of its own, with rules of every kind', () => {
    expect(atV1.map(({ op }) => op.id).sort()).toEqual(
      operations
        .filter(({ access }) => access !== 'public')
        .map(({ id }) => id)
        .sort(),
    )
  })
})
