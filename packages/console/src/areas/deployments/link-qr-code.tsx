import { Button, Group, Stack } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useRef } from 'react'
import { notifyError } from '../../parts/notify.js'
import { modulesOf, QrCode } from '../../parts/qr-code.js'
import { saveFile } from '../../parts/save-file.js'

/** Pixels of a module in the PNG. */
const scale = 16

/** The QR code of a short link, to show and to download. In a separate chunk. @param name of the files */
export default function LinkQrCode({ url, name }: { readonly url: string; readonly name: string }) {
  const svg = useRef<SVGSVGElement>(null)
  const saveSvg = () => {
    if (svg.current === null) return
    const source = new XMLSerializer().serializeToString(svg.current)
    saveFile(new Blob([source], { type: 'image/svg+xml' }), `${name}.svg`)
  }
  const savePng = () => void pngOf(url).then((png) => saveFile(png, `${name}.png`), notifyError)
  return (
    <Stack gap="sm" align="flex-start">
      <QrCode ref={svg} text={url} label={`QR code of ${url}`} size={240} />
      <Group gap="xs">
        <Button variant="default" size="xs" leftSection={<IconDownload size={16} />} onClick={saveSvg}>
          Download as SVG
        </Button>
        <Button variant="default" size="xs" leftSection={<IconDownload size={16} />} onClick={savePng}>
          Download as PNG
        </Button>
      </Group>
    </Stack>
  )
}

async function pngOf(text: string): Promise<Blob> {
  const modules = modulesOf(text)
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = modules.length * scale
  const context = canvas.getContext('2d')
  if (context === null) throw new Error('This browser cannot draw the image.')
  context.fillStyle = '#fff'
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.fillStyle = '#000'
  modules.forEach((row, y) =>
    row.forEach((isDark, x) => {
      if (isDark) context.fillRect(x * scale, y * scale, scale, scale)
    }),
  )
  const png = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'))
  if (png === null) throw new Error('This browser cannot create the image.')
  return png
}
