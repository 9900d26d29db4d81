import type { Transaction } from './transaction.js'

/**
 * A unit of work: a function that runs in one transaction. The writer thread finds it by its module and name. Its arguments and its
 * result must survive a structured clone. It may await only calls of the transaction.
 */
export interface Unit<A extends readonly unknown[], R> extends UnitKey {
  readonly work: (tx: Transaction, ...args: A) => Promise<R>
  /**
   * The key of a lock that the unit takes in the database, such as its zone's. On PostgreSQL, writes with the same key run
   * one after another within this process: while another session holds the lock, they occupy one connection.
   */
  readonly lockKey?: (...args: A) => string
}

/** Identifies a unit across threads. */
export interface UnitKey {
  /** URL of the module that declares it. */
  readonly module: string
  /** Unique in its module. */
  readonly name: string
}

/** A unit whose arguments and result are known only to the store that declares it. */
type AnyUnit = Unit<never, unknown>

const declaredUnits = new Map<string, AnyUnit>()
const keyOf = ({ module, name }: UnitKey): string => `${module}#${name}`

/**
 * Declares a unit of work at the top level of a module: `unit(import.meta, 'setNickname', async (tx, id: number) => …)`, or with
 * its lock key before the work: `unit(import.meta, 'deleteRecord', (key: ZoneKey) => key.zone, async (tx, key, id: number) => …)`.
 */
export function unit<A extends readonly unknown[], R>(
  meta: ImportMeta,
  name: string,
  work: Unit<A, R>['work'],
): Unit<A, R>
export function unit<T extends readonly unknown[], A extends readonly [...T, ...unknown[]], R>(
  meta: ImportMeta,
  name: string,
  lockKey: (...args: T) => string,
  work: Unit<A, R>['work'],
): Unit<A, R>
export function unit<A extends readonly unknown[], R>(
  { url: module }: ImportMeta,
  name: string,
  ...parts: [work: Unit<A, R>['work']] | [lockKey: (...args: A) => string, work: Unit<A, R>['work']]
): Unit<A, R> {
  const declared: Unit<A, R> =
    parts.length === 1 ? { module, name, work: parts[0] } : { module, name, lockKey: parts[0], work: parts[1] }
  const key = keyOf(declared)
  if (declaredUnits.has(key)) throw new Error(`${module} declares two units of work called ${name}.`)
  declaredUnits.set(key, declared)
  return declared
}

/** Whether the module of a unit is loaded in this thread. */
export const isLoaded = (key: UnitKey): boolean => declaredUnits.has(keyOf(key))

/** URLs of the loaded modules that declare units. */
export const unitModules = (): string[] => [...new Set(Array.from(declaredUnits.values(), ({ module }) => module))]

/**
 * Looks up a unit whose module is loaded.
 * @throws Error for a unit whose module is not loaded, or that is not declared at the top level of its module
 */
export function findUnit(key: UnitKey): AnyUnit {
  const found = declaredUnits.get(keyOf(key))
  if (found === undefined)
    throw new Error(`${key.module} declares no unit of work called ${key.name} at its top level.`)
  return found
}
