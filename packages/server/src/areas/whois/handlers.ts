import type { Areas } from '@svc/contract'
import { notFound } from '@svc/contract/errors'
import { RawJson } from '../../http/answer.js'
import type { Handlers } from '../../http/handler.js'
import { registrableName } from '../../ports/dns/apex-name.js'
import { AccountLookUps } from '../../ports/registry/account-look-ups.js'
import { toUpstreamError } from '../../ports/registry/errors.js'
import type { Registries, RegistryAnswer } from '../../ports/registry/port.js'
import type { Account } from '../../shared/account.js'
import { toJson } from './presenter.js'

export function whoisHandlers(registries: Pick<Registries, 'fromMemory' | 'lookUp'>): Handlers<Areas['whois']> {
  // The port keeps the last answers in memory, so that the same object is sent again and again.
  const prepared = new WeakMap<RegistryAnswer, RawJson>()
  const lookUps = new AccountLookUps()
  const find = async (domain: string, account: Account): Promise<RegistryAnswer> =>
    registries.fromMemory(domain) ??
    lookUps
      .run(account, () => registries.lookUp(domain))
      .catch((error: unknown) => {
        throw toUpstreamError(error)
      })
  return {
    lookup: async ({ query }, { account }) => {
      // The name of an answer in memory has been checked.
      const answer =
        registries.fromMemory(query.domain) ?? (await find(registrableName('domain', query.domain), account))
      const known = prepared.get(answer)
      if (known !== undefined) return known
      if (answer.registration === undefined)
        throw notFound(`registration of the domain ${registrableName('domain', query.domain)}`)
      const json = new RawJson(toJson(answer.registration, answer))
      prepared.set(answer, json)
      return json
    },
  }
}
