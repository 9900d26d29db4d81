import { Command, CommanderError } from 'commander'
import { ApiError, type Operation } from '@svc/contract'
import { escapeLines, OperatorError, version, writeStderr } from '@svc/server'
import { apiCommand } from './api.js'
import { dnsCommand } from './dns-commands.js'
import { safeOutput } from './output.js'
import { serveCommand } from './serve-command.js'
import { tokenCommand } from './token-commands.js'
import { userCommand } from './user-commands.js'

/**
 * Runs one command line, as `process.argv` has it. Exit codes: 0, 1 for what went wrong, 2 for wrong usage.
 * @param operations what `svc api` offers, where that is not what a server has
 */
export async function run(argv: readonly string[], operations?: readonly Operation[]): Promise<void> {
  try {
    refuseUndecoded(argv)
    await program(operations).parseAsync(argv)
  } catch (error) {
    // At once: what a failed command left open must not keep the process.
    process.exit(report(error))
  }
}

/** Refuses arguments with U+FFFD: Node.js replaces invalid UTF-8 by it, and it would be stored. */
function refuseUndecoded(argv: readonly string[]): void {
  if (argv.some((word) => word.includes('\ufffd')))
    throw new OperatorError('An argument is not UTF-8, or holds U+FFFD: give a value that has it with --body.', 2)
}

function program(operations?: readonly Operation[]): Command {
  const svc = new Command('svc')
    .description('One self-hosted Platform API')
    .version(version)
    .showHelpAfterError('(see --help)')
    // Only before the command: an operation may have a --version of its own.
    .enablePositionalOptions()
  // Commander ends wrong usage with 1, which here is for what went wrong.
  svc.exitOverride().configureOutput(safeOutput)
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
    // Escape first: for a regex, a lone carriage return and U+2028 also start a line.
    writeStderr(`${escapeLines(error.message).replace(/^/gm, 'svc: ')}\n`)
    return error instanceof OperatorError ? error.exitCode : 1
  }
  writeStderr(`svc: unexpected: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
  return 1
}
