import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const script = fileURLToPath(new URL('../../scripts/ensure.sh', import.meta.url))

/** The path of a program. Installs a missing one as root on Debian; otherwise throws, and prints the command to install it. */
export function ensure(program: string): string {
  const found = execFileSync('bash', [script, program], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
  return found.trim()
}
