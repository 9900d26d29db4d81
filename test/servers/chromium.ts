import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { ensure } from './ensure.js'

let chromium: Promise<Browser> | undefined
let headlessShell: Promise<Browser> | undefined

/** The Chromium of this test worker, which ends with it: a start takes seconds of CPU time. Close your contexts, not the browser. */
export const sharedChromium = (): Promise<Browser> => (chromium ??= launchChromium())

/**
 * Chromium's headless shell, for tests that open many contexts: a context and its page take 0.75 s of CPU time instead of 1.6. It has
 * the same engine, but no profile and no viewer of PDFs. Shared like `sharedChromium`.
 */
export const sharedHeadlessShell = (): Promise<Browser> =>
  (headlessShell ??= launchChromium({ program: 'chromium-headless-shell' }))

interface ChromiumOptions {
  readonly program?: 'chromium' | 'chromium-headless-shell'
  /** The home directory, whose database of certificates Chromium trusts. */
  readonly home?: string
  /** More flags of the command. */
  readonly flags?: readonly string[]
}

/** Starts Chromium without a window and without background requests. Close it at the end. */
export async function launchChromium({
  program = 'chromium',
  home,
  flags = [],
}: ChromiumOptions = {}): Promise<Browser> {
  // Loaded here, because most test files that start servers use no browser: playwright takes half a second of CPU time.
  const playwright = await import('playwright-core')
  return playwright.chromium.launch({
    executablePath: ensure(program),
    // The sandbox does not work for root.
    chromiumSandbox: process.getuid?.() !== 0,
    ...(home === undefined ? {} : { env: { ...process.env, HOME: home } }),
    args: [
      ...flags,
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--disable-dev-shm-usage',
    ],
  })
}

/** Makes the Chromium of a home directory trust an authority, as a person or an administrator does. @param ca the file of its certificate in PEM */
export function trustAuthority(home: string, ca: string): void {
  const database = join(home, '.pki', 'nssdb')
  mkdirSync(database, { recursive: true })
  const certutil = (...args: readonly string[]) =>
    execFileSync(ensure('certutil'), ['-d', `sql:${database}`, ...args], { stdio: 'pipe' })
  certutil('-N', '--empty-password')
  certutil('-A', '-n', 'test', '-t', 'C,,', '-i', ca)
}
