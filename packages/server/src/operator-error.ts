/**
 * What the operator can put right: printed as it is, without a stack.
 * `exitCode` is 2 where the command or the configuration is wrong, 1 where what it met is.
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
