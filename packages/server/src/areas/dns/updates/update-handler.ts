import { ApiError } from '@svc/contract/errors'
import type { Logger } from 'pino'
import type { ApexSettings } from '../../../ports/dns/apex.js'
import type { Dns } from '../../../ports/dns/port.js'
import type { CheckedMessage, Client } from '../../../ports/dns/protocol/messages.js'
import type { DiskSpace } from '../../../ports/space/port.js'
import type { Account, Caller } from '../../../shared/account.js'
import { allows } from '../../../shared/rules.js'
import { KeyedSlots } from '../../../shared/slots.js'
import { throttledLog } from '../../../shared/throttled-log.js'
import type { Publisher } from '../publisher.js'
import type { RecordStore } from '../records/store.js'
import { rememberedOutcomes } from './outcomes.js'
import { rcode, type Rcode } from '../../../ports/dns/embedded/codes.js'
import { readUpdate, type ReadUpdate } from './read-update.js'
import type { Refusal, WantedUpdate } from './update.js'

export interface UpdateDependencies extends ApexSettings {
  readonly dns: Pick<Dns, 'queryCounts'>
  readonly space: Pick<DiskSpace, 'requireForChange'>
  readonly records: Pick<RecordStore, 'requireVerified'>
  readonly publisher: Pick<Publisher, 'applyUpdate' | 'applyChange'>
  readonly log: Logger
}

/** Answers an UPDATE (RFC 2136), after its changes are durable and served. Never rejects. @returns the code of the answer */
export type UpdateHandler = (message: Pick<CheckedMessage, 'packet' | 'signer' | 'mac' | 'client'>) => Promise<number>

/** Milliseconds after which the client is told to try again. A change that has begun goes on. Less than the nameserver's own deadline. */
const deadlineMs = 8_000

/** How many updates run and wait, of one account, which may have many keys, and of all accounts. */
const slotLimits = { each: { running: 4, waiting: 32 }, all: { running: 32, waiting: 512 } }

class TooManyUpdates extends Error {}

/** @param dependencies the nameservers and the mailbox are those of the served SOA and NS records */
export function updateHandler(dependencies: UpdateDependencies): UpdateHandler {
  const outcomes = rememberedOutcomes()
  const slots = new KeyedSlots<number>({ ...slotLimits, busy: () => new TooManyUpdates() })
  const logFailure = throttledLog(dependencies.log, 'a DNS update failed')
  const answer = answering(dependencies)
  const { queryCounts } = dependencies.dns

  async function run(packet: Buffer, caller: Caller, { transport }: Client): Promise<Rcode> {
    const until = performance.now() + deadlineMs
    try {
      const { zone, code } = await slots.run(caller.account.id, until, () => answer(packet, caller))
      queryCounts?.count(zone, code === rcode.noError ? 'updates' : 'refused', transport)
      return code
    } catch (error) {
      queryCounts?.count(undefined, 'failed', transport)
      if (!(error instanceof TooManyUpdates)) logFailure(error, { token: caller.account.actor.name })
      return rcode.servFail
    }
  }

  return async ({ packet, signer, mac, client }) => {
    if (signer.kind !== 'account') return rcode.refused
    const { caller } = signer
    const signature = `${caller.tokenId ?? 0} ${mac.toString('latin1')}`
    return inTime(outcomes.once(caller.account.id, signature, () => run(packet, caller, client)))
  }
}

async function inTime(outcome: Promise<Rcode>): Promise<Rcode> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Rcode>((resolve) => {
    timer = setTimeout(() => resolve(rcode.servFail), deadlineMs)
  })
  try {
    return await Promise.race([outcome, late])
  } finally {
    clearTimeout(timer)
  }
}

function answering(dependencies: UpdateDependencies) {
  const answerTo = answeringRead(dependencies)
  return async (packet: Buffer, caller: Caller) => {
    const read = readUpdate(packet, dependencies)
    if (typeof read === 'number') return { code: read, zone: undefined }
    const code = await answerTo(read, caller)
    // The holder of a zone does not learn who else has tried to change it.
    return { code, zone: code === rcode.notAuth ? undefined : read.zone }
  }
}

function answeringRead({ records, publisher, space, log }: UpdateDependencies) {
  return async (read: ReadUpdate, { account, scopes }: Caller): Promise<Rcode> => {
    const { zone } = read
    const logRefusal = ({ rcode: code, reason }: Refusal) => {
      log.info({ zone, token: account.actor.name, rcode: code, reason }, 'a DNS update was refused')
    }
    // The same code as for a zone of another account and one that does not exist.
    const isPermitted = scopes.some((scope) => scope === '*' || scope === 'dns:write')
    if (!isPermitted || !allows(account.rules, { kind: 'zone', name: zone, access: 'write' })) return rcode.notAuth
    try {
      if (!allows(account.rules, { kind: 'zone', name: zone, access: 'read', removed: read.named.read })) {
        await records.requireVerified(account, zone)
        logRefusal(outsideRules)
        return rcode.refused
      }
      const update = withinRules(read, account.rules)
      // Deletions work on a full disk, as those of the API do.
      if (update.steps.some(({ kind }) => kind === 'add')) space.requireForChange()
      const code = await apply(publisher, account, zone, update)
      const { refusal } = update
      if (code === refusal?.rcode) logRefusal(refusal)
      return code
    } catch (error) {
      if (!(error instanceof ApiError) || error.code === 'upstream_error') throw error
      if (error.code === 'forbidden_zone') return rcode.notAuth
      logRefusal({ rcode: rcode.refused, reason: error.message })
      return rcode.refused
    }
  }
}

/** A single new record is created as the API creates it: on PostgreSQL, those that arrive together share a transaction. */
async function apply(
  publisher: UpdateDependencies['publisher'],
  account: Account,
  zone: string,
  update: WantedUpdate,
): Promise<Rcode> {
  const [step, ...others] = update.steps
  const isAlone = others.length === 0 && update.prerequisites.length === 0 && update.refusal === undefined
  // A CNAME may take the place of another one.
  if (!isAlone || step?.kind !== 'add' || step.record.type === 'CNAME')
    return (await publisher.applyUpdate(account, zone, update)).rcode
  await publisher.applyChange(account, zone, { kind: 'create', record: step.record })
  return rcode.noError
}

const outsideRules: Refusal = { rcode: rcode.refused, reason: 'The rules of the token do not allow these records.' }

/** The rules are checked after the prerequisites (RFC 2136, section 3.3), for all that the update names, whether or not it exists. */
function withinRules({ zone, update, named }: ReadUpdate, rules: Caller['account']['rules']): WantedUpdate {
  if (allows(rules, { kind: 'zone', name: zone, access: 'write', added: named.written })) return update
  return { ...update, steps: [], refusal: update.refusal ?? outsideRules }
}
