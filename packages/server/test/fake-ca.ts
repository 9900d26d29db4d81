import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import type { OpensslCa } from './openssl-ca.js'

/** A request to the CA, with the payload of its JWS. */
export interface CaRequest {
  readonly path: string
  readonly payload: Readonly<Record<string, unknown>>
}

/** Status, body and headers of an answer; `undefined` as the body sends nothing and leaves the connection open. */
export interface CaAnswer {
  readonly status?: number
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface FakeCa {
  readonly directoryUrl: URL
  /** The paths of all requests. */
  readonly paths: string[]
  /** Lies at one path: what it answers instead. Undefined for the honest answer. */
  lie: (request: CaRequest, response: ServerResponse) => CaAnswer | 'handled' | undefined
  /** How the certificate is made from the request. */
  issue: (csr: Buffer) => Promise<string>
  readonly stop: () => Promise<void>
}

export const problem = (
  type: string,
  detail: string,
  status = 400,
  headers: Record<string, string> = {},
): CaAnswer => ({
  status,
  body: { type: `urn:ietf:params:acme:error:${type}`, detail },
  headers: { 'content-type': 'application/problem+json', ...headers },
})

/** A CA for one order at a time. It checks neither signatures nor proofs, so that a test can make it lie at each step. */
export async function startFakeCa(ca: OpensslCa): Promise<FakeCa> {
  let base = ''
  let nonces = 0
  let names: string[] = []
  let isProven = false
  let pem: string | undefined
  const order = () => ({
    status: pem === undefined ? (isProven ? 'ready' : 'pending') : 'valid',
    authorizations: names.map((_, index) => `${base}/authz/${index}`),
    finalize: `${base}/finalize`,
    ...(pem !== undefined && { certificate: `${base}/cert` }),
  })
  const authorization = (index: number) => ({
    status: isProven ? 'valid' : 'pending',
    identifier: { type: 'dns', value: names[index]?.replace(/^\*\./, '') },
    wildcard: names[index]?.startsWith('*.'),
    challenges: [{ type: 'dns-01', url: `${base}/challenge/${index}`, token: 'token-of-twenty-characters' }],
  })
  const directory = () => ({
    newNonce: `${base}/nonce`,
    newAccount: `${base}/account`,
    newOrder: `${base}/new-order`,
    renewalInfo: `${base}/renewal-info`,
  })
  const honest = async ({ path, payload }: CaRequest): Promise<CaAnswer> => {
    const [, step, index = '0'] = path.split('/')
    if (step === 'dir') return { body: directory() }
    if (step === 'nonce') return { body: '' }
    if (step === 'account') return { status: 201, body: {}, headers: { location: `${base}/account/1` } }
    if (step === 'new-order') {
      names = (payload['identifiers'] as { value: string }[]).map(({ value }) => value)
      isProven = false
      pem = undefined
      return { status: 201, body: order(), headers: { location: `${base}/order` } }
    }
    if (step === 'authz') return { body: authorization(Number(index)) }
    if (step === 'challenge') isProven = true
    if (step === 'finalize') pem = await fake.issue(Buffer.from(String(payload['csr']), 'base64url'))
    if (step === 'cert') return { body: pem, headers: { 'content-type': 'application/pem-certificate-chain' } }
    return { body: order() }
  }
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? '/'
    fake.paths.push(path)
    const payload = request.method === 'POST' ? payloadOf((await json(request)) as Jws) : {}
    const lie = fake.lie({ path, payload }, response)
    if (lie === 'handled') return
    const { status = 200, body, headers } = lie ?? (await honest({ path, payload }))
    response.writeHead(status, { 'replay-nonce': `nonce-${++nonces}`, 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => response.destroy(error as Error))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const fake: FakeCa = {
    directoryUrl: new URL(`${base}/dir`),
    paths: [],
    lie: () => undefined,
    issue: async (csr) => (await ca.sign(csr)) + ca.intermediate,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return fake
}

interface Jws {
  readonly payload: string
}

const payloadOf = ({ payload }: Jws): Record<string, unknown> =>
  payload === '' ? {} : (JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>)
