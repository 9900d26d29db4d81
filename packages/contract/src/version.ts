/** The API version in the machine-readable description (specification, section 9.3). */
export const apiVersion = '2.0.0'
