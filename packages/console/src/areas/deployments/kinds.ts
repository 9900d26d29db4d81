import { IconForms, IconLink, IconWebhook } from '@tabler/icons-react'
import type { DeploymentKind, redirectStatuses } from '@svc/contract'
import type { ComponentType, CSSProperties } from 'react'

interface KindText {
  /** "Short link" */
  readonly label: string
  /** "short link" */
  readonly noun: string
  readonly plural: string
  readonly icon: ComponentType<{ size?: number | string; stroke?: number | string; style?: CSSProperties }>
  /** What it is for, and what happens with it. */
  readonly purpose: string
}

/** The words and the icon of each kind of deployment. */
export const kinds: Readonly<Record<DeploymentKind, KindText>> = {
  form: {
    label: 'Form',
    noun: 'form',
    plural: 'Forms',
    icon: IconForms,
    purpose: 'Stores the submissions of a form on a static page. You read them here, or download them as CSV.',
  },
  webhook: {
    label: 'Webhook',
    noun: 'webhook',
    plural: 'Webhooks',
    icon: IconWebhook,
    purpose:
      'Keeps every request for you to inspect, and forwards it to your server: signed, and again if your server fails.',
  },
  shortlink: {
    label: 'Short link',
    noun: 'short link',
    plural: 'Short links',
    icon: IconLink,
    purpose:
      'Redirects to another URL and counts its uses. It has a QR code, and can expire at a time or after a number of uses.',
  },
}

/** What each status of a redirect means for the uses of a short link. */
export const statusLabels: Readonly<Record<(typeof redirectStatuses)[number], string>> = {
  302: 'Temporary (302): every use is counted',
  301: 'Permanent (301): browsers remember it for a day',
}
