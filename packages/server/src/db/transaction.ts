import type { Prepared } from './prepared.js'

/** The read door. Each call sees everything that was acknowledged before it, by whichever process. */
export interface Reader {
  one<P, R>(query: Prepared<P, R>, params: P): Promise<R | undefined>
  all<P, R>(query: Prepared<P, R>, params: P): Promise<R[]>
}

/** What a unit of work is given: reads see the unit's own writes. */
export interface Transaction extends Reader {
  /** Runs a statement for its effect. @returns how many rows it touched */
  run<P, R>(query: Prepared<P, R>, params: P): Promise<number>

  /** The one row that a statement must give back, an upsert's for one. @throws when there is none */
  only<P, R>(query: Prepared<P, R>, params: P): Promise<R>
}
