import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

/** A successful upgrade: the extension server has switched to the protocol that the client requested. */
export class Upgraded {
  readonly answer: IncomingMessage;
  readonly connection: Duplex;
  /** Data in the new protocol that arrived together with the response. */
  readonly head: Buffer;

  constructor(answer: IncomingMessage, connection: Duplex, head: Buffer) {
    this.answer = answer;
    this.connection = connection;
    this.head = head;
  }
}
