import { Command, Option } from 'commander'
import { databaseSettings, loadTokenCommands, readDatabaseConfig } from '@svc/server'
import { jsonText, note, printJsonList, printSecret, printTablePages } from './output.js'
import { addSettings, sourceOf } from './settings-options.js'
import { mapPages } from './table.js'

const json = ['--json', 'print JSON'] as const

/** `svc token …`: Bearer tokens for the API. Works beside a running server. */
export function tokenCommand(): Command {
  return new Command('token')
    .description('Create, list and revoke API tokens')
    .addCommand(addCommand())
    .addCommand(listCommand())
    .addCommand(revokeCommand())
}

const databaseOf = (options: Record<string, unknown>) => readDatabaseConfig(sourceOf(options, databaseSettings))

const scopeOption = new Option(
  '--scope <scope>',
  "a scope such as dns:write, or '*' for all; may be repeated, or contain several separated by commas",
)
  .default([], 'dns:read')
  .argParser((scope, before: string[]) => [...before, scope])

interface AddOptions extends Record<string, unknown> {
  name: string
  scope: string[]
  json?: true
}

function addCommand(): Command {
  const command = new Command('add')
    .description('Create a token and print it once')
    .argument('<email>')
    .requiredOption('--name <name>', 'purpose of the token')
    .addOption(scopeOption)
    .option(...json)
  return addSettings(command, databaseSettings).action(async (email: string, options: AddOptions) => {
    const { addToken, tokenToJson } = await loadTokenCommands()
    await addToken(databaseOf(options), { email, name: options.name, scopes: options.scope }, async (created) => {
      if (options.json) {
        await printSecret(jsonText({ ...tokenToJson(created), token: created.token }))
        return
      }
      note(`Created the token "${created.name}" with ${created.scopes.join(', ')}. Its value is shown only once:`)
      await printSecret(`${created.token}\n`)
    })
  })
}

function listCommand(): Command {
  const command = new Command('list')
    .description('List the tokens of an account')
    .argument('<email>')
    .option(...json)
  return addSettings(command, databaseSettings).action(async (email: string, options: Record<string, unknown>) => {
    const { listTokens, tokenToJson } = await loadTokenCommands()
    await listTokens(databaseOf(options), email, (pages) => {
      if (options['json'] === true) return printJsonList(mapPages(pages, tokenToJson))
      const rows = mapPages(
        pages,
        (token) => Object.values(tokenToJson(token)).map(shownValue),
        () => note('No tokens yet; svc token add creates one.'),
      )
      return printTablePages(['id', 'name', 'prefix', 'scopes', 'created', 'last used'], rows)
    })
  })
}

const shownValue = (value: string | number | null | readonly string[]): string =>
  value instanceof Array ? value.join(' ') : String(value ?? 'never')

function revokeCommand(): Command {
  const command = new Command('revoke')
    .description('Revoke a token: the next request with it answers 401')
    .argument('<email>')
    .argument('<id>', 'id from svc token list')
  return addSettings(command, databaseSettings).action(
    async (email: string, id: string, options: Record<string, unknown>) => {
      const { revokeToken } = await loadTokenCommands()
      await revokeToken(databaseOf(options), email, id)
      note(`Token ${id} is revoked.`)
    },
  )
}
