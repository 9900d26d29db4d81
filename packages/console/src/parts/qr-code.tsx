import { useMemo, type Ref } from 'react'
import { encode } from 'uqr'

/** Light modules around the code: readers need four (ISO/IEC 18004). */
const border = 4

/** The modules of a QR code in rows, with its light border; true for a dark one. */
export const modulesOf = (text: string): readonly (readonly boolean[])[] => encode(text, { ecc: 'M', border }).data

interface Props {
  readonly text: string
  /** Says what the code contains. */
  readonly label: string
  /** In pixels. */
  readonly size: number
  readonly ref?: Ref<SVGSVGElement>
}

/** A text as a QR code. Dark on light in both color schemes: many readers refuse an inverted code. */
export function QrCode({ text, label, size, ref }: Props) {
  const modules = useMemo(() => modulesOf(text), [text])
  const dark = modules.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
  return (
    <svg
      ref={ref}
      xmlns="http://www.w3.org/2000/svg"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${modules.length} ${modules.length}`}
      width={size}
      height={size}
      shapeRendering="crispEdges"
    >
      <rect width={modules.length} height={modules.length} fill="#fff" />
      <path d={dark.join('')} fill="#000" />
    </svg>
  )
}
