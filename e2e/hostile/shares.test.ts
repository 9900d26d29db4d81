import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { deploymentKinds } from '@svc/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../packages/server/test/app.js'
import { onContent, startDeployments, type Deployments } from '../../packages/server/test/deployments.js'
import { openSocket } from '../../packages/server/test/raw-http.js'
import type { Browser } from '../../packages/server/test/site.js'
import { startTarget } from '../../packages/server/test/target-server.js'

/** What one client or account can occupy leaves room for the others: addresses, sign-ins, deliveries and memory. */

describe.each(databaseKinds)('on %s', (kind) => {
  let site: Deployments
  let eve: Browser
  beforeAll(async () => {
    site = await startDeployments(kind, { outboundAllow: ['127.0.0.1/32'] })
    await site.account('eve@example.com')
    eve = await site.browser('eve@example.com')
  })
  afterAll(() => site.stop())

  it.each(deploymentKinds)('the address of a deleted %s reaches no other account', async (of) => {
    const fields = { kind: of, slug: 'was-mine', ...(of === 'shortlink' && { target: 'https://example.com/' }) }
    const { id } = await site.create(fields)
    await site.ada.call('POST', '/deployments/delete', { body: { id } })
    expect((await eve.call('POST', '/deployments/create', { body: fields })).status).toBe(400)
    expect((await site.ada.call('POST', '/deployments/create', { body: fields })).status).toBe(200)
  })

  it('sixty wrong sign-ins at a time from many networks do not refuse a known browser', async () => {
    const answer = await site.signIn('eve@example.com')
    const cookie = answer.headers.getSetCookie().map((text) => text.split(';', 1)[0] ?? '')
    let isOver = false
    let refused = 0
    const guess = async (worker: number) => {
      for (let n = 0; !isOver; n++) {
        const ip =
          worker % 2 === 0 ? `10.${String(worker)}.${String(n % 250)}.1` : `2001:db8:${String(worker)}:${String(n)}::1`
        const email = `nobody${String(worker)}-${String(n)}@example.com`
        const guessed = await site.signIn(email, { password: 'wrong', headers: { 'x-forwarded-for': ip } })
        if (!guessed.body['message'].includes('in progress')) continue
        refused++
        await sleep(20)
      }
    }
    const flood = Promise.all(Array.from({ length: 60 }, (_, worker) => guess(worker)))
    await expect.poll(() => refused, { timeout: 20_000 }).toBeGreaterThan(10)
    const statuses: number[] = []
    for (let n = 0; n < 5; n++) {
      const headers = { 'x-forwarded-for': '192.0.2.1', cookie: cookie.join('; ') }
      statuses.push((await site.signIn('eve@example.com', { headers })).status)
    }
    isOver = true
    await flood
    expect(statuses).toEqual([200, 200, 200, 200, 200])
  })

  it('an account with many requests for a host does not delay the deliveries of others', async () => {
    const target = await startTarget()
    target.answer = ({ url }) => (url.includes('mine') ? 200 : 500)
    const flooding = await eve.call('POST', '/deployments/create', { body: { kind: 'webhook', target: target.url } })
    const { slug } = flooding.body['data'] as { slug: string }
    for (let n = 0; n < 40; n++)
      await Promise.all(Array.from({ length: 10 }, () => onContent(site, 'POST', `/h/${slug}`, { body: 'x' })))
    const mine = await site.create({ kind: 'webhook', target: `${target.url}?mine` })
    const before = target.received.length
    await onContent(site, 'POST', `/h/${mine.slug}`, { body: 'x' })
    const isMine = ({ url }: { url: string }) => url.includes('mine')
    await expect.poll(() => target.received.some(isMine), { timeout: 10_000 }).toBe(true)
    const earlier = target.received.slice(before).findIndex(isMine)
    // In its turn, however many wait: a few may have been sent while the request was stored.
    expect(earlier).toBeLessThan(60)
    await target.stop()
  })

  it('slow connections of many networks leave room for larger bodies', async () => {
    const webhook = await site.create({ kind: 'webhook' })
    const form = await site.create({ kind: 'form' })
    const sockets: Socket[] = []
    for (let n = 0; n < 128; n++) {
      const socket = await openSocket(site.url)
      const ip = `10.9.${String(n % 8)}.${String(n)}`
      const head = `POST /h/${webhook.slug} HTTP/1.1\r\nHost: content.localhost\r\nX-Forwarded-For: ${ip}\r\nContent-Length: 200000\r\n\r\n`
      socket.on('error', () => socket.destroy()).write(head + 'x'.repeat(20_000))
      sockets.push(socket)
    }
    await sleep(1_000)
    try {
      const body = `a=${'x'.repeat(60_000)}`
      for (const path of [`/h/${webhook.slug}`, `/f/${form.slug}`])
        for (let n = 0; n < 5; n++) {
          const headers = { 'x-forwarded-for': `198.51.${String(n)}.1` }
          expect([path, (await onContent(site, 'POST', path, { headers, body })).status]).toEqual([path, 200])
        }
    } finally {
      for (const socket of sockets) socket.destroy()
    }
  })
})
