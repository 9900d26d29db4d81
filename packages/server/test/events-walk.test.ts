import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds, type Envelope } from './app.js'
import { setUps } from './areas/index.js'
import { onContent } from './deployments.js'
import { eventsOfRequest, newestEvent, storedEvents } from './walk/event-rows.js'
import { entries, openScene, titled, type Entry, type Scene } from './walk/scene.js'
import { Secrets } from './walk/secrets.js'

/** Every operation that changes something, at each of its doors: it leaves an event, and no secret is in any event. */

/** Operations that leave no event, and why. */
const withoutEvent: Readonly<Record<string, string>> = {
  'dns.zoneFilePreview': 'changes nothing',
  'dns.zoneVerify': 'the zone of its set-up is verified already',
  'domains.whoisSync': 'reads registrations again, which are not of the account',
  'session.deleteAccount': 'the events of the account go with it',
  'session.enterPassword': 'changes nothing but the time of the session',
  'session.resetRequest': 'the link is in an e-mail, and its use has an event',
  'files.uploadChunk': 'the upload has its event when it is finished',
  'files.uploadDiscard': 'an upload that is not finished is not a file',
}

/** Operations that change nothing now and then, and when. */
const sometimesWithout: Readonly<Record<string, string>> = {
  'tls.renew': 'while the server orders the certificate already',
}

const isWrite = ({ op }: Entry): boolean => op.method !== 'GET'

it('names only operations that exist among those without an event', () => {
  const ids = new Set(entries.filter(isWrite).map(({ op }) => op.id))
  expect(Object.keys(withoutEvent).filter((id) => !ids.has(id))).toEqual([])
})

describe.each(databaseKinds)('the events of every operation on %s', (kind) => {
  const secrets = new Secrets()
  const stored: object[] = []
  let scene: Scene
  beforeAll(async () => {
    scene = await openScene(kind, { trustProxy: ['127.0.0.1'], outboundAllow: ['127.0.0.1/32'] })
  })
  afterAll(() => scene.stop())

  /** Calls with the input of the set-up, whose secrets are new ones. @returns the answer, with the events that it left */
  async function walk(at: Scene, entry: Entry) {
    const { op, door } = entry
    const { works, worksAlone } = setUps[op.id] ?? {}
    const said = (await (worksAlone ?? works)?.(at)) ?? {}
    const { params, query, body } = { ...op.example, ...said }
    const input = { ...said, params, query, body: secrets.withCanaries(op.id, body) }
    const caller = op.access === 'public' ? {} : await at.credentials(door, at.owner)
    const before = await newestEvent(at.app.database)
    const answer = await at.send(entry, input, caller)
    expect(answer.status, answer.text).toBe(200)
    secrets.collect(op.id, [input.body, answer.body])
    for (const text of [...Object.values(caller), ...(answer.headers['set-cookie'] ?? [])])
      secrets.add(op.id, text.replace(/^(Bearer |svc_session=)/, '').split(';', 1)[0] ?? '')
    return { answer, events: await eventsOfRequest(at.app.database, before, answer.headers['x-request-id']) }
  }

  it.each(titled(entries.filter((entry) => isWrite(entry) || entry.op.showsSecrets)))('%s', async (_, entry) => {
    const isAlone = setUps[entry.op.id]?.worksAlone !== undefined
    const at = isAlone ? await openScene(kind) : scene
    const { events } = await walk(at, entry)
    if (isAlone) {
      stored.push(...(await storedEvents(at.app.database)))
      await at.stop()
    }
    if (!isWrite(entry) || entry.op.id in sometimesWithout) return
    if (withoutEvent[entry.op.id] === undefined) expect(events, `${entry.op.id} left no event`).not.toEqual([])
    else expect(events).toEqual([])
  })

  it('no secret is in any event, and nothing of what visitors and devices sent', async () => {
    await visit(scene, secrets)
    stored.push(...(await storedEvents(scene.app.database)))
    expect(secrets.foundIn(JSON.stringify(stored))).toEqual([])
    const operations = new Set(secrets.texts.values())
    for (const id of ['keys.create', 'keys.rotate', 'cred.store', 'cred.update', 'sms.keyCreate', 'sms.signingKeySet'])
      expect(operations).toContain(id)
    for (const id of ['deployments.create', 'deployments.rotateSecret', 'files.upload', 'packages.publish', 'tls.key'])
      expect(operations).toContain(id)
    for (const id of ['session.signIn', 'domains.calendarCreate', 'cdn.config', 'visitors'])
      expect(operations).toContain(id)
  })
})

/** What visitors send to a form, a webhook and a short link, and a device to the inbox; then their owner deletes some of it. */
async function visit(scene: Scene, secrets: Secrets): Promise<void> {
  const token = await scene.token(scene.owner, '*')
  const { cookie } = await scene.session(scene.owner)
  const canary = () => secrets.canary('visitors')
  async function call(method: string, path: string, body?: object): Promise<Envelope> {
    const headers: Record<string, string> = path.startsWith('/console') ? { cookie, origin: scene.url } : {}
    const by = path.startsWith('/v1') ? { token } : {}
    const answer = await scene.call(method, path, { ...by, headers, ...(body && { body }) })
    expect(answer.status, answer.text).toBe(200)
    secrets.collect('visitors', answer.body)
    return answer.body['data'] as Envelope
  }
  const create = (body: object) => call('POST', '/v1/deployments/create', body)
  const visitor = '198.51.100.77'
  secrets.add('visitors', visitor.replace(/\.\d+$/, '.'))
  const headers = () => ({
    'x-forwarded-for': visitor,
    'user-agent': canary(),
    'content-type': 'application/x-www-form-urlencoded',
  })

  const target = `http://127.0.0.1:1024/${canary()}?key=${canary()}`
  const pages = { next_urls: [`https://example.com/thanks?key=${canary()}`], origins: [] }
  const form = await create({ kind: 'form', form: pages })
  const webhook = await create({ kind: 'webhook', target })
  const link = await create({ kind: 'shortlink', target: `https://example.com/?key=${canary()}` })
  for (let n = 0; n < 2; n++) {
    const body = `name=${canary()}&_subject=${canary()}`
    await onContent(scene, 'POST', `/f/${String(form['slug'])}`, { headers: headers(), body })
    await onContent(scene, 'POST', `/h/${String(webhook['slug'])}?q=${canary()}`, {
      headers: headers(),
      body: canary(),
    })
    await onContent(scene, 'GET', `/l/${String(link['slug'])}?q=${canary()}`, { headers: headers() })
  }
  for (const { id } of (await call('GET', '/v1/sms/keys'))['keys'])
    await call('DELETE', `/v1/sms/keys?id=${String(id)}`)
  const { key } = await call('POST', '/v1/sms/keys', { label: 'Phone' })
  await call('POST', `/sms/${String(key)}`, { from: canary(), text: canary() })

  const id: unknown = form['id']
  await call('POST', '/v1/deployments/submissions/delete', { id, submission_id: 1 })
  await call('POST', '/console/api/deployments/submissions/delete-several', { id, submission_ids: [2] })
  await call('POST', '/v1/deployments/requests/redeliver', { id: webhook['id'], request_id: 1 })
  const { messages } = await call('GET', '/v1/sms/messages')
  await call('POST', '/console/api/sms/messages/delete', { ids: messages.map((message: { id: number }) => message.id) })
  for (const made of [form, webhook, link]) await call('POST', '/v1/deployments/delete', { id: made['id'] })
}
