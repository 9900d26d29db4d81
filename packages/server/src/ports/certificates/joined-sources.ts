import type { CertificateSource } from './port.js'

/** Several sources as one. The first one that has a name wins: the operator's own files before what svc orders. */
export const joinedSources = (sources: readonly CertificateSource[]): CertificateSource => ({
  find: (name) => {
    for (const source of sources) {
      const found = source.find(name)
      if (found !== undefined) return found
    }
    return undefined
  },
  all: () => sources.flatMap((source) => [...source.all()]),
  onChange: (listener) => {
    const ends = sources.map((source) => source.onChange(listener))
    return () => {
      for (const end of ends) end()
    }
  },
})
