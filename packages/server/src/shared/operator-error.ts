/**
 * An error that the operator can fix: its message is printed without a stack.
 * `exitCode` is 2 for a wrong command or setting, 1 for any other failure.
 */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'

  constructor(
    message: string,
    readonly exitCode: 1 | 2 = 1,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}
