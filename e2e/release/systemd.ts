import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { output, spawnPiped } from './form.js'

/** A system that runs systemd as its first process. It shares the network of this machine. */
export interface Booted {
  /** Runs a program in it. @returns its output @throws Error unless its exit code is 0 */
  readonly run: (...command: string[]) => Promise<string>
  /** Ends all its processes. */
  readonly stop: () => Promise<void>
}

const devices = ['null', 'zero', 'full', 'random', 'urandom', 'tty']

/** What a container manager prepares for systemd (https://systemd.io/CONTAINER_INTERFACE), in the mount namespace of the system. */
const prepare = `set -e
mount --make-rprivate /
mount --bind "$ROOT" "$ROOT"
cd "$ROOT"
mount -t proc proc proc
mount -t sysfs sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs run
mkdir -p run/lock
mount -t tmpfs -o mode=755 tmpfs dev
for name in ${devices.join(' ')}; do touch dev/$name; mount --bind /dev/$name dev/$name; done
mkdir -p dev/pts dev/shm dev/mqueue
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts dev/pts
mount -t tmpfs -o mode=1777 tmpfs dev/shm
mount -t mqueue mqueue dev/mqueue
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
mkdir -p old
pivot_root . old
umount -l old
container=svc-tests exec /lib/systemd/systemd`

const path = '/usr/sbin:/usr/bin:/sbin:/bin'

/** Starts systemd in a folder with an installed system. Needs root, and a machine that allows namespaces and mounts. */
export async function boot(root: string): Promise<Booted> {
  const namespaces = ['--mount', '--pid', '--fork', '--kill-child', '--cgroup', '--uts', '--ipc']
  const child = spawnPiped('unshare', [...namespaces, 'bash', '-c', prepare], { PATH: path, ROOT: root })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (printed += String(chunk)))
  const closed = once(child, 'close')
  const first = async () => (await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')).trim()
  const runInside = async (...command: string[]) => {
    const enter = ['--target', await first(), '--mount', '--pid', '--ipc', '--uts']
    return String(await output(spawnPiped('nsenter', [...enter, ...command], { PATH: path, LC_ALL: 'C.UTF-8' })))
  }
  for (let state = ''; !/^(?:running|degraded)$/m.test(state);) {
    if (child.exitCode !== null) throw new Error(`systemd has not started: ${printed}`)
    await sleep(200)
    state = await runInside('sh', '-c', 'systemctl is-system-running 2>&1 || true').catch(String)
  }
  return {
    run: runInside,
    stop: async () => {
      child.kill('SIGKILL')
      await closed
    },
  }
}
