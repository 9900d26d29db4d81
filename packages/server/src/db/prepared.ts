import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type Compilable,
} from 'kysely'
import type { Dialect } from './dialect.js'
import type { Tables } from './tables.js'

/** Builds queries without a connection: typed SQL in, text out. */
export const queryBuilders: Record<Dialect, Kysely<Tables>> = {
  sqlite: new Kysely({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  }),
  postgres: new Kysely({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  }),
}

const refuse = (use: string): never => {
  throw new Error(
    `The builder of a prepared query ${use}. It runs once, before any values are known: it may only pass single parameters to the query.`,
  )
}

/** Marks the place of a parameter in the built query. */
class Placeholder {
  constructor(readonly name: string) {}

  /** Comparisons, arithmetic and templates would compile a wrong query without an error. */
  [Symbol.toPrimitive](): never {
    return refuse(`computes with the parameter ${this.name}`)
  }
}

/** The parameters while a query is built. A builder may only read them: the values come with each call. */
const placeholders = new Proxy(
  {},
  {
    get: (_, name) =>
      typeof name === 'string' ? new Placeholder(name) : refuse('converts its parameters to another type'),
    has: () => refuse('checks which parameters it has'),
    ownKeys: () => refuse('spreads or lists its parameters'),
    getOwnPropertyDescriptor: () => refuse('checks which parameters it has'),
    set: () => refuse('changes a parameter'),
  },
)

/** SQL text of one dialect, and how the values of a call become its positional parameters. */
export interface Compiled<P> {
  /** Unique among all queries, stable while the process lives: the name of the server-side statement. */
  readonly name: string
  readonly sql: string
  readonly bind: (params: P) => unknown[]
}

let count = 0

/** All queries of the loaded modules, for `query-plans.test.ts` alone. */
export const declaredQueries: Prepared<never, unknown>[] = []

/** A query that is built once and run many times: building it through Kysely costs 20 to 50 µs, running it 5. */
export class Prepared<P, R> {
  readonly #name = `q${String(++count)}`
  readonly #compiled: Partial<Record<Dialect, Compiled<P>>> = {}
  /** Its stack has the file and line of the declaration, for `query-plans.test.ts`. V8 formats it only when it is read. */
  readonly declaration = new Error('Declared here.')

  /** @param only the dialect of a statement that the other database does not have */
  constructor(
    private readonly build: (db: Kysely<Tables>, params: P, dialect: Dialect) => Compilable<R>,
    readonly only?: Dialect,
  ) {
    declaredQueries.push(this)
  }

  for(dialect: Dialect): Compiled<P> {
    return (this.#compiled[dialect] ??= this.#compile(dialect))
  }

  #compile(dialect: Dialect): Compiled<P> {
    if (this.only !== undefined && this.only !== dialect) throw new Error(`This query is for ${this.only} alone.`)
    const { sql, parameters } = this.build(queryBuilders[dialect], placeholders as P, dialect).compile()
    const bind = (params: P) =>
      parameters.map((value) => (value instanceof Placeholder ? params[value.name as keyof P] : value))
    return { name: this.#name, sql, bind }
  }
}

/**
 * Declares a query once for all dialects: `prepared((db, p: { id: number }) => db.selectFrom('account')…)`. Within the
 * builder `p.id` is a placeholder for the value of each call: `{ ...p }` and `${p.id}` throw an Error when the query is first
 * used. ESLint refuses `p.id ? … : …` and `p.id === null`, which would read the placeholder: call the parameters `p`.
 */
export const prepared = <P, R>(
  build: (db: Kysely<Tables>, params: P, dialect: Dialect) => Compilable<R>,
): Prepared<P, R> => new Prepared(build)

/** Declares a query that only one dialect has, such as an insert into two tables. Units choose it by the dialect of their transaction. */
export const preparedFor = <P, R>(
  dialect: Dialect,
  build: (db: Kysely<Tables>, params: P) => Compilable<R>,
): Prepared<P, R> => new Prepared(build, dialect)
