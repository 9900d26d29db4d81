import { dyndnsPath, updatePath } from '@svc/contract/limits'
import type { EndpointAnswer } from '../../../http/answer.js'
import type { EndpointRequest, EndpointRoute } from '../../../http/area.js'
import type { Account, Authenticate, Caller } from '../../../shared/account.js'
import { updateHostOf } from '../../../shared/rules.js'
import { basicToken } from './basic-token.js'
import { canonicalFullName, wantedAddresses, wantedNames, type Addresses } from './parameters.js'
import type { Outcome, UpdateAddresses } from './update-addresses.js'
import { fullName } from '../values/host.js'

interface UpdateRoutesDependencies {
  readonly update: UpdateAddresses
  readonly authenticateToken: Authenticate
  /** By the key in the path of `/u/<key>`. */
  readonly authenticateUpdateKey: Authenticate
  /** Logs an error that the client cannot fix. */
  readonly report: (error: unknown) => void
}

/** The most hosts of one update. */
const updateHostsMax = 20

/** Where clients of dynamic DNS update addresses. Their answers are the words of the protocol dyndns2. */
export function updateRoutes(dependencies: UpdateRoutesDependencies): readonly EndpointRoute[] {
  const { report } = dependencies
  const or911 = (answer: (request: EndpointRequest) => Promise<EndpointAnswer>) => async (request: EndpointRequest) => {
    try {
      return await answer(request)
    } catch (error) {
      report(error)
      return text(500, '911')
    }
  }
  const route = { methods: ['GET'], maxBodyBytes: 0 }
  return [
    { ...route, name: 'dns.dyndns', path: dyndnsPath, answer: or911(dyndnsAnswer(dependencies)) },
    { ...route, name: 'dns.update-key', path: updatePath(':key'), answer: or911(updateKeyAnswer(dependencies)) },
  ]
}

/** dyndns2: Basic authentication with a token as the password, and one line for each host. */
const dyndnsAnswer =
  ({ authenticateToken, update }: UpdateRoutesDependencies) =>
  async (request: EndpointRequest): Promise<EndpointAnswer> => {
    // A browser also sends saved credentials for a request of another site's page.
    if (!['none', 'same-origin', undefined].includes(request.header('sec-fetch-site'))) return text(403, 'badauth')
    const token = basicToken(request.rawHeaders)
    const caller = token && (await authenticateToken(token, () => request.clientAddress))
    if (!mayWrite(caller)) return text(401, 'badauth', { 'www-authenticate': 'Basic realm="dyndns", charset="UTF-8"' })
    const parameters = new URLSearchParams(request.query)
    const given = wantedNames(parameters)
    if (given.length === 0) return text(200, 'notfqdn')
    if (given.length > updateHostsMax) return text(200, 'numhost')
    const addresses = wantedAddresses(parameters, request.clientAddress)
    if (addresses === undefined) return text(200, given.map(() => 'badip').join('\n'))
    const names = given.map(canonicalFullName)
    const distinct = [...new Set(names.filter((name) => name !== undefined))]
    const outcomes = await update(accountOf(caller, request), caller.tokenId ?? 0, distinct, addresses)
    const lines = names.map((name) => (name === undefined ? 'notfqdn' : lineOf(outcomes.get(name) ?? '911', addresses)))
    return text(200, lines.join('\n'))
  }

const keyForm = /^[0-9a-f]{32}$/

/** For routers that can only call a URL. The status tells whether the update worked. */
const updateKeyAnswer =
  ({ authenticateUpdateKey, update }: UpdateRoutesDependencies) =>
  async (request: EndpointRequest): Promise<EndpointAnswer> => {
    const key = request.params['key'] ?? ''
    const caller = keyForm.test(key) ? await authenticateUpdateKey(key, () => request.clientAddress) : undefined
    if (caller === undefined) return text(404, 'badauth')
    const of = mayWrite(caller) ? updateHostOf(caller.account.rules) : undefined
    if (of === undefined) return text(statuses.nohost, 'nohost')
    const addresses = wantedAddresses(new URLSearchParams(request.query), request.clientAddress)
    if (addresses === undefined) return text(400, 'badip')
    const name = fullName(of.zone, of.host)
    const outcomes = await update(accountOf(caller, request), caller.tokenId ?? 0, [name], addresses)
    const outcome = outcomes.get(name) ?? '911'
    return text(statuses[outcome], lineOf(outcome, addresses))
  }

const statuses: Readonly<Record<Outcome, number>> = {
  good: 200,
  nochg: 200,
  nohost: 403,
  abuse: 429,
  dnserr: 502,
  '911': 500,
}

const mayWrite = (caller: Caller | undefined | ''): caller is Caller =>
  typeof caller === 'object' && caller.scopes.some((scope) => scope === '*' || scope === 'dns:write')

/** As the history of the zone shows it. */
const accountOf = ({ account }: Caller, { requestId, ip }: EndpointRequest): Account => ({
  ...account,
  actor: { ...account.actor, requestId, ip },
})

const lineOf = (outcome: Outcome, { A, AAAA }: Addresses): string =>
  outcome === 'good' || outcome === 'nochg'
    ? `${outcome} ${[A, AAAA].filter((address) => address !== undefined).join(',')}`
    : outcome

const text = (status: number, lines: string, headers: Readonly<Record<string, string>> = {}): EndpointAnswer => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8', ...headers },
  body: `${lines}\n`,
})
