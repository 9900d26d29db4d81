/** Addresses of this server, as the browser sees them: a reverse proxy may serve it below a path. */

/** Path of the server, without a slash at its end: empty, or the path below which a reverse proxy serves it. */
export const serverPath = new URL('..', document.baseURI).pathname.replace(/\/$/, '')

/** Path of the console, without a slash at its end. */
export const consolePath = `${serverPath}/console`

/** Address of the server, for commands and links that leave the console. */
export const serverUrl = location.origin + serverPath

/** Origin of the content host, which serves files, packages, forms, webhooks and short links. */
export const contentUrl = document.querySelector<HTMLMetaElement>('meta[name="content-origin"]')?.content ?? ''
