import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { codeLoader } from './vite/code-loader.js'
import { mantineStyles } from './vite/mantine-styles.js'
import { packageList } from './vite/package-list.js'
import { pageFiles } from './vite/page-files.js'
import { removeOldFiles } from './vite/remove-old-files.js'
import { withoutReasons } from './vite/without-reasons.js'

export default defineConfig({
  // Relative, so that the build works below any path: the server writes a <base> into the page.
  base: './',
  plugins: [react(), codeLoader(), mantineStyles(), withoutReasons(), pageFiles(), packageList(), removeOldFiles()],
  resolve: { alias: [{ find: /^typebox$/, replacement: fileURLToPath(new URL('vite/schemas.ts', import.meta.url)) }] },
  build: {
    emptyOutDir: false,
    // The same browsers as Mantine 9.
    target: ['chrome111', 'edge111', 'firefox128', 'safari16.4'],
    // A data URL in a style sheet would need a wider policy.
    assetsInlineLimit: 0,
    modulePreload: {
      polyfill: false,
      // The loader needs the file of the module too, which Vite leaves out if the module needs no other file.
      resolveDependencies: (file, files, { hostType }) => (hostType === 'js' ? [...new Set([file, ...files])] : files),
    },
    sourcemap: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // Few files: on a slow network, a browser waits longer for one more request than for some kilobytes.
          groups: [
            { name: 'index', test: /\/src\/main\.tsx$/, priority: 3 },
            { name: 'console', test: /\/src\/(?:app\/(?:signed-in|notices)|parts\/row-menu)\.tsx$/, priority: 2 },
            {
              name: 'shared',
              test: /\/src\/parts\/|\/@(?:mantine\/(?:core|hooks)|tabler|tanstack)\/|\/(?:punycode|react-number-format)\//,
              minShareCount: 3,
              includeDependenciesRecursively: false,
              priority: 1,
            },
            {
              name: 'icons',
              test: /\/@tabler\//,
              minShareCount: 2,
              includeDependenciesRecursively: false,
              priority: 1,
            },
            // Of the overview, the page Activity, and the notes of changes by others.
            {
              name: 'events',
              test: /\/src\/areas\/activity\/(?:event-(?:sentence|texts|words)|links|sentence)\.tsx?$/,
            },
            // What the overview needs of the other areas, and what the pages of a zone share.
            {
              name: 'summary',
              test: /\/src\/areas\/(?:[\w-]+\/(?:queries|next-step|storage-use|domain-actions)|dns\/record-(?:cells|filter|filter-fields|values))\.tsx?$/,
            },
          ],
        },
      },
    },
  },
})
