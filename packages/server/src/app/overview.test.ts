import { pino } from 'pino'
import { expect, it } from 'vitest'
import { noLimits } from '../shared/account-limits.js'
import { operatorActor } from '../shared/actor.js'
import { overviewHandlers } from './overview.js'

/** The overview with parts that fail. */

const account = {
  id: 1,
  email: 'ada@example.com',
  nickname: '',
  createdAt: 0,
  limits: noLimits,
  actor: operatorActor('test'),
}
const caller = {
  account,
  scopes: [],
  session: null,
  tokenId: null,
  ip: '',
  header: () => undefined,
  requestId: 'req_test',
  behindTrustedProxy: false,
  hasLeft: false,
}
const input = { params: {}, query: {}, body: {} }

type Dns = Parameters<typeof overviewHandlers>[1]['dns']

const show = async (
  areas: Parameters<typeof overviewHandlers>[0],
  dns: Dns = { isExternal: false, ping: async () => undefined },
) => {
  const log: string[] = []
  const { show: handler } = overviewHandlers(areas, { dns, log: pino({}, { write: (line) => void log.push(line) }) })
  return { shown: await handler(input, caller), log }
}

const keys = { handlers: {} as never, overview: async () => ({ keys: 3, events: [] }) }

it('a part that fails is null and is logged, and the other parts are shown', async () => {
  const broken = { handlers: {} as never, overview: () => Promise.reject(new Error('disk I/O error')) }
  const { shown, log } = await show({ account: keys, dns: broken })
  expect(shown).toMatchObject({ parts: { account: { keys: 3 }, dns: null } })
  expect(log.map((line) => JSON.parse(line) as object)).toMatchObject([
    { level: 50, area: 'dns', msg: 'a part of the overview could not be read', err: { message: 'disk I/O error' } },
  ])
})

it('an area without a part is left out', async () => {
  const { shown } = await show({ account: keys, whois: { handlers: {} as never } })
  expect(shown).toMatchObject({ parts: { account: { keys: 3 } } })
  expect(Object.keys((shown as { parts: object }).parts)).toEqual(['account'])
})

it.each<readonly [string, Dns]>([
  ['running', { isExternal: false, ping: async () => undefined }],
  ['failing', { isExternal: false, ping: () => Promise.reject(new Error('closed')) }],
  ['external', { isExternal: true, ping: () => new Promise<void>(() => undefined) }],
])('the nameserver is %s', async (state, dns) => {
  expect((await show({}, dns)).shown).toMatchObject({ nameserver: state })
})
