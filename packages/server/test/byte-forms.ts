/** Bodies of multipart/form-data with this boundary. */
export const boundary = 'x'

export const formType = `multipart/form-data; boundary=${boundary}`

export const fieldPart = (name: string, value: string): string =>
  `content-disposition: form-data; name="${name}"\r\n\r\n${value}`

export const filePart = (content: string | Buffer, name = 'a.txt', type = 'text/css'): Buffer =>
  Buffer.concat([
    Buffer.from(`Content-Disposition: form-data; name="content"; filename="${name}"\r\nContent-Type: ${type}\r\n\r\n`),
    Buffer.from(content),
  ])

export const formOf = (...parts: readonly (string | Buffer)[]): Buffer =>
  Buffer.concat([
    ...parts.flatMap((part) => [Buffer.from(`--${boundary}\r\n`), Buffer.from(part), Buffer.from('\r\n')]),
    Buffer.from(`--${boundary}--\r\n`),
  ])
