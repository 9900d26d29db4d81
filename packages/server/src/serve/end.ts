import { setTimeout as sleep } from 'node:timers/promises'

/** How long to wait for work of libuv's thread pool. */
const poolMs = 300
const lookEveryMs = 10

/** Node.js's names for work in the thread pool: file operations and name look-ups by the system. */
const poolWork = /^(FSReq|GetAddrInfo|GetNameInfo)/

/**
 * Ends the process once everything is closed. exit() waits for every thread of libuv's pool, forever if one is stuck (a hung
 * disk, a name look-up without an answer). Then the process ends itself with a signal.
 * @param code the exit code
 */
export async function endProcess(code: number): Promise<void> {
  const until = performance.now() + poolMs
  while (isPoolBusy() && performance.now() < until) await sleep(lookEveryMs)
  if (!isPoolBusy()) process.exit(code)
  process.kill(process.pid, 'SIGKILL')
  // The first process of a container cannot kill itself.
  process.abort()
}

const isPoolBusy = () => process.getActiveResourcesInfo().some((name) => poolWork.test(name))
