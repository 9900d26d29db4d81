import type { Job } from '../../shared/job.js'
import type { KeyState, KeyStore } from './key-store.js'
import type { MasterKey } from '../../shared/master-key.js'
import { keysFrom, type KnownKeys } from './configured-key.js'

/** The interval in which a rotation of the master key is noticed. A text with an unknown key is looked up at once. */
export const followEveryMs = 500

interface KeyringDependencies {
  readonly store: KeyStore
  readonly keys: KnownKeys
  readonly current: MasterKey
  /** Reads the configured key again. Undefined if it is missing. */
  readonly readConfiguredKey: () => Promise<MasterKey | undefined>
}

/** The master keys in the memory of this process. It follows rotations, so that no server has to be restarted for them. */
export class Keyring {
  #keys: KnownKeys
  #current: MasterKey
  #running: Promise<void> = Promise.resolve()
  #queued: Promise<void> | undefined

  constructor(private readonly dependencies: KeyringDependencies) {
    this.#keys = dependencies.keys
    this.#current = dependencies.current
  }

  /** The key for new texts. A unit that stores one checks in its transaction that it still is the current key. */
  get current(): MasterKey {
    return this.#current
  }

  /** A key that is in memory. */
  get(id: string): MasterKey | undefined {
    return this.#keys.get(id)
  }

  /** A key by its id; reads the database if the key is not in memory. @returns undefined for a key that the database does not know */
  async find(id: string): Promise<MasterKey | undefined> {
    if (!this.#keys.has(id)) await this.refresh()
    return this.#keys.get(id)
  }

  /**
   * Reads the state of the master key again. Waiting calls share one read. It starts after them, because a running read may have seen
   * the state before the rotation.
   * @throws Error if this process cannot get the current key
   */
  async refresh(): Promise<void> {
    this.#queued ??= this.#refreshAfter(this.#running)
    return this.#queued
  }

  /** Follows rotations of the master key that `svc key rotate` does. */
  readonly job: Job = {
    name: 'vault.rotations',
    everyMs: followEveryMs,
    runsIn: 'every process',
    failureMessage: 'the state of the master key could not be read: a rotation is noticed later',
    run: () => this.refresh(),
  }

  async #refreshAfter(running: Promise<void>): Promise<void> {
    await Promise.allSettled([running])
    this.#queued = undefined
    this.#running = this.#refresh()
    await this.#running
  }

  async #refresh(): Promise<void> {
    const state = await this.dependencies.store.state()
    if (state === undefined) throw new Error('The table master_key has no row: the database was changed by hand.')
    const { currentId, handover } = state
    const isKnown = (id: string | undefined) => id === undefined || this.#keys.has(id)
    if (currentId === this.#current.id && isKnown(handover?.oldId) && isKnown(handover?.newId)) return
    // The last key stays: a text that was read before the rotation rewrapped it may be opened after it.
    const known = new Map([[this.#current.id, this.#current], ...keysFrom(this.#current, handover)])
    const keys = known.has(currentId) ? known : new Map([...known, ...(await this.#configuredKeys(state))])
    const current = keys.get(currentId)
    if (current === undefined)
      throw new Error(
        `The master key was rotated to ${currentId}, and this process did not get it: restart svc with that key in its file or in SVC_MASTER_KEY.`,
      )
    this.#keys = keys
    this.#current = current
  }

  /** The keys by the configuration, for a process that was suspended during a whole rotation. */
  async #configuredKeys({ handover }: KeyState): Promise<KnownKeys> {
    const configured = await this.dependencies.readConfiguredKey()
    return configured === undefined ? new Map() : keysFrom(configured, handover)
  }
}
