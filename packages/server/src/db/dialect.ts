/** The SQL dialects that svc writes. */
export type Dialect = 'sqlite' | 'postgres'
