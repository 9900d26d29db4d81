import { Command, Option } from 'commander'
import { updatePath } from '@svc/contract/limits'
import {
  databaseSettings,
  keySettings,
  loadTokenCommands,
  loadTsigCommand,
  readConfig,
  readDatabaseConfig,
  readPublicUrl,
  tokenSettings,
} from '@svc/server'
import { jsonText, note, printJson, printJsonList, printSecret, printTablePages } from './output.js'
import { addSettings, sourceOf } from './settings-options.js'
import { mapPages } from './table.js'
import { algorithmOption, printKey } from './tsig-output.js'

const json = ['--json', 'print JSON'] as const

/** `svc token …`: Bearer tokens for the API, and keys that sign DNS messages. Works beside a running server. */
export function tokenCommand(): Command {
  return new Command('token')
    .description('Create, list, change and revoke tokens for the API')
    .addCommand(addCommand())
    .addCommand(tsigCommand())
    .addCommand(listCommand())
    .addCommand(updateCommand())
    .addCommand(rotateCommand())
    .addCommand(revokeCommand())
}

const databaseOf = (options: Record<string, unknown>) => readDatabaseConfig(sourceOf(options, databaseSettings))

const scopeOption = new Option(
  '--scope <scope>',
  "a scope such as dns:write, or '*' for all; may be repeated, or contain several separated by commas",
)
  .default([], 'dns:read')
  .argParser((scope, before: string[]) => [...before, scope])

const repeated = (text: string, before: string[] | undefined) => [...(before ?? []), text]

const limitOptions = [
  new Option('--expires <time>', 'it ends after 30d or 12h, or on 2027-01-31 at 00:00 UTC; never for no end'),
  new Option('--unused-days <days>', 'it ends after so many days without a use; never for no such end'),
  new Option(
    '--network <network>',
    'it works only from this address or network, such as 192.0.2.0/24; may be repeated; any for every network',
  ).argParser(repeated),
  new Option(
    '--rule <rule>',
    'it has only what its rules name, such as \'{"kind":"site","name":"docs","access":"write"}\'; may be repeated; any for no rules',
  ).argParser(repeated),
]

interface LimitOptions extends Record<string, unknown> {
  expires?: string
  unusedDays?: string
  network?: string[]
  rule?: string[]
}

const limitsOf = ({ expires, unusedDays, network, rule }: LimitOptions) => ({ expires, unusedDays, network, rule })

interface Values {
  readonly token: string
  readonly updateKey: string | null
}

/** The URL of an update key; a path if the operator has set no public URL. */
const updateUrlOf = ({ updateKey }: Values, options: Record<string, unknown>): string | null =>
  updateKey && `${readPublicUrl(sourceOf(options, tokenSettings)) ?? ''}${updatePath(updateKey)}`

/** The value of a token, and the URL of its update key, each in a line. */
const printValues = (values: Values, options: Record<string, unknown>): Promise<void> =>
  printSecret([values.token, updateUrlOf(values, options), ''].filter((line) => line !== null).join('\n'))

const noteUpdateUrl = ({ updateKey }: Values): void => {
  if (updateKey !== null) note('A router sets the address of the host with GET at the URL in the second line.')
}

interface AddOptions extends LimitOptions {
  name: string
  scope: string[]
  updateUrl?: true
  json?: true
}

function addCommand(): Command {
  const command = new Command('add')
    .description('Create a token and print it once')
    .argument('<email>')
    .requiredOption('--name <name>', 'purpose of the token; unique in the account')
    .addOption(scopeOption)
    .option(
      '--update-url',
      'also print a URL with which a router sets the address of the host of its rule (dynamic DNS): once, too',
    )
    .option(...json)
  addLimits(command)
  return addSettings(command, tokenSettings).action(async (email: string, options: AddOptions) => {
    const { addToken, tokenToJson } = await loadTokenCommands()
    const { name, scope: scopes, updateUrl: hasUpdateKey } = options
    const given = { ...limitsOf(options), email, name, scopes, hasUpdateKey }
    await addToken(databaseOf(options), given, async (created) => {
      if (options.json) {
        const update_url = updateUrlOf(created, options)
        await printSecret(jsonText({ ...tokenToJson(created), token: created.token, update_url }))
        return
      }
      note(`Created the token "${created.name}" with ${created.scopes.join(', ')}. Its value is shown only once:`)
      noteUpdateUrl(created)
      await printValues(created, options)
    })
  })
}

interface TsigOptions extends AddOptions {
  algorithm?: string
}

function tsigCommand(): Command {
  const command = new Command('tsig')
    .description('Create a token that signs DNS messages (TSIG), for updates and transfers, and print it once')
    .argument('<email>')
    .requiredOption('--name <name>', 'purpose of the key; unique among the tokens of the account')
    .addOption(scopeOption)
    .addOption(algorithmOption())
    .option(...json)
  addLimits(command)
  return addSettings(command, keySettings).action(async (email: string, options: TsigOptions) => {
    const { addTsig } = await loadTsigCommand()
    const { name, scope: scopes, algorithm } = options
    const given = { ...limitsOf(options), email, name, scopes, algorithm }
    await addTsig(readConfig(sourceOf(options, keySettings)), given, async (key, token) => {
      if (!options.json)
        note(`Created the key "${token.name}" with ${token.scopes.join(', ')}. Its secret is shown only once:`)
      await printKey(key, options.json)
    })
  })
}

function addLimits(command: Command): void {
  for (const option of limitOptions) command.addOption(option)
}

const nameArgument = ['<name>', 'name or id from svc token list; a number is first taken for an id'] as const

interface UpdateOptions extends LimitOptions {
  newName?: string
  scope?: string[]
  pause?: true
  resume?: true
  json?: true
}

function updateCommand(): Command {
  const command = new Command('update')
    .description('Change a token: its name, its scopes, when, from where and for which things it works')
    .argument('<email>')
    .argument(...nameArgument)
    .option('--new-name <name>', 'purpose of the token; unique in the account')
    .addOption(new Option('--scope <scope>', 'replaces all scopes; as for svc token add').argParser(repeated))
    .addOption(new Option('--pause', 'it does not work until it is resumed').conflicts('resume'))
    .option('--resume', 'it works again')
    .option(...json)
  addLimits(command)
  return addSettings(command, databaseSettings).action(
    async (email: string, idOrName: string, options: UpdateOptions) => {
      const { updateToken, tokenToJson } = await loadTokenCommands()
      const changed = await updateToken(databaseOf(options), email, idOrName, {
        ...limitsOf(options),
        name: options.newName,
        scopes: options.scope,
        isPaused: options.pause ? true : options.resume ? false : undefined,
      })
      if (options.json) printJson(tokenToJson(changed))
      else note(`Changed the token "${changed.name}" (id ${String(changed.id)}): ${tokenToJson(changed).status}.`)
    },
  )
}

interface RotateOptions extends Record<string, unknown> {
  keep?: string
  json?: true
}

function rotateCommand(): Command {
  const command = new Command('rotate')
    .description('Give a token a new value and print it once; its name, scopes and limits stay')
    .argument('<email>')
    .argument(...nameArgument)
    .option('--keep <time>', 'the value before still works for so long, at most 24h; by default it ends at once')
    .option(...json)
  return addSettings(command, tokenSettings).action(async (email: string, idOrName: string, options: RotateOptions) => {
    const { rotateToken, tokenToJson } = await loadTokenCommands()
    await rotateToken(databaseOf(options), { email, idOrName, keep: options.keep }, async (rotated) => {
      if (options.json) {
        const update_url = updateUrlOf(rotated, options)
        await printSecret(jsonText({ ...tokenToJson(rotated), token: rotated.token, update_url }))
        return
      }
      note(`The token "${rotated.name}" has a new value, which is shown only once:`)
      noteUpdateUrl(rotated)
      await printValues(rotated, options)
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
        (token) => {
          const { id, name, prefix, tsig, scopes, created_at, last_used_at, expires_at, status } = tokenToJson(token)
          return [id, name, tsig?.name ?? prefix, scopes, created_at, last_used_at, expires_at, status].map(shownValue)
        },
        () => note('No tokens yet; svc token add creates one.'),
      )
      return printTablePages(['id', 'name', 'prefix', 'scopes', 'created', 'last used', 'expires', 'status'], rows)
    })
  })
}

const shownValue = (value: string | number | null | readonly string[]): string =>
  value instanceof Array ? value.join(' ') : String(value ?? 'never')

function revokeCommand(): Command {
  const command = new Command('revoke')
    .description('Revoke a token: the next request with it answers 401')
    .argument('<email>')
    .argument(...nameArgument)
  return addSettings(command, databaseSettings).action(
    async (email: string, idOrName: string, options: Record<string, unknown>) => {
      const { revokeToken } = await loadTokenCommands()
      const { id, name } = await revokeToken(databaseOf(options), email, idOrName)
      note(`Revoked the token "${name}" (id ${String(id)}).`)
    },
  )
}
