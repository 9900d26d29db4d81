import type { Plugin } from 'vite'

/**
 * Adds the style sheet of each Mantine component that is bundled, and of no other: `Button.module.mjs` has the class names of
 * `styles/Button.css`. A component's style sheet follows those of the components that it is made of, because it imports them first.
 * `@mantine/core/styles.css` has those of all components: 37 kB compressed, before the first page is shown.
 */
export function mantineStyles(): Plugin {
  const classNames = /\/@mantine\/core\/esm\/.*\/(\w+)\.module\.mjs$/
  return {
    name: 'mantine-styles',
    transform: {
      filter: { id: classNames },
      handler(code, id) {
        const name = classNames.exec(id)?.[1] ?? ''
        // Another module of the package must not be dropped because its export is a constant.
        return { code: `import '@mantine/core/styles/${name}.css'\n${code}`, map: null }
      },
    },
  }
}
