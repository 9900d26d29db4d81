import { execFileSync } from 'node:child_process'
import { chownSync } from 'node:fs'

/** For servers that refuse to run as root: for root, `user` gets the folder and runs the command. */
export function unprivileged(
  user: string,
  folder: string,
): (command: string[]) => [command: string, ...args: string[]] {
  if (process.getuid?.() !== 0) return ([command = '', ...args]) => [command, ...args]
  const id = (flag: string) => Number(execFileSync('id', [flag, user], { encoding: 'utf8' }))
  chownSync(folder, id('-u'), id('-g'))
  // pdeathsig: the server ends if the test run is killed.
  const prefix = [`--reuid=${user}`, `--regid=${user}`, '--init-groups', '--pdeathsig=INT']
  return (command) => ['setpriv', ...prefix, ...command]
}
