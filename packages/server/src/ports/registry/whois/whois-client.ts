import type { LookupFunction } from 'node:net'
import { isQualifiedHostName } from '../../../shared/host-name.js'
import { topLevelOf } from '../../dns/domain-names.js'
import type { AskRegistry, RegistryQuestion } from '../live-registries.js'
import type { Pace } from '../pace.js'
import { RegistryError, type Registration } from '../port.js'
import type { WhoisRecord } from './parser.js'
import { readWhois } from './read-whois.js'
import { hostInIana, ianaHost, knownHosts, lineFor, defaultHost } from './servers.js'
import { decodeWhois } from './text.js'
import { queryWhois } from './transport.js'

/** Servers after the registry's that are asked. */
const referralsMax = 2

/** The longest text that is kept of all servers together. */
const rawMax = 256 * 1024

export interface WhoisOptions {
  readonly pace: Pace
  /** Looks up the addresses of hosts that the operator has not named. */
  readonly lookup: LookupFunction
  /** A server for all top-level domains, which may have any address; undefined for those of the registries. */
  readonly server: { readonly host: string; readonly port: number } | undefined
  /** The port of all other servers: that of RFC 3912 except in tests. */
  readonly port?: number
}

/** A WHOIS server, and whether the operator has named it. */
interface Server {
  readonly host: string
  readonly port: number
  readonly isTrusted: boolean
}

/** Asks the registry, and then the servers that it refers to. Referrals lead to public host names on port 43 only. */
export function whoisClient({ pace, lookup, server, port: defaultPort = 43 }: WhoisOptions): AskRegistry {
  const known = knownHosts()
  const publicServer = (host: string): Server => ({ host, port: defaultPort, isTrusted: false })

  /** Reads the answer before the server's slot is free, so that a refusal in its text counts as one. */
  async function ask<R>(
    server: Server,
    line: string,
    question: RegistryQuestion,
    read: (text: string) => R,
  ): Promise<R> {
    const { host, port, isTrusted } = server
    const { deadline, signal } = question
    const exchange = { deadline, signal, lookup: isTrusted ? undefined : lookup }
    const until = performance.now() + deadline.remainingMs
    return pace.run(host, until, async () => read(decodeWhois(await queryWhois({ host, port, line }, exchange))))
  }

  const askAbout = (server: Server, question: RegistryQuestion): Promise<Answer | undefined> =>
    ask(server, lineFor(server.host, question.domain), question, (text) => {
      const record = readWhois(text, question.domain)
      return record && { ...record, text }
    })

  async function serverOf(topLevel: string, question: RegistryQuestion): Promise<Server> {
    if (server !== undefined) return { ...server, isTrusted: true }
    let host = defaultHost(topLevel) ?? known.get(topLevel)
    if (host === undefined) {
      host = await ask(publicServer(ianaHost), topLevel, question, hostInIana)
      known.set(topLevel, host)
    }
    if (!isQualifiedHostName(host))
      throw new RegistryError(`The registry of .${topLevel} answers neither RDAP nor WHOIS.`)
    return publicServer(host)
  }

  return async (question) => {
    const { domain } = question
    const first = await serverOf(topLevelOf(domain), question)
    const answer = await askAbout(first, question)
    if (answer === undefined) return undefined
    const referred = await follow(answer, first.host, (host) => askAbout(publicServer(host), question))
    const data = [answer, ...referred].reduce<WhoisData>(mergeData, noData)
    const raw = referred.reduce((all, { text }) => appendText(all, text), answer.text)
    return { domain, ...data, source: 'whois', raw }
  }
}

const appendText = (all: string, next: string): string =>
  all.length + next.length + 2 > rawMax ? all : `${all}\n\n${next}`

/** An answer about a registered domain. */
interface Answer extends WhoisRecord {
  readonly text: string
}

/** Asks the servers that answers refer to. One that fails changes nothing: the registry has answered. */
async function follow(
  first: Answer,
  host: string,
  ask: (host: string) => Promise<Answer | undefined>,
): Promise<readonly Answer[]> {
  const asked = new Set([host])
  const answers: Answer[] = []
  let next = first.referral
  while (next !== undefined && asked.size <= referralsMax && !asked.has(next)) {
    asked.add(next)
    const answer = await ask(next).catch((error: unknown) => {
      if (error instanceof RegistryError) return undefined
      throw error
    })
    if (answer !== undefined) answers.push(answer)
    next = answer?.referral
  }
  return answers
}

/** The data of a registration. */
type WhoisData = Omit<Registration, 'domain' | 'source' | 'raw'>

const noData: WhoisData = {
  registrar: null,
  createdAt: null,
  updatedAt: null,
  expiresAt: null,
  nameservers: [],
  statuses: [],
  dnssec: null,
}

/** The registry's data, with what only the registrar knows. */
function mergeData(registryData: WhoisData, registrarData: WhoisData): WhoisData {
  const { nameservers, statuses } = registryData
  return {
    registrar: registryData.registrar ?? registrarData.registrar,
    createdAt: registryData.createdAt ?? registrarData.createdAt,
    updatedAt: registryData.updatedAt ?? registrarData.updatedAt,
    expiresAt: registryData.expiresAt ?? registrarData.expiresAt,
    nameservers: nameservers.length > 0 ? nameservers : registrarData.nameservers,
    statuses: statuses.length > 0 ? statuses : registrarData.statuses,
    dnssec: registryData.dnssec ?? registrarData.dnssec,
  }
}
