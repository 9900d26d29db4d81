import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** A command as a process gets it. */
export interface Task {
  readonly args: readonly string[]
  readonly cwd: string
  /** The whole environment. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: string | Uint8Array
}

interface Report {
  readonly code: number
  readonly stdout: Uint8Array
  readonly stderr: Uint8Array
  /** Whether the process can run another command. */
  readonly isReusable: boolean
}

const idle: ChildProcess[] = []

/**
 * Runs a command in a process that has run others: the start of a process takes much longer than most commands. Two commands at
 * the same time have two processes. A process whose command has left a socket, a timer or a thread is not used again. A log that a
 * command writes is not part of its output here.
 */
export async function runWarm(task: Task): Promise<Report> {
  const host = idle.pop() ?? startHost()
  const over = new AbortController()
  const ended = once(host, 'exit', over).then(([code, signal]) => {
    throw new Error(`The process of svc ${task.args.join(' ')} ended with ${String(code ?? signal)}.`)
  })
  const reported = once(host, 'message', over)
  host.send(task)
  try {
    const [report] = (await Promise.race([reported, ended])) as [Report]
    if (report.isReusable) idle.push(host)
    return report
  } finally {
    over.abort()
  }
}

function startHost(): ChildProcess {
  const script = fileURLToPath(new URL('svc-many-commands.js', import.meta.url))
  const host = fork(script, { execArgv: [], serialization: 'advanced', stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  // Its end is the end of this process, which it does not keep running.
  host.unref()
  host.channel?.unref()
  return host
}
