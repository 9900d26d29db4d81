import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const scripts = fileURLToPath(new URL('../../scripts', import.meta.url))
const found = new Map<string, string>()

/** The path of a program. Installs a missing one as root on Debian; otherwise throws, and prints the command to install it. */
export function ensure(program: string): string {
  const path = found.get(program) ?? find(program)
  found.set(program, path)
  return path
}

/** The path of a version of Node.js in test/nodes. Installs it if it is missing. @param version such as `22` */
export const ensureNode = (version: string): string => printedBy('ensure-node.sh', version)

const find = (program: string): string => printedBy('ensure.sh', program)

const printedBy = (script: string, argument: string): string =>
  execFileSync('bash', [join(scripts, script), argument], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim()
