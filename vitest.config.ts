import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** Tests see the packages' sources, never a stale build. */
const packages = fileURLToPath(new URL('./packages', import.meta.url))
const alias = [
  { find: /^@svc\/(contract|server|client|cli)$/, replacement: `${packages}/$1/src/index.ts` },
  { find: /^@svc\/contract\/errors$/, replacement: `${packages}/contract/src/errors.ts` },
]

export default defineConfig({
  test: {
    globalSetup: 'test/servers/global-setup.ts',
    projects: [
      {
        resolve: { alias },
        test: {
          name: 'packages',
          include: ['packages/*/{src,test}/**/*.test.ts', '{scripts,test}/**/*.test.ts'],
          testTimeout: 10_000,
          hookTimeout: 30_000,
        },
      },
      {
        resolve: { alias },
        test: {
          name: 'e2e',
          include: ['e2e/**/*.test.ts'],
          exclude: ['e2e/hostile/**'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        resolve: { alias },
        // After all others and one file at a time: some of these measure how long the event loop is held.
        test: {
          name: 'hostile',
          include: ['e2e/hostile/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
    coverage: {
      provider: 'v8',
      reporter: ['text-summary', 'html', 'lcov'],
      // Named, so that a file no test ever loads counts as uncovered.
      include: ['packages/*/src/**/*.{ts,tsx}'],
      exclude: ['**/*.test.ts'],
      thresholds: { 'packages/server/src/areas/*/{*handlers,*rules,*store}.ts': { lines: 100 } },
    },
  },
})
