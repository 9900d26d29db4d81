import type { ServerResponse } from 'node:http'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { problem, startFakeCa, type CaAnswer, type CaRequest, type FakeCa } from '../../../../test/fake-ca.js'
import { opensslCa, type OpensslCa } from '../../../../test/openssl-ca.js'
import { guardedConnections } from '../../outbound/guarded-connections.js'
import { checkChain } from './chain.js'
import { acmeClient, type AcmeClientOptions } from './client.js'
import { AcmeError } from './errors.js'
import { accountKeyOf } from './jws.js'
import type { Proof, ProofPublisher } from './proof.js'
import { certificateRequest, newKey } from './x509.js'

/** A CA that fails or lies at one step. Each order ends with an error that says what happened, and withdraws its proofs. */

const names = ['example.test', '*.example.test']
let ca: OpensslCa
let fake: FakeCa
let published: Proof[]
beforeAll(async () => {
  ca = await opensslCa()
})
afterAll(() => ca.stop())
beforeEach(async () => {
  fake = await startFakeCa(ca)
  published = []
})
afterEach(async () => {
  expect(published).toEqual([])
  await fake.stop()
})

const proofs: ProofPublisher = {
  typesFor: () => Promise.resolve(['dns-01']),
  publish: async (all) => void published.push(...all),
  withdraw: async (all) => {
    published = published.filter((proof) => !all.includes(proof))
  },
}

/** For failures that come before it, however busy the machine is. */
const patientMs = 60_000
/** For orders that end at their deadline. */
const shortMs = 1_500
const clientOf = (options: Partial<AcmeClientOptions> = {}, deadlineMs = patientMs) =>
  acmeClient(
    {
      directoryUrl: fake.directoryUrl,
      connections: guardedConnections({ allowed: [], trustedUrl: `${fake.directoryUrl.origin}/` }),
      accountKey: accountKeyOf(newKey()),
      email: undefined,
      externalAccount: undefined,
      ...options,
    },
    { order: deadlineMs, renewalInfo: deadlineMs },
  )
const never = new AbortController().signal
const order = (signal = never, key = newKey(), replaces?: string) =>
  clientOf().order({ names, key, proofs, replaces }, signal)

const shortOrder = () => clientOf({}, shortMs).order({ names, key: newKey(), proofs }, never)

/** Lies at the paths that begin with the given one. */
const lieAt = (
  start: string,
  answer: CaAnswer | ((request: CaRequest, response: ServerResponse) => CaAnswer | 'handled'),
) => {
  fake.lie = (request, response) => {
    if (!request.path.startsWith(start)) return undefined
    return typeof answer === 'function' ? answer(request, response) : answer
  }
}

async function failureOf(attempt: Promise<unknown>): Promise<AcmeError> {
  const error = await attempt.then(
    () => expect.fail('The order succeeded.'),
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(AcmeError)
  return error as AcmeError
}

it('orders from it as long as it is honest', async () => {
  const { leaf, pem } = await order()
  expect(leaf.subjectAltName).toBe('DNS:example.test, DNS:*.example.test')
  expect(pem.trim().split('-----BEGIN')).toHaveLength(3)
  expect(fake.paths.filter((path) => path.startsWith('/challenge'))).toEqual(['/challenge/0', '/challenge/1'])
})

describe('a certificate that cannot be served', () => {
  const unusable = async (issue: FakeCa['issue']) => {
    fake.issue = issue
    const { failure, message } = await failureOf(order())
    expect(failure).toBe('unusable_certificate')
    return message.replace('The CA gave a certificate that cannot be used: ', '')
  }

  it('is for another key', async () => {
    expect(await unusable(() => ca.sign(certificateRequest(names, newKey())))).toBe('it is for another key.')
  })

  it('does not cover all names', async () => {
    const key = newKey()
    fake.issue = () => ca.sign(certificateRequest(['example.test'], key))
    const { message } = await failureOf(order(never, key))
    expect(message).toMatch(/it does not cover \*\.example\.test\.$/)
  })

  it('has expired', async () => {
    expect(await unusable((csr) => ca.sign(csr, '-days', '-1'))).toMatch(/^it expired at 20/)
  })

  it('has a chain in the wrong order', async () => {
    expect(await unusable(async (csr) => (await ca.sign(csr)) + ca.root)).toBe('its chain is not in order.')
  })

  it('has a chain with a certificate that is not of a CA', async () => {
    expect(await unusable(async (csr) => (await ca.sign(csr)) + (await ca.sign(csr)))).toBe(
      'its chain contains a certificate that is not of a CA.',
    )
  })

  it('is the certificate of a CA', async () => {
    expect(await unusable((csr) => ca.sign(csr, '-extfile', 'ca.cnf'))).toBe('it is the certificate of a CA.')
  })

  it('is not valid yet, unless the clocks differ by minutes', async () => {
    const key = newKey()
    const pem = await ca.sign(certificateRequest(names, key))
    const ago = (ms: number) => Date.now() - ms
    expect(() => checkChain(pem, key, names, ago(3_600_000))).toThrow(/it is not valid before 20/)
    expect(checkChain(pem, key, names, ago(60_000)).leaf.ca).toBe(false)
  })

  it('is not there, is not readable, or is one of too many', async () => {
    expect(await unusable(async () => 'no certificate')).toBe('the answer has no certificate.')
    const block = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'
    expect(await unusable(async () => block)).toBe('it cannot be read.')
    expect(await unusable(async () => block.repeat(9))).toBe('its chain has more than 8 certificates.')
  })
})

describe('an order', () => {
  it('that becomes invalid fails with the words of the CA', async () => {
    const error = { type: 'urn:ietf:params:acme:error:caa', detail: 'CAA record prevents issuance.' }
    lieAt('/finalize', { body: { status: 'invalid', finalize: fake.directoryUrl.href, error } })
    expect(await failureOf(order())).toMatchObject({
      failure: 'order_invalid',
      message: 'The CA gave up the order: CAA record prevents issuance (caa).',
      problem: { type: 'caa' },
    })
  })

  it('that stays pending fails at the deadline', async () => {
    lieAt('/order', { body: { status: 'processing', finalize: fake.directoryUrl.href } })
    const start = performance.now()
    expect(await failureOf(shortOrder())).toMatchObject({
      failure: 'timeout',
      message: 'The CA did not finish the order in time.',
    })
    expect(performance.now() - start).toBeLessThan(shortMs + 1_000)
  })

  it('that the CA wants to be looked at after the deadline fails at once', async () => {
    const body = { status: 'pending', finalize: fake.directoryUrl.href }
    lieAt('/order', { body, headers: { 'retry-after': '86400' } })
    expect((await failureOf(order())).failure).toBe('timeout')
    expect(fake.paths.filter((path) => path === '/order')).toHaveLength(1)
  })

  it('continues if the CA is unavailable for a moment', async () => {
    let looks = 0
    fake.lie = ({ path }) => (path === '/order' && ++looks <= 2 ? { status: 503, body: {} } : undefined)
    expect((await order()).leaf.ca).toBe(false)
  })

  it('does not prove names that were not ordered', async () => {
    const identifier = { type: 'dns', value: 'victim.test' }
    lieAt('/authz', { body: { status: 'pending', identifier, challenges: [] } })
    expect(await failureOf(order())).toMatchObject({
      failure: 'unusable_answer',
      message: 'The CA wants a proof of victim.test, which was not ordered.',
    })
  })

  it('fails for a token that is not one, and for unknown challenges', async () => {
    const challenge = { type: 'http-01', url: fake.directoryUrl.href, token: '../../secret' }
    const authorization = { status: 'pending', identifier: { type: 'dns', value: names[0] } }
    lieAt('/authz', { body: { ...authorization, challenges: [challenge] } })
    expect((await failureOf(order())).failure).toBe('unusable_answer')
    lieAt('/authz', { body: { ...authorization, challenges: [{ ...challenge, type: 'new-01' }] } })
    expect(await failureOf(order())).toMatchObject({
      failure: 'no_challenge',
      message: 'No challenge of the CA fits example.test: it offers none that svc knows; possible here are dns-01.',
    })
  })

  it('is repeated without the certificate that it replaces if the CA does not know that', async () => {
    const { pem } = await order()
    let sent: unknown[] = []
    fake.lie = ({ path, payload }) => {
      if (path !== '/new-order') return undefined
      sent = [...sent, payload['replaces']]
      return payload['replaces'] === undefined ? undefined : problem('alreadyReplaced', 'It was replaced.', 409)
    }
    await order(never, newKey(), pem)
    expect(sent).toEqual([expect.stringMatching(/^[\w-]+\.[\w-]+$/), undefined])
  })

  it('ends with the reason of its signal', async () => {
    const controller = new AbortController()
    lieAt('/order', () => {
      controller.abort(new Error('The server stops.'))
      return { body: { status: 'processing', finalize: fake.directoryUrl.href } }
    })
    await expect(order(controller.signal)).rejects.toThrow('The server stops.')
  })
})

describe('a CA', () => {
  it('that has forgotten some nonces gets each request again with the nonce of its answer', async () => {
    let refused = 0
    fake.lie = ({ path }) =>
      path !== '/nonce' && path !== '/dir' && ++refused % 2 === 1 ? problem('badNonce', 'It is not known.') : undefined
    expect((await order()).leaf.ca).toBe(false)
    expect(fake.paths.filter((path) => path === '/new-order')).toHaveLength(2)
  })

  it('that refuses each nonce is asked six times', async () => {
    lieAt('/account', problem('badNonce', 'The nonce is not known.'))
    expect(await failureOf(order())).toMatchObject({
      failure: 'refused',
      message: 'The CA refused: The nonce is not known (badNonce).',
    })
    expect(fake.paths.filter((path) => path === '/account')).toHaveLength(6)
  })

  it('that limits requests says until when', async () => {
    lieAt('/new-order', problem('rateLimited', 'too many certificates', 429, { 'retry-after': '3600' }))
    const before = Date.now()
    const { failure, message, retryAt } = await failureOf(order())
    expect([failure, message]).toEqual([
      'rate_limited',
      'The CA limits the requests: too many certificates (rateLimited).',
    ])
    expect(retryAt! - before).toBeGreaterThanOrEqual(3_600_000)
    expect(retryAt! - before).toBeLessThan(3_630_000)
  })

  it('that says to come back in years counts for a week', async () => {
    lieAt('/new-order', problem('rateLimited', 'never', 429, { 'retry-after': '999999999' }))
    const { retryAt } = await failureOf(order())
    expect(retryAt! - Date.now()).toBeLessThanOrEqual(7 * 86_400_000)
  })

  it('that fails says what it answered', async () => {
    lieAt('/new-order', { status: 500, body: 'oops', headers: { 'content-type': 'text/html' } })
    expect(await failureOf(order())).toMatchObject({
      failure: 'unavailable',
      message: 'The CA failed: it answered 500.',
    })
  })

  it('that sends a huge body fails before the memory is full', async () => {
    lieAt('/cert', { body: 'x'.repeat(10_000_000) })
    expect(await failureOf(order())).toMatchObject({
      failure: 'unusable_answer',
      message: 'The answer of the CA is longer than 128 KiB.',
    })
  })

  it('that sends its body slowly fails at the deadline', async () => {
    lieAt('/cert', (_, response) => {
      response.writeHead(200).write('-')
      const timer = setInterval(() => response.write('-'), 50)
      response.on('close', () => clearInterval(timer))
      return 'handled'
    })
    const start = performance.now()
    expect(await failureOf(shortOrder())).toMatchObject({
      failure: 'timeout',
      message: 'The CA did not answer in time.',
    })
    expect(performance.now() - start).toBeLessThan(shortMs + 1_000)
  })

  it('that does not answer fails at the deadline', async () => {
    lieAt('/dir', () => 'handled')
    expect((await failureOf(shortOrder())).failure).toBe('timeout')
  })

  it.each([
    ['no JSON', { body: '{' }],
    ['no object', { body: [] }],
    ['no URLs', { body: {} }],
    ['URLs of another protocol', { body: { newNonce: 'file:///etc/passwd' } }],
    ['a page', { body: '<html>', headers: { 'content-type': 'text/html' } }],
    ['a redirect', { status: 302, body: '', headers: { location: '/elsewhere' } }],
    ['a 404', { status: 404, body: {} }],
  ])('is none if its directory is %s', async (_, answer) => {
    lieAt('/dir', answer)
    expect((await failureOf(order())).failure).toBe('unusable_answer')
  })

  it('cannot lead to a private address that the operator has not named', async () => {
    const trustedUrl = fake.directoryUrl.href
    const connections = guardedConnections({ allowed: [], trustedUrl })
    const attempt = clientOf({ connections }).order({ names, key: newKey(), proofs }, never)
    expect(await failureOf(attempt)).toMatchObject({
      failure: 'unavailable',
      message: expect.stringContaining('must not lead to a private or special address'),
    })
    expect(fake.paths).toEqual(['/dir'])
  })

  it('cannot command a terminal with its words', async () => {
    lieAt('/new-order', problem('malformed', 'red \u001b[31m\n and \u202ebidi'))
    expect((await failureOf(order())).message).toBe('The CA refused: red \ufffd[31m  and \ufffdbidi (malformed).')
  })
})

describe('renewal information', () => {
  it('is not usable without a window', async () => {
    const { pem } = await order()
    lieAt('/renewal-info', { body: {} })
    expect((await failureOf(clientOf().renewalInfo(pem, never))).failure).toBe('unusable_answer')
  })

  it('is undefined for a CA without it', async () => {
    const { pem } = await order()
    lieAt('/dir', { body: { newNonce: fake.directoryUrl, newAccount: fake.directoryUrl, newOrder: fake.directoryUrl } })
    expect(await clientOf().renewalInfo(pem, never)).toBeUndefined()
  })
})
