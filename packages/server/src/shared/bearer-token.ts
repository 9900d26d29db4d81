const form = /^bearer +(svc_[0-9a-f]{32})$/i

/** The token in an Authorization header; undefined for a header of another form. */
export const bearerToken = (header: string): string | undefined => form.exec(header)?.[1]
