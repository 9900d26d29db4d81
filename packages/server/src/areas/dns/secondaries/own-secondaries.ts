import type { Logger } from 'pino'
import { commitCache } from '../../../db/commit-cache.js'
import type { Database } from '../../../db/port.js'
import type { AccountKeyStore } from '../../../ports/dns/protocol/messages.js'
import { mayTransfer } from '../../../ports/dns/transfers/may-transfer.js'
import type { AccountSecondaries, AccountSecondary, NotifyOutcome } from '../../../ports/dns/transfers/options.js'
import { rcodeText } from '../../../ports/dns/wire/rcode-text.js'
import type { AreReachable } from '../../../ports/outbound/public-networks.js'
import { groupBy } from '@svc/contract/group-by'
import type { Account } from '../../../shared/account.js'
import type { Job } from '../../../shared/job.js'
import { noAnswer } from './secondary.js'
import { secondaryStore } from './store.js'
import { ToldResults } from './told-results.js'

export interface OwnSecondariesDependencies {
  readonly database: Database
  readonly keys: Pick<AccountKeyStore, 'forAddress'>
  /** Whether svc may send to an address that a user has chosen. */
  readonly areReachable: AreReachable
  readonly log: Pick<Logger, 'warn'>
}

export interface OwnSecondaries {
  readonly secondaries: AccountSecondaries
  readonly job: Job
  /** Saves how the last messages ended. Does not reject. */
  readonly close: () => Promise<void>
}

/** The secondaries of accounts, for the nameserver of this process. System: it acts for no request. */
export function ownSecondaries({ database, keys, areReachable, log }: OwnSecondariesDependencies): OwnSecondaries {
  const store = secondaryStore(database)
  const results = new ToldResults(store)
  /** A token without such secondaries has an empty list, which PostgreSQL reads again at the next message. */
  const unprovenWith = commitCache(database, async (tokenIds: readonly number[]) => {
    const found = groupBy(await store.unprovenWith(tokenIds), ({ tokenId }) => tokenId)
    return new Map(tokenIds.map((id) => [id, found.get(id) ?? []]))
  })
  const provenById = commitCache(
    database,
    async (ids: readonly number[]) => new Map((await store.provenByIds(ids)).map((found) => [found.id, found])),
  )
  /** Ids of the secondaries whose proof is being saved: a client may send thousands of requests before that. */
  const proving = new Set<number>()
  const prove = async ({ id }: AccountSecondary, account: Account): Promise<boolean> => {
    if (proving.has(id)) return false
    proving.add(id)
    try {
      return await store.prove(account, id)
    } finally {
      proving.delete(id)
    }
  }

  const secondaries: AccountSecondaries = {
    all: store.allProven,
    of: store.provenOf,

    async keyFor({ id, accountId, address }, zone) {
      const secondary = await provenById(id)
      if (secondary === undefined || !areReachable(address)) return undefined
      const found = await keys.forAddress(secondary.tokenId, address)
      if (found?.caller.account.id !== accountId) return undefined
      return mayTransfer({ kind: 'account', caller: found.caller }, zone) ? found.key : undefined
    },

    async proven({ account, tokenId }, address) {
      const waiting = tokenId === null ? [] : ((await unprovenWith(tokenId)) ?? [])
      const proven: AccountSecondary[] = []
      for (const secondary of waiting)
        if (secondary.accountId === account.id && secondary.address === address)
          if (await prove(secondary, account)) proven.push(secondary)
      return proven
    },

    told({ id }, outcome) {
      results.add({ id, at: Date.now(), zone: outcome.zone, answer: answerOf(outcome) })
    },
  }
  return {
    secondaries,
    job: results.job,
    close: () =>
      results.flush().catch((error: unknown) => {
        log.warn({ err: error }, results.job.failureMessage)
      }),
  }
}

const answerOf = ({ rcode }: NotifyOutcome): string => (rcode === undefined ? noAnswer : rcodeText(rcode))
