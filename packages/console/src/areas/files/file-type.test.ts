import { expect, it } from 'vitest'
import { fileType } from './file-type.js'

it.each([
  ['a', 'application/pdf', 'PDF'],
  ['a', 'Application/PDF; version=2', 'PDF'],
  ['a', 'image/png', 'PNG image'],
  ['a', 'image/svg+xml', 'SVG image'],
  ['a', 'image/x-portable-bitmap', 'Image'],
  ['a', 'audio/mpeg', 'MP3 sound'],
  ['a', 'audio/x-wav', 'WAV sound'],
  ['a', 'video/mp4', 'MP4 video'],
  ['a', 'application/zip', 'ZIP archive'],
  ['a', 'application/vnd.rar', 'RAR archive'],
  ['a', 'text/plain; charset=utf-8', 'Text'],
  ['a', 'text/x-python', 'Text'],
  ['setup.exe', 'application/octet-stream', 'EXE file'],
  ['a.sqlite3db', 'application/octet-stream', 'File'],
  ['README', 'application/octet-stream', 'File'],
])('%s of the media type %s is shown as %s', (name, mediaType, shown) => {
  expect(fileType({ name, media_type: mediaType })).toBe(shown)
})
