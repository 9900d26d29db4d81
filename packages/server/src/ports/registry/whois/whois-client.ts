import type { LookupFunction } from 'node:net'
import { isHostName } from '../../../shared/host-name.js'
import type { Deadline } from '../../dns/deadline.js'
import type { Pace } from '../pace.js'
import { RegistryError, type Registration } from '../port.js'
import type { WhoisRecord } from './parser.js'
import { hostInIana, ianaHost, knownHosts, lineFor, usualHosts } from './servers.js'
import { decodeWhois } from './text.js'
import { queryWhois } from './transport.js'
import { merged, readWhois, type WhoisData } from './verdict.js'

/** RFC 3912. */
const whoisPort = 43

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
}

export interface WhoisQuestion {
  readonly domain: string
  readonly deadline: Deadline
  readonly signal: AbortSignal
}

/** Asks the WHOIS server of a registry. @throws RegistryError */
export type AskWhois = (question: WhoisQuestion) => Promise<Registration | undefined>

/** A WHOIS server, and whether the operator has named it. */
interface Server {
  readonly host: string
  readonly port: number
  readonly isTrusted: boolean
}

/** Asks the registry, and then the servers that it refers to. Referrals lead to public host names on port 43 only. */
export function whoisClient({ pace, lookup, server }: WhoisOptions): AskWhois {
  const known = knownHosts()

  async function ask({ host, port, isTrusted }: Server, line: string, question: WhoisQuestion): Promise<string> {
    const { deadline, signal } = question
    const exchange = { deadline, signal, lookup: isTrusted ? undefined : lookup }
    const until = performance.now() + deadline.remainingMs
    return decodeWhois(await pace.run(host, until, () => queryWhois({ host, port, line }, exchange)))
  }

  async function serverOf(topLevel: string, question: WhoisQuestion): Promise<Server> {
    if (server !== undefined) return { ...server, isTrusted: true }
    let host = usualHosts[topLevel] ?? known.get(topLevel)
    if (host === undefined) {
      host = hostInIana(await ask(publicServer(ianaHost), topLevel, question)) ?? ''
      known.set(topLevel, host)
    }
    if (!isPublicName(host)) throw new RegistryError(`The registry of .${topLevel} answers neither RDAP nor WHOIS.`)
    return publicServer(host)
  }

  return async (question) => {
    const { domain } = question
    const first = await serverOf(domain.slice(domain.lastIndexOf('.') + 1), question)
    const text = await ask(first, lineFor(first.host, domain), question)
    const record = readWhois(text, domain)
    if (record === undefined) return undefined
    const referred = await follow(
      record,
      first.host,
      (host) => ask(publicServer(host), lineFor(host, domain), question),
      domain,
    )
    const data = referred.reduce<WhoisData>(merged, merged(record, record))
    const raw = [text, ...referred.map((answer) => answer.text)].reduce((all, next) => joined(all, next))
    return { domain, ...data, source: 'whois', raw }
  }
}

const joined = (all: string, next: string): string =>
  all.length + next.length + 2 > rawMax ? all : `${all}\n\n${next}`

interface Referred extends WhoisRecord {
  readonly text: string
}

/** A referral that fails changes nothing: the registry has answered. */
async function follow(
  record: WhoisRecord,
  host: string,
  ask: (host: string) => Promise<string>,
  domain: string,
): Promise<readonly Referred[]> {
  const asked = new Set([host])
  const answers: Referred[] = []
  let next = record.referral
  while (next !== undefined && answers.length < referralsMax && isPublicName(next) && !asked.has(next)) {
    asked.add(next)
    try {
      const text = await ask(next)
      const answer = readWhois(text, domain)
      if (answer === undefined) break
      answers.push({ ...answer, text })
      next = answer.referral
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error
      break
    }
  }
  return answers
}

const publicServer = (host: string): Server => ({ host, port: whoisPort, isTrusted: false })

const isPublicName = (host: string): boolean => host.includes('.') && isHostName(host)
