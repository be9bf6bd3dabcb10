import { ApiServer } from "@kubewright/apiserver";
import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import { EmbeddedFaults } from "./embedded-faults.ts";
import type { Faults } from "./faults.ts";
import type { TestBed, TestConnection, TestUser } from "./test-bed.ts";

export interface EmbeddedBedOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly authorization: "RBAC" | "AlwaysAllow";
}

/** The embedded API server, in this process. */
export class EmbeddedBed implements TestBed {
  readonly name = "embedded";
  readonly faults: Faults;
  readonly #server: ApiServer;

  private constructor(server: ApiServer) {
    this.#server = server;
    this.faults = new EmbeddedFaults(server);
  }

  static async start({ clock, logger, authorization }: EmbeddedBedOptions): Promise<EmbeddedBed> {
    return new EmbeddedBed(await ApiServer.start({ clock, logger, authorization: [authorization] }));
  }

  async connectionFor({ name, groups = [] }: TestUser): Promise<TestConnection> {
    const { certData, keyData } = this.#server.addUser({ name, groups });
    return { server: this.#server.url, caData: this.#server.caData, certData, keyData };
  }

  async restart(): Promise<void> {
    await this.#server.restart();
  }

  async stop(): Promise<void> {
    await this.#server.stop();
  }
}
