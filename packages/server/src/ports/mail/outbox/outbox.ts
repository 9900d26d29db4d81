import type { Logger } from 'pino'
import type { Database } from '../../../db/port.js'
import type { Job } from '../../../shared/job.js'
import { Wakeup } from '../../../shared/wakeup.js'
import { throttledLog } from '../../../shared/throttled-log.js'
import { isUrgent, type MailKind } from '../kinds.js'
import type { Mail } from '../port.js'
import { unsubscribeLinks, type UnsubscribeLinks } from '../unsubscribe/links.js'
import { countedMax, dueStore } from './due-store.js'
import { Mailer, type MailComposers, type MailOutcome } from './mailer.js'
import { queuedMail, queueMailAlone, type QueuedMail } from './queue-store.js'

const minuteMs = 60_000

/** What areas use to send e-mails. */
export interface Outbox {
  /** False without a mail server: then `prepare` returns undefined, and no e-mail is sent. */
  readonly isOn: boolean
  /**
   * An event for `queueMail`, in the transaction of its cause; call `wake` after it.
   * @returns undefined without a mail server, and while too many e-mails of all accounts wait, unless it is urgent
   */
  readonly prepare: (event: Parameters<typeof queuedMail>[0]) => QueuedMail | undefined
  /** The same for an event without another change in the database. */
  readonly add: (event: Parameters<typeof queuedMail>[0]) => Promise<void>
  /** Counts and logs an e-mail that `queueMail` has dropped. */
  readonly noteDropped: (mail: Pick<QueuedMail, 'accountId' | 'kind'>) => void
  /** Sends what is due at once. */
  readonly wake: () => void
  readonly links: UnsubscribeLinks
}

interface MetricsOfMail {
  readonly countMail: (kind: MailKind, outcome: MailOutcome) => void
  readonly setWaitingMails: (count: number) => void
}

interface SenderOptions {
  readonly log: Logger
  readonly composers: MailComposers
  /** The address of the page that switches off e-mails, without the key. */
  readonly unsubscribeBase: string
  readonly metrics: MetricsOfMail | undefined
}

/** The outbox of the installation. */
export class MailOutbox implements Outbox {
  readonly links: UnsubscribeLinks
  readonly #wakeup = new Wakeup()
  #isFull = false
  #onDropped: Outbox['noteDropped'] = () => undefined

  /** @param mail undefined if svc sends no e-mails */
  constructor(
    private readonly database: Database,
    private readonly mail: Mail | undefined,
  ) {
    this.links = unsubscribeLinks(database)
  }

  get isOn(): boolean {
    return this.mail !== undefined
  }

  prepare(event: Parameters<typeof queuedMail>[0]): QueuedMail | undefined {
    if (!this.isOn) return undefined
    if (!this.#isFull || isUrgent(event.kind)) return queuedMail(event)
    this.noteDropped(event)
    return undefined
  }

  async add(event: Parameters<typeof queuedMail>[0]): Promise<void> {
    const prepared = this.prepare(event)
    if (prepared === undefined) return
    if ((await queueMailAlone(this.database, prepared)) === 'dropped') this.noteDropped(prepared)
    this.wake()
  }

  readonly noteDropped: Outbox['noteDropped'] = (mail) => {
    this.#onDropped(mail)
  }

  readonly wake = (): void => {
    this.#wakeup.call()
  }

  /** The worker, if there is a mail server, and the job that removes old rows. */
  sender({ log, composers, unsubscribeBase, metrics }: SenderOptions): {
    readonly jobs: readonly Job[]
    readonly mailer: Mailer | undefined
  } {
    const due = dueStore(this.database)
    const logDropped = throttledLog(log, 'an e-mail is dropped, because too many wait', { everyMs: minuteMs })
    this.#onDropped = ({ accountId, kind }) => {
      metrics?.countMail(kind, 'dropped')
      logDropped(undefined, { account: accountId, kind })
    }
    const mailer =
      this.mail &&
      new Mailer({
        mail: this.mail,
        due,
        log,
        wakeup: this.#wakeup,
        composers,
        unsubscribeUrl: async (accountId, kind) => unsubscribeBase + (await this.links.keyFor(accountId, kind)),
        ...(metrics && { onOutcome: metrics.countMail }),
      })
    const upkeep: Job = {
      name: 'mail.upkeep',
      everyMs: minuteMs,
      runsIn: 'every process',
      failureMessage: 'old e-mails could not be removed',
      run: async () => {
        await due.removeOld(Date.now())
        const waiting = await due.countWaiting()
        this.#isFull = waiting >= countedMax
        metrics?.setWaitingMails(waiting)
      },
    }
    return { jobs: mailer === undefined ? [upkeep] : [mailer.job, upkeep], mailer }
  }

  async close(): Promise<void> {
    await this.mail?.close()
  }
}
