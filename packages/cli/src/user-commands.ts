import { isUtf8 } from 'node:buffer'
import { Command } from 'commander'
import { databaseSettings, loadUserCommands, OperatorError, readDatabaseConfig, type Account } from '@svc/server'
import { readInput } from './input.js'
import { note, print, printJson, printTable, userJson } from './output.js'
import { addSettings, sourceOf } from './settings-options.js'

interface PasswordOptions extends Record<string, unknown> {
  passwordStdin?: true
  json?: true
}

const passwordStdin = [
  '--password-stdin',
  'read the password from stdin; without it one is made and printed once',
] as const
const json = ['--json', 'print JSON'] as const

/** `svc user …`: who may sign in. Works beside a running server. */
export function userCommand(): Command {
  return new Command('user')
    .description('Make, list and mend accounts')
    .addCommand(addCommand())
    .addCommand(listCommand())
    .addCommand(passwordCommand())
}

const databaseOf = (options: Record<string, unknown>) => readDatabaseConfig(sourceOf(options, databaseSettings))

function addCommand(): Command {
  const command = new Command('add')
    .description('Make an account')
    .argument('<email>')
    .option('--nickname <name>', 'what to call them', '')
    .option(...passwordStdin)
    .option(...json)
  return addSettings(command, databaseSettings).action(
    async (email: string, options: PasswordOptions & { nickname: string }) => {
      const { addUser } = await loadUserCommands()
      const password = await givenPassword(options)
      const made = await addUser(databaseOf(options), { email, nickname: options.nickname, password })
      show(made, options, `Made the account ${made.account.email}.`)
    },
  )
}

function listCommand(): Command {
  const command = new Command('list').description('List all accounts').option(...json)
  return addSettings(command, databaseSettings).action(async (options: Record<string, unknown>) => {
    const { listUsers } = await loadUserCommands()
    const users = (await listUsers(databaseOf(options))).map(userJson)
    if (options['json'] === true) printJson(users)
    else if (users.length === 0) note('There are no accounts yet; svc user add makes one.')
    else
      printTable(
        ['id', 'email', 'nickname', 'created'],
        users.map((user) => Object.values(user).map(String)),
      )
  })
}

function passwordCommand(): Command {
  const command = new Command('password')
    .description('Set another password and end the browser sessions of an account; its tokens stay')
    .argument('<email>')
    .option(...passwordStdin)
    .option(...json)
  return addSettings(command, databaseSettings).action(async (email: string, options: PasswordOptions) => {
    const { resetPassword } = await loadUserCommands()
    const password = await givenPassword(options)
    const set = await resetPassword(databaseOf(options), email, password)
    show(set, options, `${set.account.email} has another password, and its browser sessions are ended.`)
  })
}

/** More than the longest password: 1024 characters of four bytes. */
const passwordMaxBytes = 8192

async function givenPassword({ passwordStdin: fromStdin }: PasswordOptions): Promise<string | undefined> {
  if (!fromStdin) return undefined
  const bytes = await readInput('-', passwordMaxBytes)
  // Decoded leniently, two passwords that differ in such bytes would be the same.
  if (bytes === undefined || !isUtf8(bytes))
    throw new OperatorError(`The password on stdin must be UTF-8 text of at most ${passwordMaxBytes} bytes.`, 2)
  // A final line ending is not part of the password.
  return bytes.toString().replace(/\r?\n$/, '')
}

function show(
  { account, madePassword }: { account: Account; madePassword: string | undefined },
  { json: asJson }: PasswordOptions,
  done: string,
): void {
  if (asJson) {
    printJson({ ...userJson(account), ...(madePassword === undefined ? {} : { password: madePassword }) })
    return
  }
  note(madePassword === undefined ? done : `${done} The password, shown only this once:`)
  if (madePassword !== undefined) print(madePassword)
}
