import { isUtf8 } from 'node:buffer'
import { Command } from 'commander'
import { databaseSettings, loadUserCommands, OperatorError, readDatabaseConfig, type WithPassword } from '@svc/server'
import { readInput } from './input.js'
import { jsonText, note, printJsonList, printSecret, printTablePages, printText } from './output.js'
import { addSettings, sourceOf } from './settings-options.js'
import { mapPages } from './table.js'
import { limitCommand } from './limit-commands.js'
import { deleteCommand } from './user-delete-command.js'
import { emailCommand } from './user-email-command.js'
import { showCommand } from './user-show-command.js'
import { resumeCommand, suspendCommand } from './user-suspend-commands.js'

interface PasswordOptions extends Record<string, unknown> {
  passwordStdin?: true
  json?: true
}

const passwordStdin = [
  '--password-stdin',
  'read the password from stdin; by default, one is generated and printed once',
] as const
const json = ['--json', 'print JSON'] as const

/** `svc user …`: accounts and their passwords. Works beside a running server. */
export function userCommand(): Command {
  return new Command('user')
    .description('Create, show, change, suspend, limit and delete accounts')
    .addCommand(addCommand())
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(emailCommand())
    .addCommand(passwordCommand())
    .addCommand(unlockCommand())
    .addCommand(suspendCommand())
    .addCommand(resumeCommand())
    .addCommand(limitCommand())
    .addCommand(deleteCommand())
}

const databaseOf = (options: Record<string, unknown>) => readDatabaseConfig(sourceOf(options, databaseSettings))

function addCommand(): Command {
  const command = new Command('add')
    .description('Create an account')
    .argument('<email>')
    .option('--nickname <name>', 'display name', '')
    .option(...passwordStdin)
    .option(...json)
  return addSettings(command, databaseSettings).action(
    async (email: string, options: PasswordOptions & { nickname: string }) => {
      const { addUser } = await loadUserCommands()
      const password = await givenPassword(options)
      await addUser(databaseOf(options), { email, nickname: options.nickname, password }, (created) =>
        show(created, options, `Created the account ${created.account.email}.`),
      )
    },
  )
}

function listCommand(): Command {
  const command = new Command('list')
    .description('List all accounts')
    .option('--usage', 'also count what each account uses, for bills')
    .option(...json)
  return addSettings(command, databaseSettings).action(async (options: Record<string, unknown>) => {
    const { listUsers, listedToJson, usedResources } = await loadUserCommands()
    const withUsage = options['usage'] === true
    await listUsers(databaseOf(options), withUsage, (pages) => {
      if (options['json'] === true) return printJsonList(mapPages(pages, listedToJson))
      const rows = mapPages(
        pages,
        (listed) => {
          const { usage, ...account } = listedToJson(listed)
          return [...Object.values(account), ...Object.values(usage ?? {})].map((cell) => String(cell ?? '-'))
        },
        () => note('No accounts yet; svc user add creates one.'),
      )
      const counted = withUsage ? usedResources : []
      return printTablePages(['id', 'email', 'nickname', 'created', 'state', 'plan', ...counted], rows)
    })
  })
}

function passwordCommand(): Command {
  const command = new Command('password')
    .description(
      'Reset the password of an account, end its browser sessions and its wait after failed sign-ins; its tokens stay valid',
    )
    .argument('<email>')
    .option(...passwordStdin)
    .option(...json)
  return addSettings(command, databaseSettings).action(async (email: string, options: PasswordOptions) => {
    const { resetPassword } = await loadUserCommands()
    const password = await givenPassword(options)
    await resetPassword(databaseOf(options), email, password, (set) =>
      show(set, options, `Changing the password of ${set.account.email}.`),
    )
    note('Changed the password and ended the browser sessions of the account.')
  })
}

function unlockCommand(): Command {
  const command = new Command('unlock')
    .description('End the wait of an account after failed sign-ins')
    .argument('<email>')
  return addSettings(command, databaseSettings).action(async (email: string, options: Record<string, unknown>) => {
    const { unlockUser } = await loadUserCommands()
    const account = await unlockUser(databaseOf(options), email)
    note(`Ended the wait of ${account.email}. Networks with many failed sign-ins still have to wait.`)
  })
}

/** Above the longest password: 1024 characters of four bytes. */
const passwordMaxBytes = 8192

async function givenPassword({ passwordStdin: fromStdin }: PasswordOptions): Promise<string | undefined> {
  if (!fromStdin) return undefined
  const bytes = await readInput('-', passwordMaxBytes)
  // Decoding would replace invalid bytes, so that different passwords would be equal.
  if (bytes === undefined || !isUtf8(bytes))
    throw new OperatorError(`The password on stdin must be UTF-8 text of at most ${passwordMaxBytes} bytes.`, 2)
  // A final line ending is not part of the password.
  return bytes.toString().replace(/\r?\n$/, '')
}

/** Prints the result. A generated password is on disk if stdout is a file, and printing it fails if its reader has left. */
async function show({ account, madePassword }: WithPassword, { json: asJson }: PasswordOptions, done: string) {
  if (asJson) {
    const { userToJson } = await loadUserCommands()
    const text = jsonText({ ...userToJson(account), ...(madePassword === undefined ? {} : { password: madePassword }) })
    if (madePassword === undefined) printText(text)
    else await printSecret(text)
    return
  }
  note(madePassword === undefined ? done : `${done} The password is shown only once:`)
  if (madePassword !== undefined) await printSecret(`${madePassword}\n`)
}
