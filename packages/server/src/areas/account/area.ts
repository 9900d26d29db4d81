import type { Logger } from 'pino'
import type { Operation } from '@svc/contract'
import type { Database } from '../../db/port.js'
import type { Area } from '../../http/area.js'
import type { AccountKeyStore } from '../../ports/dns/protocol/messages.js'
import type { MailOutbox } from '../../ports/mail/outbox/outbox.js'
import type { UserTargets } from '../../ports/outbound/port.js'
import type { Vault } from '../../ports/vault/port.js'
import type { Authenticate } from '../../shared/account.js'
import { eventStore } from '../../journal/events.js'
import { eventRetention } from '../../journal/retention.js'
import { eventHandlers } from './events/handlers.js'
import { accountOverview } from './events/overview.js'
import { ownStore } from './accounts/own-store.js'
import { accountStore } from './accounts/store.js'
import { setupHandlers } from './first-run/handlers.js'
import { setupCode } from './first-run/setup-code.js'
import { setupCodeStore } from './first-run/store.js'
import { accountHandlers } from './handlers.js'
import { lastUseJob, lastUseNotSaved } from './last-use/last-use.js'
import { noticeHandlers } from './notices/handlers.js'
import { newBrowserNotice } from './notices/new-browser.js'
import { unsubscribeRoute } from './notices/unsubscribe-route.js'
import { resetMail } from './password-reset/e-mail.js'
import { resetHandlers } from './password-reset/handlers.js'
import { resetRequests } from './password-reset/requests.js'
import { passwordResetStore } from './password-reset/store.js'
import { sessionAuthenticator } from './sessions/authenticator.js'
import { sessionStore } from './sessions/store.js'
import { signInAdmission } from './sign-in/admission.js'
import { cookieConfig } from './sign-in/cookie.js'
import { failedSignIns } from './sign-in/failure-events.js'
import { sessionHandlers } from './sign-in/handlers.js'
import { signInStore } from './sign-in/store.js'
import { tokenAuthenticator } from './tokens/authenticator.js'
import type { RuleNames } from './tokens/check-rules.js'
import { keyHandlers } from './tokens/handlers.js'
import { tokenSearch } from './tokens/search-store.js'
import { tokenStore } from './tokens/store.js'
import { tsigKeys } from './tokens/tsig-keys.js'
import { tsigStore } from './tokens/tsig-store.js'
import { accountWebhooks } from './webhooks/webhooks.js'

interface AccountDependencies {
  readonly database: Database
  readonly vault: Vault
  /** The id of this installation. */
  readonly installation: string
  readonly log: Logger
  /** The operations of this server, in the order of the catalogue. */
  readonly operations: readonly Operation[]
  /** The server's public origin; undefined if it is not configured. */
  readonly publicUrl: string | undefined
  /** Checks the names of things of other areas in the rules of tokens. */
  readonly ruleNames: RuleNames
  readonly outbox: MailOutbox
  /** Where events are sent. */
  readonly targets: UserTargets
  /** Whether users can reset a forgotten password by e-mail. */
  readonly resetsPasswords: boolean
  /** The server's address for links. */
  readonly baseUrl: string
  /** Days to keep events; 0 for no limit. */
  readonly historyDays: number
}

/** The area, and the functions with which the doors authenticate callers. */
interface AccountArea extends Area<'account'> {
  readonly authenticateToken: Authenticate
  readonly authenticateUpdateKey: Authenticate
  readonly authenticateSession: (secret: string) => ReturnType<Authenticate>
  /** The keys of accounts that sign DNS messages. */
  readonly tsigKeys: AccountKeyStore
  /** The name of the session cookie. */
  readonly cookieName: string
  readonly hasAccounts: () => Promise<boolean>
  /** @returns a code with which the console creates the first account */
  readonly issueSetupCode: () => Promise<string>
}

/** Accounts, their sessions and tokens, and the sign-in. */
export function accountArea(dependencies: AccountDependencies): AccountArea {
  const { database, log, operations, publicUrl, ruleNames, outbox, resetsPasswords, baseUrl, historyDays } =
    dependencies
  const stores = {
    accounts: accountStore(database),
    own: ownStore(database),
    sessions: sessionStore(database),
    signIns: signInStore(database),
  }
  const cookie = cookieConfig(publicUrl)
  const admission = signInAdmission()
  const failed = failedSignIns(database)
  const [code, codes] = [setupCode(), setupCodeStore(database)]
  const tokens = tokenAuthenticator(database)
  const keys = tokenStore(database)
  const events = eventStore(database)
  const sessions = sessionAuthenticator(database)
  const [resets, requests] = [passwordResetStore(database), resetRequests({ ...stores, outbox, log })]
  const webhooks = accountWebhooks(dependencies)
  const saves = savesOf(log, { tokens, sessions, failed })
  return {
    handlers: {
      ...accountHandlers(stores, operations),
      ...eventHandlers(events),
      ...noticeHandlers(database, outbox),
      ...webhooks.handlers,
    },
    console: {
      setup: setupHandlers({ ...stores, cookie, admission, code, codes, resetsPasswords }),
      session: {
        ...sessionHandlers(
          stores,
          { cookie, admission, failed },
          { tell: newBrowserNotice(outbox, baseUrl), wake: outbox.wake },
        ),
        ...resetHandlers({ ...stores, isOn: resetsPasswords, admission, requests, resets }),
      },
      keys: keyHandlers(keys, tsigStore(database, dependencies.vault), ruleNames),
    },
    overview: accountOverview(keys, events),
    search: tokenSearch(database),
    endpoints: [unsubscribeRoute(database, outbox.links)],
    jobs: [...saves.jobs, eventRetention(database, { historyDays }), ...webhooks.jobs],
    mails: { 'password-reset': resetMail(resets, baseUrl), ...webhooks.mails },
    stop: webhooks.stop,
    close: async () => {
      await webhooks.close()
      await requests.idle()
      await saves.close()
    },
    authenticateToken: tokens.authenticate,
    authenticateUpdateKey: tokens.authenticateUpdateKey,
    authenticateSession: sessions.authenticate,
    tsigKeys: tsigKeys({ ...dependencies, tokens }),
    cookieName: cookie.name,
    hasAccounts: stores.accounts.hasAny,
    issueSetupCode: async () => code.issue(await codes.current()),
  }
}

interface Saved {
  readonly tokens: Pick<ReturnType<typeof tokenAuthenticator>, 'saveUses'>
  readonly sessions: Pick<ReturnType<typeof sessionAuthenticator>, 'saveUses'>
  readonly failed: Pick<ReturnType<typeof failedSignIns>, 'flush'>
}

/** Saves the times of last use and the like in the background, and once more when the server stops. */
function savesOf(log: Logger, { tokens, sessions, failed }: Saved) {
  const saves = [
    ['account.token-uses', tokens.saveUses],
    ['account.session-uses', sessions.saveUses],
    ['account.failed-sign-ins', failed.flush],
  ] as const
  const notSaved = (error: unknown) => {
    log.error({ err: error }, lastUseNotSaved)
  }
  return {
    jobs: saves.map(([name, save]) => lastUseJob(name, save)),
    close: () => Promise.all(saves.map(([, save]) => save().catch(notSaved))),
  }
}
