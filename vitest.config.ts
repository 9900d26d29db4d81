import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Tests see the packages' sources, never a stale build. */
const packages = fileURLToPath(new URL('./packages', import.meta.url))
const alias = [
  { find: /^@svc\/(contract|server|client|cli)$/, replacement: `${packages}/$1/src/index.ts` },
  {
    find: /^@svc\/contract\/(errors|group-by|limits|public-name|scopes)$/,
    replacement: `${packages}/contract/src/$1.ts`,
  },
]

/** Files of the hostile suite that measure the delay or the deadline of a flood. Other load would delay it too. */
const timed = ['large-purge', 'nameserver-flood', 'nameserver-packets', 'sign-in-flood'].map(
  (name) => `e2e/hostile/${name}.test.ts`,
)

/** Small files that take half a minute. The default order, largest first, would run them last and alone. */
const slow = [
  // Installs packages for a minute.
  'generated-clients',
  'hostile/key-rotation',
  'hostile/postgres-restarts',
  'hostile/provider-zones',
  'hostile/files-stop-s3',
  'hostile/sync-beside-server',
  'hostile/hung-provider',
  'hostile/unconfirmed-purges',
  'hostile/held-zone',
  'hostile/webhooks-crash',
  'hostile/event-webhooks-crash',
].map((name) => `/e2e/${name}.test.ts`)

/** The default order, larger files first, after the slow files of each project. */
class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isSlow = ({ moduleId }: TestSpecification) => slow.some((path) => moduleId.endsWith(path))
    return [...new Set(sorted.map(({ project }) => project))].flatMap((project) => {
      const own = sorted.filter((file) => file.project === project)
      return [...own.filter(isSlow), ...own.filter((file) => !isSlow(file))]
    })
  }
}

/** `npm run test:long` repeats the random parts of a test hundreds of times. */
const isLong = process.env['SVC_TEST_LONG'] === '1'

/**
 * More than the smallest machine has cores: tests often wait for processes, timers and disks. The long tests keep the cores busy, and
 * each of them would delay the others.
 */
const maxWorkers = isLong ? 2 : 4

/** Milliseconds. */
const hostileTimeout = isLong ? 900_000 : 120_000

/** Files that only the long tests run: their times are those of a machine without other load. */
const long = isLong ? [] : ['e2e/console/speed.test.ts', 'e2e/hostile/certificates-crash.test.ts']

/** Needs the files of a release, which `npm run test:release` writes first. */
const release = process.env['SVC_TEST_RELEASE'] === '1' ? [] : ['e2e/release*.test.ts']

export default defineConfig({
  test: {
    globalSetup: 'test/servers/global-setup.ts',
    sequence: { sequencer: SlowFirst },
    // The projects share their compiled modules, and a second run finds them.
    experimental: { fsModuleCache: true },
    projects: [
      {
        resolve: { alias },
        test: {
          name: 'packages',
          include: ['packages/*/{src,test}/**/*.test.ts', '{scripts,test}/**/*.test.ts'],
          // Limits for a test that hangs. A busy machine needs ten times as long as a quiet one.
          expect: { poll: { timeout: 30_000 } },
          testTimeout: 60_000,
          hookTimeout: 60_000,
          maxWorkers,
          // The files of a worker share their modules: loading them again for each file took a third of the time.
          isolate: false,
          // More memory than in packages/cli/bin/svc.js: collecting garbage took a third of the time of upload tests.
          execArgv: ['--max-semi-space-size=32', '--initial-old-space-size=512'],
        },
      },
      {
        resolve: { alias },
        test: {
          name: 'e2e',
          include: ['e2e/**/*.test.ts'],
          exclude: ['**/node_modules/**', 'e2e/hostile/**', ...long, ...release],
          // Tests in Chromium wait for the CPU. A hook that sets the timeout runs after its tests have read it.
          expect: { poll: { timeout: 30_000 } },
          testTimeout: 180_000,
          hookTimeout: 120_000,
          // Chromium keeps the cores busy with fewer workers.
          maxWorkers: Math.min(maxWorkers, 3),
          isolate: false,
        },
      },
      {
        resolve: { alias },
        // After the others: these starts, stops and floods would disturb tests with short deadlines.
        test: {
          name: 'hostile',
          include: ['e2e/hostile/**/*.test.ts'],
          exclude: [...timed, ...long],
          expect: { poll: { timeout: 30_000 } },
          testTimeout: hostileTimeout,
          hookTimeout: 120_000,
          maxWorkers,
          isolate: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        resolve: { alias },
        // Last, and one file at a time: these measure delays.
        test: {
          name: 'event-loop',
          include: timed,
          expect: { poll: { timeout: 30_000 } },
          testTimeout: hostileTimeout,
          hookTimeout: 120_000,
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
    ],
    coverage: {
      provider: 'custom',
      customProviderModule: './test/area-coverage.js',
      // The files with uncovered lines, if any.
      reporter: ['text-summary', ['text', { skipFull: true }]],
      // Only the code that must be covered: counting all took a fifth of the CPU time. Named, so that a file no test ever
      // loads counts as uncovered.
      include: ['packages/server/src/areas/**/*.ts'],
      exclude: ['**/*.test.ts'],
      thresholds: { lines: 100 },
    },
  },
})
