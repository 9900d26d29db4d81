import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { escapeLine, OperatorError } from '@svc/server'
import { note } from './output.js'

/** The option that replaces the question of `confirm`. */
export const yesOption = ['--yes', 'do not ask for confirmation; required if stdin is not a terminal'] as const

/**
 * Asks the operator to type a text before something is deleted.
 * @param isGiven whether `--yes` was given: then it does not ask
 * @throws OperatorError if another text is typed, and with exit code 2 if stdin is not a terminal
 */
export async function confirm(expected: string, isGiven: boolean): Promise<void> {
  if (isGiven) return
  if (!process.stdin.isTTY)
    throw new OperatorError('This needs a confirmation, and stdin is not a terminal: repeat the command with --yes.', 2)
  note(`Type ${escapeLine(expected)} to continue:`)
  const lines = createInterface({ input: process.stdin })
  // Ctrl+D closes it without a line.
  const typed = await Promise.race([once(lines, 'line'), once(lines, 'close')])
  lines.close()
  if (String(typed[0] ?? '').trim() !== expected) throw new OperatorError('Not confirmed: nothing was changed.')
}
