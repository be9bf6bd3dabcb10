import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

/** An extension server changed to the protocol that a client asked for. */
export class Upgraded {
  readonly answer: IncomingMessage;
  readonly connection: Duplex;
  /** What of the new protocol came with the answer. */
  readonly head: Buffer;

  constructor(answer: IncomingMessage, connection: Duplex, head: Buffer) {
    this.answer = answer;
    this.connection = connection;
    this.head = head;
  }
}
