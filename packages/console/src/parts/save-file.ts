/** Lets the browser save bytes as a file. */
export function saveFile(bytes: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(bytes)
  link.download = name
  link.click()
  // The browser has taken the bytes when the click returns, or does so in the next tasks.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}
