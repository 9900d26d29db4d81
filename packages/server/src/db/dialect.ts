/** The kinds of SQL that svc writes. */
export type Dialect = 'sqlite' | 'postgres'
