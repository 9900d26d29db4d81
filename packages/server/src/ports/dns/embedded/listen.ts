import { isIP } from 'node:net'
import type { Logger } from 'pino'
import { OperatorError } from '../../../shared/operator-error.js'
import type { Limiter } from './rate-limit.js'
import type { SafeAnswers } from './safe-answers.js'
import type { Dispatcher } from '../protocol/dispatcher.js'
import { TcpClients } from './tcp-clients.js'
import { TcpScheduler } from './tcp-scheduler.js'
import { openTcp, type TcpLimits } from './tcp.js'
import { openUdp } from './udp.js'

export interface ListenOptions {
  readonly hosts: readonly string[]
  /** 0 selects a port that is free on all hosts, for UDP and TCP. */
  readonly port: number
  readonly answers: SafeAnswers
  readonly dispatcher: Dispatcher
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

/** Maximum attempts to find a port that is free for both UDP and TCP. */
const attemptsMax = 20

/** Opens UDP and TCP on every host. @throws OperatorError that names the setting to change */
export async function listen(options: ListenOptions): Promise<Listening> {
  const { hosts } = options
  if (hosts.length === 0 || hosts.some((host) => isIP(host) === 0)) {
    throw new OperatorError(`SVC_DNS_HOST must list IP addresses, not ${JSON.stringify(hosts.join())}.`, 2)
  }
  for (let left = attemptsMax - 1; ; left--) {
    try {
      return await openAll(options)
    } catch (error) {
      if (options.port !== 0 || left === 0 || !isPortInUse(error)) throw error
    }
  }
}

async function openAll({ hosts, port: wanted, limits, ...options }: ListenOptions): Promise<Listening> {
  const opened: { close(): Promise<void> }[] = []
  const addresses: Address[] = []
  const clients = new TcpClients(limits)
  const scheduler = new TcpScheduler()
  const { idleMs } = limits
  const close = async () => {
    await Promise.all(opened.map((listener) => listener.close()))
  }
  for (const host of hosts) {
    const port = addresses[0]?.port ?? wanted
    try {
      const udp = await openUdp({ ...options, host, port }).catch(rethrowAs('UDP', host, port))
      opened.push(udp)
      const tcp = openTcp({ ...options, host, port: udp.port, idleMs, clients, scheduler })
      opened.push(await tcp.catch(rethrowAs('TCP', host, udp.port)))
      addresses.push({ host, port: udp.port })
    } catch (error) {
      await close()
      throw error
    }
  }
  return { addresses, close }
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code
const isPortInUse = (error: unknown): boolean => error instanceof OperatorError && codeOf(error.cause) === 'EADDRINUSE'

/** @returns a function that throws an OperatorError that names the setting to change, or any other error as it is */
const rethrowAs =
  (protocol: 'UDP' | 'TCP', host: string, port: number) =>
  (error: unknown): never => {
    const problem = `The nameserver cannot listen on ${protocol} port ${port} of ${host}`
    const remedy = remedyOf(codeOf(error))
    throw remedy === undefined ? error : new OperatorError(`${problem}: ${remedy}`, 1, { cause: error })
  }

function remedyOf(code: string | undefined): string | undefined {
  switch (code) {
    case 'EADDRINUSE':
      return 'it is in use. Stop the program that listens there, or change SVC_DNS_PORT or SVC_DNS_HOST.'
    case 'EACCES':
      return 'it needs privileges that this user does not have. Set SVC_DNS_PORT to 1024 or above, or grant them.'
    case 'EADDRNOTAVAIL':
    case 'EAFNOSUPPORT':
      return 'this machine does not have that address. Set SVC_DNS_HOST to addresses that it has, or to 0.0.0.0 for all.'
    default:
      return undefined
  }
}
