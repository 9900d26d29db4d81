import { createSocket } from 'node:dgram'

/** The baseline of a nameserver in Node.js: sends each query back, marked as a response. */

const socket = createSocket({
  type: 'udp4',
  recvBufferSize: 1 << 20,
  sendBufferSize: 1 << 20,
  // The destination is already an IP address: skip the look-up.
  lookup: (address, _options, done) => {
    done(null, address, 4)
  },
})
socket.on('message', (message, { port, address }) => {
  message.writeUInt8(message.readUInt8(2) | 0x80, 2)
  socket.send(message, port, address)
})
socket.bind(0, '127.0.0.1', () => {
  console.log(`udp://127.0.0.1:${socket.address().port}`)
})
