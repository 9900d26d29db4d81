import { expect, it } from 'vitest'
import { format } from 'oxfmt'
import { settingsTable } from './documentation.js'
import { allSettings } from './settings.js'

it('the table has a row for every setting: variable, flag, default, description', () => {
  const rows = settingsTable().split('\n')
  expect(rows).toHaveLength(allSettings.length + 2)
  expect(rows[6]?.replace(/ +/g, ' ')).toBe(
    '| `SVC_PORT` | `--port <port>` | `8080` | The port to listen on; 0 for any free port |',
  )
})

it('the table is formatted like the repository', async () => {
  expect(await format('settings.md', settingsTable())).toEqual({ code: `${settingsTable()}\n`, errors: [] })
})
