import type { Logger } from 'pino'
import { throttledLog } from '../../../shared/throttled-log.js'
import type { MailOutbox } from '../../../ports/mail/outbox/outbox.js'
import type { AccountStore } from '../accounts/store.js'

/** Requests whose account is being looked up. Further ones send nothing. */
const pendingMax = 100

interface RequestDependencies {
  readonly accounts: Pick<AccountStore, 'byEmail'>
  readonly outbox: Pick<MailOutbox, 'add'>
  readonly log: Logger
}

/**
 * Requests for a link. The account is looked up after the answer, so that the answer does not take longer if there is one.
 */
export function resetRequests({ accounts, outbox, log }: RequestDependencies) {
  const pending = new Set<Promise<void>>()
  const failed = throttledLog(log, 'a request for a new password could not be saved')

  async function request(email: string): Promise<void> {
    const account = await accounts.byEmail(email)
    if (account?.state !== 'active') return
    // The content is made when the e-mail is sent: only then there is a token.
    await outbox.add({
      accountId: account.id,
      kind: 'password-reset',
      topic: '',
      content: { title: 'Reset your password', paragraphs: [] },
    })
  }

  return {
    /** @param email in lower case */
    begin(email: string): void {
      if (pending.size >= pendingMax) return
      const run = request(email)
        .catch((error: unknown) => failed(error))
        .finally(() => pending.delete(run))
      pending.add(run)
    },

    /** Resolves when no request is pending. */
    async idle(): Promise<void> {
      await Promise.all(pending)
    },
  }
}

export type ResetRequests = ReturnType<typeof resetRequests>
