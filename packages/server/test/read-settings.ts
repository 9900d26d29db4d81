import { readConfig, type Config } from '../src/config/config.js'
import { OperatorError } from '../src/shared/operator-error.js'

/** The configuration of valid settings. */
export const set = (env: Record<string, string>, flags: Record<string, string> = {}): Config =>
  readConfig({ env, flags })

/** The error of invalid settings. */
export function refusal(env: Record<string, string>, flags: Record<string, string> = {}): OperatorError {
  try {
    readConfig({ env, flags })
  } catch (error) {
    if (error instanceof OperatorError) return error
    throw error
  }
  throw new Error('The settings were accepted.')
}
