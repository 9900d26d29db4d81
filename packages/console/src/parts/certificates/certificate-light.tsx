import { Badge } from '@mantine/core'
import { levelOf, stateText, type Certificate, type Level } from './state.js'

const colors: Readonly<Record<Level, string>> = {
  failed: 'red',
  ending: 'red',
  late: 'orange',
  waiting: 'orange',
  ordering: 'blue',
  valid: 'teal',
}

interface Props {
  readonly certificate: Certificate
  /** Instead of the state of the certificate. */
  readonly text?: string
}

/** The state of a certificate as a light with words. */
export const CertificateLight = ({ certificate, text = stateText(certificate) }: Props) => (
  <Badge variant="dot" color={colors[levelOf(certificate)]}>
    {text}
  </Badge>
)
