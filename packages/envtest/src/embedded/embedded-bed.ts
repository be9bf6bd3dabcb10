import type { Clock } from "@kubewright/clock";
import { ApiServer } from "@kubewright/kube-apiserver";
import type { Logger } from "@kubewright/log";
import { boundToken } from "../bed/bound-token.ts";
import type { Faults } from "../bed/faults.ts";
import type { Account, TestBed, TestConnection, TestUser } from "../bed/test-bed.ts";
import { EmbeddedFaults } from "./embedded-faults.ts";

export interface EmbeddedBedOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly authorization: "RBAC" | "AlwaysAllow";
  readonly serviceAccountAdmission: boolean;
  /** True to open no port. */
  readonly inProcess: boolean;
}

/** A test bed with the embedded API server, which runs in this process. */
export class EmbeddedBed implements TestBed {
  readonly name = "embedded";
  readonly faults: Faults;
  readonly #server: ApiServer;
  readonly #clock: Clock;

  private constructor(server: ApiServer, clock: Clock) {
    this.#server = server;
    this.#clock = clock;
    this.faults = new EmbeddedFaults(server);
  }

  static async start(options: EmbeddedBedOptions): Promise<EmbeddedBed> {
    const { clock, logger, authorization, serviceAccountAdmission, inProcess } = options;
    // As in upstream's envtest, the plugin is disabled by default, because no controller creates the default service
    // accounts.
    const disableAdmissionPlugins = serviceAccountAdmission ? [] : ["ServiceAccount"];
    const server = await ApiServer.start({
      clock,
      logger,
      authorization: [authorization],
      disableAdmissionPlugins,
      listen: !inProcess,
    });
    return new EmbeddedBed(server, clock);
  }

  async connectionFor({ name, groups = [] }: TestUser): Promise<TestConnection> {
    this.#server.addUser({ name, groups });
    const connection = this.#server.connection(name);
    return { ...connection, caData: connection.caData ?? "" };
  }

  accountToken(account: Account, expiresInSeconds: number): Promise<string> {
    return boundToken(this.#server.serviceAccountTokens, account, this.#clock.now(), expiresInSeconds);
  }

  async restart(): Promise<void> {
    await this.#server.restart();
  }

  async compact(): Promise<void> {
    await this.#server.compact();
  }

  async stop(): Promise<void> {
    await this.#server.stop();
  }
}
