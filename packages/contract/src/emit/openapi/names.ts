/** `NotFound` of `not_found`, `DnsZone` of `dns-zone`. */
export const pascal = (name: string) => name.replace(/(?:^|[_-])(\w)/g, (_, letter: string) => letter.toUpperCase())

export const schemaRef = (name: string) => ({ $ref: `#/components/schemas/${name}` })
