import { OperatorError } from '../shared/operator-error.js'

/**
 * Shows a secret of which only a hash was stored. If it cannot be shown, the change is undone. The change comes first, so that a printed
 * secret is always valid, and the output can name the new id. If the process is killed between the two, the change stays with a secret
 * that is lost: an account gets another password by `svc user password`, and a lost token is useless until it is revoked.
 * @param undone what is true afterwards, as the end of a sentence
 * @throws OperatorError if it could not be shown
 */
export async function showOrUndo(show: () => Promise<void>, undo: () => Promise<void>, undone: string): Promise<void> {
  try {
    await show()
  } catch (error) {
    const { message } = error as Error
    await undo().catch((cause: unknown) => {
      throw new OperatorError(`${message} The change could not be undone: ${(cause as Error).message}`, 1, { cause })
    })
    throw new OperatorError(`${message.replace(/\.$/, '')}; ${undone}.`, 1, { cause: error })
  }
}
