import type { Browser } from 'playwright-core'
import { ensure } from './ensure.js'

let shared: Promise<Browser> | undefined

/** The Chromium of this test worker, which ends with it: a start takes seconds of CPU time. Close your contexts, not the browser. */
export const sharedChromium = (): Promise<Browser> => (shared ??= launchChromium())

/** Starts Chromium (not its headless shell, which shows no PDF) without a window and without background requests. Close it at the end. */
export async function launchChromium(): Promise<Browser> {
  // Loaded here, because most test files that start servers use no browser: playwright takes half a second of CPU time.
  const { chromium } = await import('playwright-core')
  return chromium.launch({
    executablePath: ensure('chromium'),
    // The sandbox does not work for root.
    chromiumSandbox: process.getuid?.() !== 0,
    args: [
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
