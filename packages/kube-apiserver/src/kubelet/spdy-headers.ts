import { constants, createInflate } from "node:zlib";

/** Thrown if input violates the protocol or exceeds its limits. It ends the connection. */
export class SpdyError extends Error {
  override readonly name = "SpdyError";
}

const words =
  "options,head,post,put,delete,trace,accept,accept-charset,accept-encoding,accept-language,accept-ranges,age,allow,authorization,cache-control,connection,content-base,content-encoding,content-language,content-length,content-location,content-md5,content-range,content-type,date,etag,expect,expires,from,host,if-match,if-modified-since,if-none-match,if-range,if-unmodified-since,last-modified,location,max-forwards,pragma,proxy-authenticate,proxy-authorization,range,referer,retry-after,server,te,trailer,transfer-encoding,upgrade,user-agent,vary,via,warning,www-authenticate,method,get,status,200 OK,version,HTTP/1.1,url,public,set-cookie,keep-alive,origin";
const phrases =
  "100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden404 Not Found500 Internal Server Error501 Not Implemented503 Service UnavailableJan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMTchunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain,text/javascript,publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0.";

/** The dictionary with which both sides compress headers. @see SPDY Protocol, Draft 3.1, section 2.6.10.1 */
export const headerDictionary: Buffer = Buffer.concat([
  ...words.split(",").map((word) => Buffer.concat([uint32(word.length), Buffer.from(word)])),
  Buffer.from(phrases),
]);

/** Encodes a number as four bytes, in the byte order of SPDY. */
export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Maximum size of the headers of one frame after decompression, in bytes. */
const maxBytes = 16 * 1_024;
const maxHeaders = 100;

/**
 * Decompresses the headers on a connection. All headers on a connection share one compression context, so they must be
 * read in the order in which they arrive.
 */
export class HeaderReader {
  readonly #inflate = createInflate({ dictionary: headerDictionary, flush: constants.Z_SYNC_FLUSH });
  readonly #pieces: Buffer[] = [];
  #bytes = 0;
  #fail: (error: Error) => void = () => {};

  constructor() {
    this.#inflate.on("error", (error) => this.#fail(new SpdyError(`headers: ${error.message}`)));
    this.#inflate.on("data", (piece: Buffer) => {
      this.#bytes += piece.length;
      this.#pieces.push(piece);
      if (this.#bytes <= maxBytes) return;
      this.#inflate.destroy(); // the rest is not decompressed
      this.#fail(new SpdyError(`headers are larger than ${maxBytes} bytes`));
    });
  }

  /**
   * Decompresses and parses headers. @throws {SpdyError} if they are not valid or too large. After an error, nothing more can
   * be read
   */
  async read(compressed: Buffer): Promise<ReadonlyMap<string, string>> {
    await new Promise<void>((resolve, reject) => {
      this.#fail = reject;
      this.#inflate.write(compressed, (error) => (error ? reject(error) : resolve()));
    });
    const block = Buffer.concat(this.#pieces.splice(0));
    this.#bytes = 0;
    return parsed(block);
  }

  end(): void {
    this.#fail = () => {};
    this.#inflate.destroy();
  }
}

function parsed(block: Buffer): ReadonlyMap<string, string> {
  let at = 0;
  const number = (): number => {
    if (at + 4 > block.length) throw new SpdyError("headers: incomplete");
    at += 4;
    return block.readUInt32BE(at - 4);
  };
  const string = (): string => {
    const length = number();
    if (length > block.length - at) throw new SpdyError("headers: incomplete");
    at += length;
    return block.toString("latin1", at - length, at);
  };
  const count = number();
  if (count > maxHeaders) throw new SpdyError(`the frame contains more than ${maxHeaders} headers`);
  const headers = new Map<string, string>();
  for (let i = 0; i < count; i++) headers.set(string().toLowerCase(), string());
  if (at !== block.length) throw new SpdyError("headers: unexpected data after the last header");
  return headers;
}

/** Beginning of compressed data with the dictionary. */
const zlibHead = Buffer.from([0x78, 0xbb, 0xe3, 0xc6, 0xa7, 0xc2]);
/**
 * An uncompressed block with the number of headers, which is 0, followed by an empty block, which makes the other side decompress
 * everything before it.
 */
const zeroCount = Buffer.from([0, 4, 0, 0xfb, 0xff, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]);

/**
 * Returns an empty set of headers in compressed form, which the server sends in all frames with headers.
 *
 * @param isFirst true for the first such frame on a connection
 */
export const noHeaders = (isFirst: boolean): Buffer => (isFirst ? Buffer.concat([zlibHead, zeroCount]) : zeroCount);
