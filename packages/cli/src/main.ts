import { Command, CommanderError } from 'commander'
import { ApiError, type Operation } from '@svc/contract'
import { OperatorError, version } from '@svc/server'
import { apiCommand } from './api.js'
import { dnsCommand } from './dns-commands.js'
import { serveCommand } from './serve-command.js'
import { tokenCommand } from './token-commands.js'
import { userCommand } from './user-commands.js'

/**
 * Runs one command line, as `process.argv` has it. Exit codes: 0, 1 for what went wrong, 2 for wrong usage.
 * @param operations what `svc api` offers, where that is not what a server has
 */
export async function run(argv: readonly string[], operations?: readonly Operation[]): Promise<void> {
  try {
    await program(operations).parseAsync(argv)
  } catch (error) {
    // At once: what a failed command left open must not keep the process.
    process.exit(report(error))
  }
}

function program(operations?: readonly Operation[]): Command {
  const svc = new Command('svc')
    .description('One self-hosted Platform API')
    .version(version)
    .showHelpAfterError('(see --help)')
    // Only before the command: an operation may have a --version of its own.
    .enablePositionalOptions()
  // Commander ends wrong usage with 1, which here is for what went wrong.
  svc.exitOverride()
  for (const command of [serveCommand(), userCommand(), tokenCommand(), dnsCommand()])
    svc.addCommand(inheriting(svc, command))
  return svc.addCommand(apiCommand(operations))
}

/** Commands that are added whole take no settings over from the program by themselves. */
function inheriting(parent: Command, command: Command): Command {
  command.copyInheritedSettings(parent)
  for (const child of command.commands) inheriting(command, child)
  return command
}

/** Says what went wrong, in one sentence where it is known. @returns the exit code */
function report(error: unknown): number {
  // Commander has said it already; help and version end here too.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  if (error instanceof OperatorError || error instanceof ApiError) {
    process.stderr.write(`${error.message.replace(/^/gm, 'svc: ')}\n`)
    return error instanceof OperatorError ? error.exitCode : 1
  }
  process.stderr.write(`svc: unexpected: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
  return 1
}
