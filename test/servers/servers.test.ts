import { inject, expect, it } from 'vitest'
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { ensure, freshPostgres, launchChromium, startPostgres } from './index.js'

const sql = (url: string, query: string) =>
  execFileSync(ensure('psql'), [url, '-Atc', query], { encoding: 'utf8', stdio: 'pipe' }).trim()

it('freshPostgres returns a separate empty database for each call', async () => {
  const [one, other] = await Promise.all([freshPostgres(), freshPostgres()])
  sql(one, 'create table t (n int)')
  const tables = "select count(*) from pg_tables where schemaname = 'public'"
  expect([sql(one, tables), sql(other, tables)]).toEqual(['1', '0'])
})

it('startPostgres starts a separate server and removes its files', async () => {
  const postgres = await startPostgres()
  expect(postgres.adminUrl).not.toBe(inject('postgresAdminUrl'))
  const folder = sql(postgres.adminUrl, 'show unix_socket_directories')
  await postgres.stop()
  expect(existsSync(folder)).toBe(false)
  expect(() => sql(postgres.adminUrl, 'select 1')).toThrow()
})

it('launchChromium starts a real browser', async () => {
  const browser = await launchChromium()
  try {
    const page = await browser.newPage()
    await page.setContent('<button onclick="this.textContent = 6 * 7">How much?</button>')
    await page.click('button')
    expect(await page.textContent('button')).toBe('42')
  } finally {
    await browser.close()
  }
})
