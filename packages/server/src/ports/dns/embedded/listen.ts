import { isIP } from 'node:net'
import type { Logger } from 'pino'
import { OperatorError } from '../../../operator-error.js'
import type { Limiter } from './rate-limit.js'
import type { SafeAnswers } from './safe-answers.js'
import { TcpClients } from './tcp-clients.js'
import { TcpTurns } from './tcp-turns.js'
import { openTcp, type TcpLimits } from './tcp.js'
import { openUdp } from './udp.js'

export interface ListenOptions {
  readonly hosts: readonly string[]
  /** 0 takes one that is free, on all hosts, for both protocols. */
  readonly port: number
  readonly answers: SafeAnswers
  readonly limiter: Limiter
  readonly limits: TcpLimits
  readonly log: Logger
}

export interface Address {
  readonly host: string
  readonly port: number
}

export interface Listening {
  readonly addresses: readonly Address[]
  close(): Promise<void>
}

/** How often a free port is looked for that is free for TCP too. */
const attempts = 20

/** Opens UDP and TCP on every host. @throws OperatorError that names the setting */
export async function listen(options: ListenOptions): Promise<Listening> {
  const noAddress = options.hosts.find((host) => isIP(host) === 0)
  if (noAddress !== undefined || options.hosts.length === 0) {
    throw new OperatorError(`SVC_DNS_HOST is ${JSON.stringify(options.hosts.join())} but must list addresses.`, 2)
  }
  for (let left = attempts - 1; ; left--) {
    try {
      return await openAll(options)
    } catch (error) {
      if (options.port !== 0 || left === 0 || !inUse(error)) throw error
    }
  }
}

async function openAll({ hosts, port: wanted, answers, limiter, limits, log }: ListenOptions): Promise<Listening> {
  const opened: { close(): Promise<void> }[] = []
  const addresses: Address[] = []
  const clients = new TcpClients(limits)
  const turns = new TcpTurns()
  const { idleMs } = limits
  const close = async () => {
    await Promise.all(opened.map((listener) => listener.close()))
  }
  for (const host of hosts) {
    const port = addresses[0]?.port ?? wanted
    try {
      const udp = await openUdp({ host, port, answers, limiter, log })
      opened.push(udp)
      opened.push(await openTcp({ host, port: udp.port, answers, idleMs, clients, turns, log }))
      addresses.push({ host, port: udp.port })
    } catch (error) {
      await close()
      throw explained(error, host, port)
    }
  }
  return { addresses, close }
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code
const inUse = (error: unknown): boolean => error instanceof OperatorError && codeOf(error.cause) === 'EADDRINUSE'

/** One sentence that names the setting and what would do. */
function explained(error: unknown, host: string, port: number): unknown {
  const at = `The nameserver cannot have port ${port} on ${host}`
  const say = (text: string) => new OperatorError(`${at}: ${text}`, 1, { cause: error })
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return say('it is in use. Stop what listens there, or set SVC_DNS_PORT or SVC_DNS_HOST to another.')
    case 'EACCES':
      return say('it needs privileges this user does not have. Set SVC_DNS_PORT to 1024 or above, or grant them.')
    case 'EADDRNOTAVAIL':
    case 'EAFNOSUPPORT':
      return say('this machine does not have that address. Set SVC_DNS_HOST to those it has, or to 0.0.0.0 for all.')
    default:
      return error
  }
}
