import { Button, Group, Stack } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useMemo, useRef } from 'react'
import { encode } from 'uqr'
import { notifyError } from '../../parts/notify.js'
import { saveFile } from './save-file.js'

/** Light modules around the code: readers need four (ISO/IEC 18004). */
const border = 4
/** Pixels of a module in the PNG. */
const scale = 16

type Matrix = readonly (readonly boolean[])[]

/** A QR code of a text, to show and to download. In a separate chunk. @param name of the files */
export default function QrCode({ text, name }: { readonly text: string; readonly name: string }) {
  const svg = useRef<SVGSVGElement>(null)
  const matrix: Matrix = useMemo(() => encode(text, { ecc: 'M', border }).data, [text])
  const size = matrix.length
  const saveSvg = () => {
    if (svg.current === null) return
    const source = new XMLSerializer().serializeToString(svg.current)
    saveFile(new Blob([source], { type: 'image/svg+xml' }), `${name}.svg`)
  }
  const savePng = () => void pngOf(matrix).then((png) => saveFile(png, `${name}.png`), notifyError)
  return (
    <Stack gap="sm" align="flex-start">
      {/* Dark on light in both color schemes: many readers need it. */}
      <svg
        ref={svg}
        xmlns="http://www.w3.org/2000/svg"
        role="img"
        aria-label={`QR code of ${text}`}
        viewBox={`0 0 ${String(size)} ${String(size)}`}
        width={240}
        height={240}
        shapeRendering="crispEdges"
      >
        <rect width={size} height={size} fill="#fff" />
        <path d={pathOf(matrix)} fill="#000" />
      </svg>
      <Group gap="xs">
        <Button variant="default" size="xs" leftSection={<IconDownload size={16} />} onClick={saveSvg}>
          SVG
        </Button>
        <Button variant="default" size="xs" leftSection={<IconDownload size={16} />} onClick={savePng}>
          PNG
        </Button>
      </Group>
    </Stack>
  )
}

/** The dark modules as one path. */
const pathOf = (matrix: Matrix): string =>
  matrix.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${String(x)} ${String(y)}h1v1h-1z` : ''))).join('')

async function pngOf(matrix: Matrix): Promise<Blob> {
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = matrix.length * scale
  const context = canvas.getContext('2d')
  if (context === null) throw new Error('This browser cannot draw the image.')
  context.fillStyle = '#fff'
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.fillStyle = '#000'
  matrix.forEach((row, y) =>
    row.forEach((isDark, x) => {
      if (isDark) context.fillRect(x * scale, y * scale, scale, scale)
    }),
  )
  const png = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'))
  if (png === null) throw new Error('This browser cannot create the image.')
  return png
}
