import { AcmeError } from './errors.js'
import { requireUrl, type Directory } from './directory.js'
import { externalAccountBinding, type AccountKey, type ExternalAccount } from './jws.js'
import type { AcmeSession, AcmeTime } from './session.js'

export interface AccountTerms {
  /** Where the CA writes about certificates; undefined for no address. */
  readonly email: string | undefined
  /** Undefined for a CA that takes everyone. */
  readonly externalAccount: ExternalAccount | undefined
}

/**
 * Creates the account of a key, or finds the existing one (RFC 8555, section 7.3.1): so only the key needs to be stored. The terms of
 * the CA are agreed to.
 * @returns the URL of the account
 * @throws AcmeError `settings` if the CA needs an external account and none is given
 */
export async function openAccount(
  session: AcmeSession,
  directory: Directory,
  { accountKey, email, externalAccount }: AccountTerms & { readonly accountKey: AccountKey },
  time: AcmeTime,
): Promise<string> {
  const { newAccount, newNonce, externalAccountRequired } = directory
  if (externalAccountRequired && externalAccount === undefined)
    throw new AcmeError('settings', 'The CA needs an external account binding: a key id and a MAC key from the CA.')
  const payload = {
    termsOfServiceAgreed: true,
    ...(email !== undefined && { contact: [`mailto:${email}`] }),
    ...(externalAccount !== undefined && {
      externalAccountBinding: externalAccountBinding(externalAccount, newAccount.href, accountKey),
    }),
  }
  const { headers } = await session.post(newAccount, payload, { time, newNonce, signer: { jwk: accountKey.jwk } })
  return requireUrl('Location', headers.location).href
}
