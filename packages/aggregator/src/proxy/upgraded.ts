import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

/** An extension server that switched to the protocol requested by a client. */
export class Upgraded {
  readonly answer: IncomingMessage;
  readonly connection: Duplex;
  /** Data in the new protocol that arrived with the response. */
  readonly head: Buffer;

  constructor(answer: IncomingMessage, connection: Duplex, head: Buffer) {
    this.answer = answer;
    this.connection = connection;
    this.head = head;
  }
}
