import type { Clock } from "@kubewright/clock";
import { ApiServer } from "@kubewright/kube-apiserver";
import type { Logger } from "@kubewright/log";
import { boundToken } from "../bed/bound-token.ts";
import type { Faults } from "../bed/faults.ts";
import type {
  Account,
  InProcessRequest,
  InProcessResponse,
  TestBed,
  TestConnection,
  TestUser,
} from "../bed/test-bed.ts";
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
  readonly #isInProcess: boolean;

  private constructor(server: ApiServer, { clock, inProcess }: EmbeddedBedOptions) {
    this.#server = server;
    this.#clock = clock;
    this.#isInProcess = inProcess;
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
    return new EmbeddedBed(server, options);
  }

  async connectionFor({ name, groups = [] }: TestUser): Promise<TestConnection> {
    if (this.#isInProcess) {
      const user = { name, groups };
      // As with a client certificate, the user needs no credentials. A copy of these settings with a token is the token's user.
      const handle = (request: InProcessRequest): Promise<InProcessResponse> =>
        this.#server.handle(request, hasCredentials(request) ? undefined : user);
      return { server: this.#server.url, caData: "", handle };
    }
    const { certData, keyData } = this.#server.addUser({ name, groups });
    return { server: this.#server.url, caData: this.#server.caData, certData, keyData };
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

const hasCredentials = ({ headers }: InProcessRequest): boolean =>
  Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
