import { userInfo } from 'node:os'

/** Who runs a command of the operator: the user of the operating system, or the one who has called `sudo`. */
export function operatorName(
  env: NodeJS.ProcessEnv = process.env,
  readUser: () => { username: string } = userInfo,
): string {
  const sudoer = env['SUDO_USER']
  if (sudoer !== undefined && sudoer !== '') return sudoer
  try {
    return readUser().username
  } catch (error) {
    // A container may run as a user without an entry in /etc/passwd.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SYSTEM_ERROR') throw error
    return String(process.getuid?.())
  }
}
