/** Whether a host in the form of a URL is this machine. */
export const isLocalHost = (host: string): boolean => /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(host)
