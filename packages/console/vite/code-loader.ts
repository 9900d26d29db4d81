import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'

/** Puts `loadCode` in the place of Vite's function around each `import()`, which has the same parameters and loads each file once. */
export function codeLoader(): Plugin {
  const loader = fileURLToPath(new URL('../src/parts/api/load-code.ts', import.meta.url))
  return {
    name: 'code-loader',
    transform: {
      filter: { id: /vite\/preload-helper\.js$/ },
      handler: () => ({ code: `export { loadCode as __vitePreload } from ${JSON.stringify(loader)}`, map: null }),
    },
  }
}
