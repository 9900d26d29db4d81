import type { Logger } from 'pino'
import type { ApexSettings } from '../apex.js'
import { Dispatcher } from '../protocol/dispatcher.js'
import type { Protocols } from '../protocol/messages.js'
import { Answerer } from './answer.js'
import { ApexRecords } from './apex-records.js'
import { listen, type Address } from './listen.js'
import { limiterOf } from './rate-limit.js'
import { SafeAnswers } from './safe-answers.js'
import { tcpLimits } from './tcp.js'
import { Zones } from './zones.js'

export interface UpdateListenerOptions extends ApexSettings {
  /** Addresses of this machine. */
  readonly host: readonly string[]
  /** For UDP and TCP; 0 selects a free port. */
  readonly port: number
  /** Maximum UDP answers per second to one network; 0 for no limit. */
  readonly rateLimit: number
  readonly log: Logger
}

export interface UpdateListener {
  readonly addresses: readonly Address[]
  readonly answerProtocols: (protocols: Protocols) => void
  close(): Promise<void>
}

/**
 * Listens for signed messages alone, beside an external provider, which answers the questions: questions are refused here.
 * @throws OperatorError if it cannot listen
 */
export async function listenForUpdates({
  host,
  port,
  rateLimit,
  log,
  ...apex
}: UpdateListenerOptions): Promise<UpdateListener> {
  const answers = new SafeAnswers(new Answerer(new Zones(), new ApexRecords(apex)), log)
  const dispatcher = new Dispatcher(answers, log)
  const limiter = limiterOf(rateLimit)
  const listening = await listen({ hosts: host, port, answers, dispatcher, limiter, limits: tcpLimits, log })
  return {
    addresses: listening.addresses,
    answerProtocols(protocols) {
      dispatcher.protocols = protocols
    },
    async close() {
      await dispatcher.close()
      await listening.close()
    },
  }
}
