import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { checkLimit } from './measure.js'
import { runOperatorCommand, startBareServer, startSvc, type Program } from './programs.js'
import { checkCpu, measureSides, requestSide } from './request-side.js'

const links = 1_000

/** As a browser sends it: svc reads it to leave out crawlers. */
const userAgent =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36'

/** Short links, with their count and a log line, against a bare node:http server that redirects from a Map. */
export async function benchShortLinks(folder: string): Promise<void> {
  const data = join(folder, 'short-links')
  await runOperatorCommand(data, 'user', 'add', 'bench@example.com')
  fillLinks(join(data, 'svc.db'))
  const bare = await startBareServer(join(folder, 'redirect.log'), 'redirect')
  const svc = await startSvc(data)
  const follow = (name: string, program: Program) =>
    requestSide(name, program, '/l/link7', { headers: { Host: 'content.localhost', 'User-Agent': userAgent } })
  const sides = { bare: follow('node:http', bare), svc: follow('svc', svc) }
  await measureSides(5, Object.values(sides))
  await Promise.all([bare.stop(), svc.stop()])
  const counted = usesOf(join(data, 'svc.db'))

  // As a rate: at least 0.6 × node:http.
  checkCpu('short link with its count', sides.svc, sides.bare, 1.67)
  const measured = sides.svc.rates.reduce((sum, rate) => sum + rate * 2, 0)
  checkLimit('counted uses, against those that the load generator has seen', counted / measured, { atLeast: 0.99 })
}

function fillLinks(database: string): void {
  const handle = new BetterSqlite(database)
  handle.exec(`
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${String(links)})
    insert into deployment (account_id, kind, slug, target, enabled, uses, kept, settings, created_at, updated_at)
      select 1, 'shortlink', 'link' || i, 'https://example.com/' || i, 1, 0, 0, '{"status":302,"forward_query":false}', 0, 0 from n;
  `)
  handle.close()
}

function usesOf(database: string): number {
  const handle = new BetterSqlite(database)
  const { uses } = handle.prepare<[], { uses: number }>('select sum(uses) as uses from deployment').get() ?? { uses: 0 }
  handle.close()
  return uses
}
