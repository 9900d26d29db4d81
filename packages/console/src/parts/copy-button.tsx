import { useEffect, useState, type ReactNode } from 'react'
import { copyText } from './copy-text.js'
import { notifyError } from './notify.js'

/** How long a button says that it has copied, in milliseconds. */
const copiedMs = 2_000

interface CopyProps {
  readonly value: string
  readonly children: (state: { readonly copied: boolean; readonly copy: () => void }) => ReactNode
}

/** A button that copies a text, and shows for two seconds that it did. */
export function CopyButton({ value, children }: CopyProps) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return undefined
    const timer = setTimeout(() => setCopied(false), copiedMs)
    return () => clearTimeout(timer)
  }, [copied])
  return children({ copied, copy: () => void copyText(value).then(() => setCopied(true), notifyError) })
}
