import { Command, Option } from 'commander'
import { databaseSettings, loadTokenCommands, readDatabaseConfig } from '@svc/server'
import { note, print, printJson, printTable, tokenJson } from './output.js'
import { addSettings, sourceOf } from './settings-options.js'

const json = ['--json', 'print JSON'] as const

/** `svc token …`: Bearer tokens for the API. Works beside a running server. */
export function tokenCommand(): Command {
  return new Command('token')
    .description('Make, list and revoke API tokens')
    .addCommand(addCommand())
    .addCommand(listCommand())
    .addCommand(revokeCommand())
}

const databaseOf = (options: Record<string, unknown>) => readDatabaseConfig(sourceOf(options, databaseSettings))

const scopeOption = new Option(
  '--scope <scope>',
  "what it may do, such as dns:write, or '*' for all; may be repeated, or name several separated by commas",
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
    .description('Make a token and print it, once')
    .argument('<email>')
    .requiredOption('--name <name>', 'what the token is for')
    .addOption(scopeOption)
    .option(...json)
  return addSettings(command, databaseSettings).action(async (email: string, options: AddOptions) => {
    const { addToken } = await loadTokenCommands()
    const made = await addToken(databaseOf(options), { email, name: options.name, scopes: options.scope })
    if (options.json) {
      printJson({ ...tokenJson(made), token: made.token })
      return
    }
    note(`Made the token "${made.name}" with ${made.scopes.join(', ')}. Its value, shown only this once:`)
    print(made.token)
  })
}

function listCommand(): Command {
  const command = new Command('list')
    .description('List the tokens of an account')
    .argument('<email>')
    .option(...json)
  return addSettings(command, databaseSettings).action(async (email: string, options: Record<string, unknown>) => {
    const { listTokens } = await loadTokenCommands()
    const tokens = (await listTokens(databaseOf(options), email)).map(tokenJson)
    if (options['json'] === true) printJson(tokens)
    else if (tokens.length === 0) note('There are no tokens yet; svc token add makes one.')
    else
      printTable(
        ['id', 'name', 'prefix', 'scopes', 'created', 'last used'],
        tokens.map((token) =>
          Object.values(token).map((value) => (Array.isArray(value) ? value.join(' ') : String(value ?? 'never'))),
        ),
      )
  })
}

function revokeCommand(): Command {
  const command = new Command('revoke')
    .description('Revoke a token: it is refused from the next request on')
    .argument('<email>')
    .argument('<id>', 'as svc token list shows it')
  return addSettings(command, databaseSettings).action(
    async (email: string, id: string, options: Record<string, unknown>) => {
      const { revokeToken } = await loadTokenCommands()
      await revokeToken(databaseOf(options), email, id)
      note(`Token ${id} is revoked.`)
    },
  )
}
