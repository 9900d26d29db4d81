import { IconCertificate } from '@tabler/icons-react'
import type { ConsoleArea } from '../../parts/area.js'

/** Certificates of zones and of the own domains of sites. */
export const certificatesArea: ConsoleArea = {
  label: 'Certificates',
  icon: IconCertificate,
  path: 'certificates',
  group: 'Names',
  key: 'h',
  pages: [
    { index: true, lazy: async () => ({ Component: (await import('./certificates-page.js')).CertificatesPage }) },
  ],
  commands: [
    { label: 'Get a certificate', path: 'certificates?get', words: 'new order https tls ssl wildcard' },
    {
      label: 'Certificates that need attention',
      path: 'certificates?show=attention',
      words: 'https tls ssl failed renew',
    },
  ],
  finds: { certificate: ([name = '']) => `certificates?q=${name}` },
}
