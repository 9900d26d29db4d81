import { Readable } from 'node:stream';
/** Contents as a stream, also those in memory. */
export const asStream = (content) => Buffer.isBuffer(content) ? Readable.from(content, { objectMode: false }) : content;
//# sourceMappingURL=as-stream.js.map