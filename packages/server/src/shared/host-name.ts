const hostName = /^(?!.*\.\d+$)(?!\d+$)[a-z\d]([a-z\d-]{0,61}[a-z\d])?(\.[a-z\d]([a-z\d-]{0,61}[a-z\d])?)*$/i

/** Whether a text is a host name with at least two labels. */
export const isQualifiedHostName = (text: string): boolean => text.includes('.') && isHostName(text)

/** Whether a text is a host name (RFC 1123, section 2.1) and not an IP address. */
export const isHostName = (text: string): boolean => text.length <= 253 && hostName.test(text)
