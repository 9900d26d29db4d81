import { Switch, Textarea } from '@mantine/core'
import { useState } from 'react'
import type { TextProps } from '../../parts/use-submit.js'
import classes from './credentials.module.css'

/** A secret of one or several lines. It has no maximum in the form: the browser would silently cut a pasted key. */
export function SecretInput({ maxLength: _, ...text }: TextProps) {
  const [isVisible, setVisible] = useState(false)
  return (
    <>
      <Textarea
        {...text}
        label="Secret"
        description="A password, a token, or a private key with all its lines."
        required
        autosize
        minRows={1}
        maxRows={8}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        classNames={{ input: `${classes['typed'] ?? ''} ${isVisible ? '' : (classes['masked'] ?? '')}` }}
      />
      <Switch
        label="Show what I type"
        checked={isVisible}
        onChange={(event) => setVisible(event.currentTarget.checked)}
      />
    </>
  )
}
