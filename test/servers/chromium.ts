import { chromium, type Browser } from 'playwright-core'
import { ensure } from './ensure.js'

/** A headless Chromium that calls nobody but the pages it is shown. Close it when done. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: ensure('chromium'),
    // The sandbox needs a user who is not root.
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
