import pg from 'pg'

/** A separate PostgreSQL session, which can hold locks. It ends with the test. */
export async function postgresSession(url: string) {
  const client = new pg.Client(url)
  await client.connect()
  return {
    query: async (sql: string) => (await client.query<Record<string, unknown>>(sql)).rows,
    [Symbol.asyncDispose]: () => client.end(),
  }
}
