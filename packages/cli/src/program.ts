import { Command, CommanderError } from 'commander'
import { ApiError } from '@svc/contract/errors'
import { escapeLines, ignoreStderrErrors, OperatorError, version, writeStderr } from '@svc/server'
import { finishOutput, safeOutput } from './output.js'

/** Runs a command line in the form of `process.argv`. Exit codes: 0 for success, 1 for a failure, 2 for wrong usage. */
export async function runProgram(argv: readonly string[], program: () => Command): Promise<void> {
  // A reader of messages that has left must not stop the command.
  ignoreStderrErrors()
  try {
    refuseUndecoded(argv)
    await program().parseAsync(argv).catch(passPrintedHelp)
    await finishOutput()
  } catch (error) {
    // Exit at once: open handles of a failed command would keep the process running.
    process.exit(report(error))
  }
}

/** Help and the version, which commander has printed, end with an error in commander. */
function passPrintedHelp(error: unknown): void {
  if (!(error instanceof CommanderError && error.exitCode === 0)) throw error
}

/** Rejects arguments with U+FFFD: Node.js replaces invalid UTF-8 by it, and it would be stored. */
function refuseUndecoded(argv: readonly string[]): void {
  if (argv.some((word) => word.includes('\ufffd')))
    throw new OperatorError('An argument is not UTF-8, or contains U+FFFD: pass such a value with --body.', 2)
}

/** `svc` with some of its commands. */
export function programOf(commands: readonly Command[]): Command {
  const svc = new Command('svc')
    .description('A self-hosted Platform API')
    .version(version)
    .showHelpAfterError('(see --help)')
    // Options of svc stand before the command, because an operation may have its own --version.
    .enablePositionalOptions()
  // Commander's exit code for wrong usage is 1, which svc uses for failures.
  svc.exitOverride().configureOutput(safeOutput)
  for (const command of commands) svc.addCommand(inheriting(svc, command))
  return svc
}

/** Copies the settings of the program: commander does not do it for commands that are added as a whole. */
function inheriting(parent: Command, command: Command): Command {
  command.copyInheritedSettings(parent)
  for (const child of command.commands) inheriting(command, child)
  return command
}

/** Prints the error: one sentence for a known one, the stack for others. @returns the exit code */
function report(error: unknown): number {
  // Commander has printed it already.
  if (error instanceof CommanderError) return 2
  if (error instanceof OperatorError || error instanceof ApiError) {
    // Escape first: for a regular expression, a lone carriage return and U+2028 also start a line.
    writeStderr(`${escapeLines(error.message).replace(/^/gm, 'svc: ')}\n`)
    return error instanceof OperatorError ? error.exitCode : 1
  }
  writeStderr(`svc: unexpected: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
  return 1
}
