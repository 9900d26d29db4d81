import { ApiError, type ConsoleAreas } from '@svc/contract'
import type { Handlers } from '../../../http/handler.js'
import { checkPassword, hashPassword } from '../accounts/passwords.js'
import { browserActor } from '../sign-in/browser-actor.js'
import { busy, type SignInAdmission } from '../sign-in/admission.js'
import type { SignInStore } from '../sign-in/store.js'
import { tryAgain } from '../sign-in/try-again.js'
import { countersOfAddress, countersOfNetwork } from './counters.js'
import type { ResetRequests } from './requests.js'
import type { PasswordResetStore } from './store.js'

interface ResetDependencies {
  readonly isOn: boolean
  readonly signIns: SignInStore
  readonly admission: SignInAdmission
  readonly requests: ResetRequests
  readonly resets: PasswordResetStore
}

/** Forgotten passwords. */
export function resetHandlers({
  isOn,
  signIns,
  admission,
  requests,
  resets,
}: ResetDependencies): Pick<Handlers<ConsoleAreas['session']>, 'resetRequest' | 'reset'> {
  const requireOn = () => {
    if (!isOn) throw new ApiError('forbidden', 'This server resets no passwords by e-mail: ask its operator.')
  }
  return {
    async resetRequest({ body }, { ip }) {
      requireOn()
      const email = body.email.trim().toLowerCase()
      const now = Date.now()
      const blockedUntil = await signIns.attempt(countersOfNetwork(ip), now)
      if (blockedUntil !== null)
        throw tryAgain('Too many e-mails have been requested from your network', Math.ceil((blockedUntil - now) / 1000))
      // An error would keep the owner out, and tell that another client has asked.
      if ((await signIns.attempt(countersOfAddress(email), now)) === null) requests.begin(email)
      return { requested: true as const }
    },

    async reset({ body: { token, password } }, context) {
      requireOn()
      checkPassword(password)
      await resets.check(token)
      const passwordHash = await admission.run(context, () => hashPassword(password))
      if (passwordHash === busy) throw tryAgain('Too many sign-ins are in progress', 1)
      await resets.reset(token, passwordHash, browserActor(context))
      return { reset: true as const }
    },
  }
}
