import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const script = fileURLToPath(new URL('../../scripts/ensure.sh', import.meta.url))
const found = new Map<string, string>()

/** The path of a program. Installs a missing one as root on Debian; otherwise throws, and prints the command to install it. */
export function ensure(program: string): string {
  const path = found.get(program) ?? find(program)
  found.set(program, path)
  return path
}

const find = (program: string): string =>
  execFileSync('bash', [script, program], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim()
