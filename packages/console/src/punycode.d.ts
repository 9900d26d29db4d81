/** The module for bundlers. `punycode` itself is a deprecated module of Node. */
declare module 'punycode/punycode.es6.js' {
  export function toASCII(name: string): string
  export function toUnicode(name: string): string
}
