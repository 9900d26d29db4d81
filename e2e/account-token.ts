import type { TokenScope } from '@svc/contract'
import { svc, type Place } from '../packages/cli/test/svc.js'

/** Creates an account and a token with the operator's commands. @returns the token's value */
export async function accountToken(place: Place, email: string, scope: TokenScope): Promise<string> {
  await run(place, 'user', 'add', email)
  return run(place, 'token', 'add', email, '--name', 'e2e', '--scope', scope)
}

async function run(place: Place, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await svc(args, place)
  if (code !== 0) throw new Error(`svc ${args.join(' ')} failed: ${stderr}`)
  return stdout.trim()
}
