import type { Transaction } from './port.js'

/**
 * A unit of work: a function with a name, so that the thread that writes can be told which one to run. Its arguments
 * and its result must survive a structured clone. It must await nothing but the transaction.
 */
export interface Unit<A extends readonly unknown[], R> {
  readonly name: string
  readonly work: (tx: Transaction, ...args: A) => Promise<R>
  /**
   * The name of a lock that the unit waits for in the database, such as its zone's. On PostgreSQL, writes with the same
   * name run one after the other within this process: while another session holds the lock, they use one connection.
   */
  readonly turn?: (...args: A) => string
}

/** Any unit: what it takes and gives is between it and the store that declares it. */
type AnyUnit = Unit<never, unknown>

const registry = new Map<string, AnyUnit>()

/**
 * Declares a unit of work under a unique name: `unit('account.setNickname', async (tx, id: number) => …)`, or with
 * its turn before the work: `unit('dns.recordDelete', (key: ZoneKey) => key.zone, async (tx, key, id: number) => …)`.
 */
export function unit<A extends readonly unknown[], R>(name: string, work: Unit<A, R>['work']): Unit<A, R>
export function unit<T extends readonly unknown[], A extends readonly [...T, ...unknown[]], R>(
  name: string,
  turn: (...args: T) => string,
  work: Unit<A, R>['work'],
): Unit<A, R>
export function unit<A extends readonly unknown[], R>(
  name: string,
  ...parts: [work: Unit<A, R>['work']] | [turn: (...args: A) => string, work: Unit<A, R>['work']]
): Unit<A, R> {
  if (registry.has(name)) throw new Error(`Two units of work are called ${name}.`)
  const declared: Unit<A, R> = parts.length === 1 ? { name, work: parts[0] } : { name, turn: parts[0], work: parts[1] }
  registry.set(name, declared)
  return declared
}

/** The unit of that name, once the module that declares it is loaded (see areas/stores.ts). */
export function unitNamed(name: string): AnyUnit {
  const found = registry.get(name)
  if (found === undefined) throw new Error(`No unit of work is called ${name}: is its store listed in areas/stores.ts?`)
  return found
}
