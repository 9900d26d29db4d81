import { useMemo } from 'react'
import { encode } from 'uqr'
import classes from './messages.module.css'

/** Four modules of white on each side (ISO/IEC 18004). */
const border = 4

/** A text as a QR code. @param label says what it contains */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { path, size } = useMemo(() => {
    const code = encode(text, { border })
    const modules = code.data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
    return { path: modules.join(''), size: code.size }
  }, [text])
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className={classes['code']}
    >
      <path d={path} fill="#000" />
    </svg>
  )
}
