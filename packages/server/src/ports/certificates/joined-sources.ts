import { isExpired, type Certificate, type CertificateSource } from './port.js'

/**
 * Several sources as one. The first one with a valid certificate for a name wins: the operator's own files before what svc orders. Without
 * a valid one, the first expired one is served.
 */
export const joinedSources = (sources: readonly CertificateSource[]): CertificateSource => ({
  find: (name) => {
    let expired: Certificate | undefined
    for (const source of sources) {
      const found = source.find(name)
      if (found !== undefined && !isExpired(found)) return found
      expired ??= found
    }
    return expired
  },
  all: () => sources.flatMap((source) => [...source.all()]),
  onChange: (listener) => {
    const ends = sources.map((source) => source.onChange(listener))
    return () => {
      for (const end of ends) end()
    }
  },
})
