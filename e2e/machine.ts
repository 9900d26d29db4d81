import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { bin } from '../packages/cli/test/svc.js'
import { runWarm } from '../packages/cli/test/warm-svc.js'
import { freePort } from '../test/servers/index.js'

/** A machine of an operator: a folder that takes the place of `/`, and a shell for the commands of the documents. */

export interface Machine {
  readonly url: string
  readonly dnsPort: number
  /** The working directory of the commands. */
  readonly checkout: string
  readonly data: string
  /**
   * Runs a block of commands as pasted into a shell.
   * @param typed what is typed into the terminal; undefined runs the block without a terminal
   * @returns its output. @throws if a command fails
   */
  readonly run: (block: string, typed?: string) => Promise<string>
  /** Kills the server, if it runs. */
  readonly kill: () => Promise<unknown>
}

/**
 * `npx` without the start of npm, and systemd's `start` and `stop`. Commands without a terminal run in a process of `runWarm`, because
 * the start of Node.js and svc takes longer than most of them: bash sends the arguments, the directory, the environment and stdin.
 */
const programs = {
  npx: `shift
if [ -t 0 ]; then exec "$NODE" "$SVC_BIN" "$@"; fi
exec 3<>"/dev/tcp/127.0.0.1/$WARM_PORT"
for given in "$(printf '%s\\0' "$@" | base64 -w0)" "$(base64 -w0 <<<"$PWD")" "$(env -0 | base64 -w0)" "$(base64 -w0)"; do
  echo "$given" >&3
done
read -r code <&3; read -r stdout <&3; read -r stderr <&3
base64 -d <<<"$stdout"; base64 -d <<<"$stderr" >&2
exit "$code"`,
  systemctl: `cd "$ROOT/opt/svc"
if [ "$1" = start ]; then
  set -a; SVC_DATA="$ROOT/var/lib/svc"; [ -r "$ROOT/etc/svc.env" ] && . "$ROOT/etc/svc.env"; set +a
  setsid "$NODE" "$SVC_BIN" serve >>"$ROOT/log" 2>&1 </dev/null & echo $! >"$ROOT/pid"
  until curl -sf -o "$ROOT/ready" "http://127.0.0.1:$SVC_PORT/readyz"; do kill -0 $! || exit 1; sleep 0.05; done
elif [ -f "$ROOT/pid" ]; then
  kill "$(cat "$ROOT/pid")"; tail -f --pid="$(cat "$ROOT/pid")" -s 0.05 /dev/null; rm "$ROOT/pid"
fi`,
}

/** Runs the commands that the program `npx` of a machine sends. */
async function startRunner(): Promise<Server> {
  const runner = createServer((socket) => {
    void runFor(socket).catch((error: unknown) => socket.destroy(error as Error))
    // The shell sees a broken connection, and fails.
    socket.on('error', () => socket.destroy())
  }).listen(0, '127.0.0.1')
  await once(runner, 'listening')
  return runner
}

async function runFor(socket: Socket): Promise<void> {
  const given: Buffer[] = []
  for await (const line of createInterface(socket)) {
    given.push(Buffer.from(line, 'base64'))
    if (given.length === 4) break
  }
  const [args = '', cwd = '', environment = '', stdin = Buffer.alloc(0)] = given
  const listOf = (text: Buffer | string) => String(text).split('\0').slice(0, -1)
  const env = Object.fromEntries(listOf(environment).map((entry) => entry.split(/=([^]*)/, 2) as [string, string]))
  const report = await runWarm({ args: listOf(args), cwd: String(cwd).slice(0, -1), env, stdin })
  const outputs = [report.stdout, report.stderr].map((output) => Buffer.from(output).toString('base64'))
  socket.end(`${[String(report.code), ...outputs].join('\n')}\n`)
}

/**
 * @param root its folder
 * @param prelude a block that every shell of the machine runs first
 * @param replaced texts of the documents, with what takes their place on all machines
 */
export async function createMachine(
  root: string,
  prelude: string,
  replaced: Readonly<Record<string, string>>,
): Promise<Machine> {
  const [port, dnsPort] = [await freePort(), await freePort()]
  const [checkout, data] = [join(root, 'opt/svc'), join(root, 'var/lib/svc')]
  for (const folder of ['bin', 'etc', 'opt/svc', 'var/lib/svc', 'tmp'])
    await mkdir(join(root, folder), { recursive: true })
  for (const [name, script] of Object.entries(programs)) {
    const file = join(root, 'bin', name)
    await writeFile(file, `#!/bin/bash\n${script}\n`)
    await chmod(file, 0o755)
  }
  const substitutions = {
    ...replaced,
    '/opt/svc': checkout,
    '/var/lib/svc': data,
    '/etc/svc.env': join(root, 'etc/svc.env'),
    '/tmp/hello': join(root, 'tmp/hello'),
    'localhost:8080': `localhost:${port}`,
    '127.0.0.1:8080': `127.0.0.1:${port}`,
    '-p 5300': `-p ${dnsPort}`,
  }
  const url = `http://127.0.0.1:${port}`
  const runner = await startRunner()
  const env = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_'))),
    PATH: `${join(root, 'bin')}:${process.env['PATH']}`,
    NODE: process.execPath,
    SVC_BIN: bin,
    ROOT: root,
    WARM_PORT: String((runner.address() as AddressInfo).port),
    // Settings of all its shells. No test uses the internet: the resolver refuses all names.
    SVC_PORT: String(port),
    SVC_DNS_PORT: String(dnsPort),
    SVC_URL: url,
    SVC_RESOLVERS: `127.0.0.1:${dnsPort}`,
    SVC_FX_URL: 'http://127.0.0.1:9/usd.json',
  }

  async function run(block: string, typed?: string): Promise<string> {
    let script = prelude + block
    for (const [shown, replacement] of Object.entries(substitutions)) script = script.replaceAll(shown, replacement)
    const [program = '', ...args] =
      typed === undefined ? ['bash', '-ec', script] : ['script', '-qec', 'bash -ec "$BLOCK"', '/dev/null']
    const child = spawn(program, args, { cwd: checkout, env: { ...env, BLOCK: script } })
    child.stdin.end(typed)
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    const output = stdout + stderr
    if (child.exitCode !== 0) {
      const log = await readFile(join(root, 'log'), 'utf8').catch(() => 'no log')
      throw new Error(`Exit code ${child.exitCode} of:\n${block}\n${output}\n${log.slice(-2000)}`)
    }
    return output
  }
  const kill = async () => {
    await run('[ ! -f "$ROOT/pid" ] || kill -9 "$(cat "$ROOT/pid")"')
    runner.close()
  }
  return { url, dnsPort, checkout, data, run, kill }
}
