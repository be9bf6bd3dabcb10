import { connect, createServer, type Server } from "node:net";
import type { ReplicaProcess } from "./replica-process.ts";

/** Works like a Service: passes connections to the ready replicas in turn. */
export class Front {
  readonly #server: Server;
  #next = 0;

  constructor(replicas: () => readonly ReplicaProcess[]) {
    this.#server = createServer((socket) => {
      const ready = replicas().filter(({ takesCalls }) => takesCalls);
      const replica = ready[this.#next++ % ready.length];
      if (!replica?.port) return void socket.destroy();
      replica.calls++;
      const onward = connect(replica.port, "127.0.0.1");
      const end = (): void => {
        socket.destroy();
        onward.destroy();
      };
      socket.on("error", end).on("close", end);
      onward
        .on("error", end)
        .on("close", end)
        .once("close", () => replica.calls--);
      socket.pipe(onward).pipe(socket);
    });
  }

  listen(): Promise<number> {
    return new Promise((resolve) =>
      this.#server.listen(0, "127.0.0.1", () => {
        const address = this.#server.address();
        resolve(typeof address === "object" && address ? address.port : 0);
      }),
    );
  }

  close(): void {
    this.#server.close();
  }
}
