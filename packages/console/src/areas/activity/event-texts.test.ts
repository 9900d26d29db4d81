import { eventActions } from '@svc/contract/events'
import { describe, expect, it } from 'vitest'
import { sentenceOf } from './event-texts.js'
import { actorText, areaLabel, eventText, fieldName, fieldsOf, fieldText, meansText, thingText } from './event-words.js'
import { actorPath, thingPath } from './links.js'

const deploy = { kind: 'token', name: 'deploy', id: 7 } as const
const session = { kind: 'session', name: 'console', id: null } as const
const operator = { kind: 'operator', name: 'svc user limit', id: null } as const
const acme = { kind: 'protocol', name: 'ACME', id: null } as const

const common = { id: 1, at: '2026-11-20T09:30:00.000Z', object: '', before: null, after: null }

describe('every action of the contract', () => {
  const actions = Object.entries(eventActions).flatMap(([area, names]) => names.map((action) => ({ area, action })))
  it.each(actions)('$area.$action has a sentence of its own, with the fields that it names', ({ area, action }) => {
    const event = { ...common, area, action, object: 'the-object', actor: session }
    const text = eventText(event)
    expect(text).not.toContain(`(${area})`)
    expect(text).toMatch(/^[A-Z]/)
    expect(text).not.toMatch(/undefined|null|NaN|\[object/)
  })
})

it.each([
  [
    'API key deploy changed the zone example.com',
    { area: 'dns', action: 'zone_change', actor: deploy, object: 'example.com' },
  ],
  ['You signed in', { area: 'account', action: 'sign_in', actor: session }],
  ['You read 3 credentials', { area: 'cred', action: 'credential_read', actor: session, after: { count: 3 } }],
  [
    'You read 1 credential of a.example',
    { area: 'cred', action: 'credential_read', actor: session, object: 'a.example', after: { count: 1 } },
  ],
  [
    'You signed in with Firefox on Linux',
    {
      area: 'account',
      action: 'sign_in',
      actor: session,
      after: { user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0' },
    },
  ],
  ['The operator changed the limits of the account', { area: 'account', action: 'limits_change', actor: operator }],
  ['You revoked 1 API key', { area: 'account', action: 'tokens_revoke', actor: session, after: { count: 1 } }],
  ['You revoked 12 API keys', { area: 'account', action: 'tokens_revoke', actor: session, after: { count: 12 } }],
  [
    'You changed the email to ada@example.org',
    {
      area: 'account',
      action: 'email_change',
      actor: session,
      before: { email: 'a@b.c' },
      after: { email: 'ada@example.org' },
    },
  ],
  [
    'You removed the display name',
    { area: 'account', action: 'nickname_change', actor: session, after: { nickname: '' } },
  ],
  [
    'The API key deploy was used from a new network',
    { area: 'account', action: 'token_network', actor: deploy, object: 'deploy' },
  ],
  [
    'Another account took over the zone example.com',
    { area: 'dns', action: 'zone_lost', actor: acme, object: 'example.com' },
  ],
] as const)('%s', (text, event) => {
  expect(eventText({ ...common, ...event })).toBe(text)
})

it.each([
  ['You: robot start, r2 (robots)', { area: 'robots', action: 'robot_start', object: 'r2' }],
  ['You: robot start (robots)', { area: 'robots', action: 'robot_start', object: '' }],
  ['You: zone freeze, example.com (dns)', { area: 'dns', action: 'zone_freeze', object: 'example.com' }],
  ['You: toString (dns)', { area: 'dns', action: 'toString', object: '' }],
  ['You: sign in (constructor)', { area: 'constructor', action: 'sign_in', object: '' }],
] as const)('an action of a newer server: %s', (text, event) => {
  expect(eventText({ ...common, ...event, actor: session })).toBe(text)
})

it.each([
  ['example.com', { object: 'example.com', after: { domains: ['a.example'] } }],
  ['a.example, b.example', { object: '', after: { domains: ['a.example', 'b.example'] } }],
  ['', { object: '', after: null }],
] as const)('the thing is %j: %o', (text, { after, object }) => {
  const fields = after && { domains: [...after.domains] }
  expect(thingText({ object, before: null, after: fields })).toBe(text)
})

it('a name that looks like a place stays a text', () => {
  const event = { ...common, area: 'account', action: 'nickname_change', after: { nickname: '${who}' } }
  expect(sentenceOf(event).at(-1)).toBe('${who}')
})

it.each([
  [deploy, 'API key deploy', undefined, '/account/keys?key=7'],
  [session, 'You', 'in the console', undefined],
  [operator, 'The operator', 'by svc user limit', undefined],
  [acme, 'The server', 'by ACME', undefined],
] as const)('who did it: %o', (actor, text, means, path) => {
  expect([actorText(actor), meansText(actor), actorPath(actor)]).toEqual([text, means, path])
})

it.each([
  ['/dns/example.com/history', { area: 'dns', action: 'zone_change', object: 'example.com' }],
  ['/dns/example.com', { area: 'dns', action: 'zone_claim', object: 'example.com' }],
  ['/account/keys', { area: 'account', action: 'token_change', object: 'deploy' }],
  ['/sites/a%2Fb', { area: 'sites', action: 'site_deploy', object: 'a/b' }],
  ['/files/4', { area: 'files', action: 'file_upload', object: 'a.pdf', after: { id: 4 } }],
  [undefined, { area: 'files', action: 'file_upload', object: 'a.pdf' }],
  [undefined, { area: 'files', action: 'file_delete', object: 'a.pdf', before: { id: 4 } }],
  ['/deployments/9', { area: 'deployments', action: 'deployment_change', object: 'orders', after: { id: 9 } }],
  ['/deployments?q=orders', { area: 'deployments', action: 'deployment_change', object: 'orders' }],
  [undefined, { area: 'dns', action: 'zone_lost', object: 'example.com' }],
  [undefined, { area: 'account', action: 'sign_in', object: '' }],
  [undefined, { area: 'robots', action: 'robot_start', object: 'r2' }],
] as const)('the page of the thing is %s: %o', (path, event) => {
  expect(thingPath({ ...common, ...event })).toBe(path)
})

it.each([
  ['Scopes', 'scopes', 'dns:read, dns:write', ['dns:read', 'dns:write']],
  ['Networks', 'networks', 'none', []],
  ['Paused', 'paused', 'yes', true],
  ['Number', 'count', '0', 0],
  ['Ends', 'expires_at', 'none', null],
  ['Media type', 'media_type', 'text/plain', 'text/plain'],
  ['Constructor', 'constructor', '{"a":1}', { a: 1 }],
] as const)('the field %s', (name, field, text, value) => {
  expect([fieldName(field), fieldText(field, value)]).toEqual([name, text])
})

it('lists the fields that are before or after an event', () => {
  expect(fieldsOf({ before: { name: 'a', paused: false }, after: { name: 'b', count: 2 } })).toEqual([
    { field: 'name', before: 'a', after: 'b' },
    { field: 'paused', before: false, after: undefined },
    { field: 'count', before: undefined, after: 2 },
  ])
})

it.each([
  ['DNS', 'dns'],
  ['robots', 'robots'],
  ['toString', 'toString'],
])('the area %s', (label, area) => {
  expect(areaLabel(area)).toBe(label)
})
