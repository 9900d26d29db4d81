/** What the machine-readable description reports (specification, section 9.3). */
export const apiVersion = '2.0.0'
