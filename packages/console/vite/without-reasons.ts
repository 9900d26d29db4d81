import type { Plugin } from 'vite'

const text = String.raw`(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")`
const ofField = new RegExp(String.raw`\bopen\(\s*${text}`, 'g')
const ofOperation = new RegExp(String.raw`\bopen: *${text}`, 'g')

/** Leaves out why the contract has chosen an open detail: no page shows it, and the texts take 1.5 kB of the first load. */
export const withoutReasons = (): Plugin => ({
  name: 'without-reasons',
  transform(code, id) {
    if (!/\/contract\/\w+\/areas\//.test(id)) return undefined
    return { code: code.replaceAll(ofField, "open(''").replaceAll(ofOperation, "open: ''"), map: null }
  },
})
