import { isUtf8 } from 'node:buffer'
import { Command } from 'commander'
import { databaseSettings, loadUserCommands, OperatorError, readDatabaseConfig, type Account } from '@svc/server'
import { readInput } from './input.js'
import { note, print, printJson, printTable } from './output.js'
import { addSettings, sourceOf } from './settings-options.js'
import { deleteCommand } from './user-delete-command.js'
import { emailCommand } from './user-email-command.js'
import { showCommand } from './user-show-command.js'

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
    .description('Create, show, change and delete accounts')
    .addCommand(addCommand())
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(emailCommand())
    .addCommand(passwordCommand())
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
      const created = await addUser(databaseOf(options), { email, nickname: options.nickname, password })
      await show(created, options, `Created the account ${created.account.email}.`)
    },
  )
}

function listCommand(): Command {
  const command = new Command('list').description('List all accounts').option(...json)
  return addSettings(command, databaseSettings).action(async (options: Record<string, unknown>) => {
    const { listUsers, userToJson } = await loadUserCommands()
    const users = (await listUsers(databaseOf(options))).map(userToJson)
    if (options['json'] === true) printJson(users)
    else if (users.length === 0) note('No accounts yet; svc user add creates one.')
    else
      await printTable(
        ['id', 'email', 'nickname', 'created'],
        users.map((user) => Object.values(user).map(String)),
      )
  })
}

function passwordCommand(): Command {
  const command = new Command('password')
    .description('Reset the password of an account and end its browser sessions; its tokens stay valid')
    .argument('<email>')
    .option(...passwordStdin)
    .option(...json)
  return addSettings(command, databaseSettings).action(async (email: string, options: PasswordOptions) => {
    const { resetPassword } = await loadUserCommands()
    const password = await givenPassword(options)
    const set = await resetPassword(databaseOf(options), email, password)
    await show(set, options, `Changed the password of ${set.account.email} and ended its browser sessions.`)
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

async function show(
  { account, madePassword }: { account: Account; madePassword: string | undefined },
  { json: asJson }: PasswordOptions,
  done: string,
): Promise<void> {
  if (asJson) {
    const { userToJson } = await loadUserCommands()
    printJson({ ...userToJson(account), ...(madePassword === undefined ? {} : { password: madePassword }) })
    return
  }
  note(madePassword === undefined ? done : `${done} The password is shown only once:`)
  if (madePassword !== undefined) print(madePassword)
}
