import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const script = fileURLToPath(new URL('../../scripts/ensure.sh', import.meta.url))

/** The path of a program the tests need; installs it where it can (root, Debian) and fails, saying how, where it cannot. */
export function ensure(program: string): string {
  const found = execFileSync('bash', [script, program], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
  return found.trim()
}
