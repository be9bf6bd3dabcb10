import { fileURLToPath } from "node:url";
import { Client } from "@kubewright/client";
import { ClusterRole, ClusterRoleBinding, Deployment, Namespace, Secret } from "@kubewright/client/kinds";
import { type RunningControllers, startControllers } from "@kubewright/controller-manager";
import { Environment } from "@kubewright/envtest";
import type { OperatorOptions } from "sdewan-operator";
import { Cnf } from "./cnf.ts";
import { type CnfOptions, cnfDeployment } from "./cnf-deployment.ts";
import { RunningOperator } from "./operator.ts";
import { SimulatedCnfs } from "./simulated-cnfs.ts";

const crds = fileURLToPath(new URL("../../../apps/sdewan-operator/config/crd/bases", import.meta.url));
/** A unique password, so that a test can search for it. */
export const cnfPassword = "pass-of-the-cnf-4711";

/** Shorter waits for tests that make changes one by one. */
export const impatient = { settleMs: 50, maxSettleMs: 200 };

export type TestBedOptions = Omit<OperatorOptions, "connection" | "logger">;

/** The users of the bed's programs on the API server. Default: both are its administrator. */
export interface BedUsers {
  readonly operator?: string;
  readonly controllers?: string;
}

/** A control plane with the operator and simulated CNFs, all in this process except the real API server if KUBEBUILDER_ASSETS is set. */
export class TestBed {
  readonly env: Environment;
  readonly client: Client;
  readonly cnfs: SimulatedCnfs;
  readonly controllers: RunningControllers;
  /** The log of all operators of this bed. */
  readonly log: string[] = [];
  readonly #options: TestBedOptions;
  readonly #users: BedUsers;
  #operator: RunningOperator | undefined;
  #namespaces = 0;

  private constructor(
    env: Environment,
    cnfs: SimulatedCnfs,
    controllers: RunningControllers,
    options: TestBedOptions,
    users: BedUsers,
  ) {
    this.env = env;
    this.cnfs = cnfs;
    this.controllers = controllers;
    this.client = new Client({ connection: env.connection(), fieldOwner: "e2e" });
    this.#options = options;
    this.#users = users;
    this.startOperator();
  }

  static async start(options: TestBedOptions = {}, users: BedUsers = {}): Promise<TestBed> {
    const env = await Environment.start({ crds: [crds], errorIfCrdPathMissing: true });
    try {
      const names = [...new Set(Object.values(users))];
      for (const name of names) await env.addUser({ name });
      if (names.length > 0) await letDoEverything(env, names);
      const cnfs = new SimulatedCnfs();
      const connection = env.connection(users.controllers);
      const controllers = await startControllers({ connection, images: cnfs.images });
      return new TestBed(env, cnfs, controllers, options, users);
    } catch (error) {
      await env.stop();
      throw error;
    }
  }

  startOperator(): void {
    this.#operator = new RunningOperator(this.env.connection(this.#users.operator), this.#options, this.log);
  }

  async stopOperator(): Promise<void> {
    await this.#operator?.stop();
    this.#operator = undefined;
  }

  /**
   * Stops everything.
   *
   * @throws the error that ended the operator or the controllers early, or texts that a CNF should not have received
   */
  async stop(): Promise<void> {
    const ends = [() => this.stopOperator(), () => this.controllers.stop(), () => this.client.close()];
    const results: PromiseSettledResult<void>[] = [];
    for (const end of ends) results.push(...(await Promise.allSettled([end()])));
    await this.env.stop();
    for (const result of results) if (result.status === "rejected") throw result.reason;
    await this.controllers.ended;
    const { unsafeTexts } = this.cnfs;
    if (unsafeTexts.length > 0) throw new Error(`a shell of a CNF would have run ${JSON.stringify(unsafeTexts)}`);
  }

  /** Creates a namespace with the account of its CNFs. */
  async namespace(): Promise<string> {
    this.#namespaces += 1;
    const namespace = `e2e-${this.#namespaces}`;
    await this.client.create(Namespace, { metadata: { name: namespace } });
    const stringData = { password: cnfPassword };
    await this.client.create(Secret, { metadata: { name: "cnf-account", namespace }, type: "Opaque", stringData });
    return namespace;
  }

  /** Prepares a CNF without creating it, by default in its own namespace and with its own purpose. */
  async planCnf(
    options: Partial<CnfOptions> & Pick<CnfOptions, "quirks">,
  ): Promise<{ cnf: Cnf; deploy(): Promise<void> }> {
    const namespace = options.namespace ?? (await this.namespace());
    const whole = { namespace, purpose: `purpose-of-${namespace}`, ...options };
    const cnf = new Cnf(this, whole);
    const deploy = async (): Promise<void> => {
      await this.client.create(Deployment, cnfDeployment(whole));
      await cnf.available();
    };
    return { cnf, deploy };
  }

  /** Creates a CNF and waits until it is available. */
  async createCnf(options: Partial<CnfOptions> & Pick<CnfOptions, "quirks">): Promise<Cnf> {
    const { cnf, deploy } = await this.planCnf(options);
    await deploy();
    return cnf;
  }
}

/** Grants permissions by RBAC, not by membership in a group that webhooks exempt. */
async function letDoEverything(env: Environment, names: readonly string[]): Promise<void> {
  await using client = new Client({ connection: env.connection() });
  const rules = [
    { apiGroups: ["*"], resources: ["*"], verbs: ["*"] },
    { nonResourceURLs: ["*"], verbs: ["*"] },
  ];
  const [apiGroup, kind] = ["rbac.authorization.k8s.io", "ClusterRole"];
  await client.create(ClusterRole, { metadata: { name: "e2e-everything" }, rules });
  await client.create(ClusterRoleBinding, {
    metadata: { name: "e2e-everything" },
    roleRef: { apiGroup, kind, name: "e2e-everything" },
    subjects: names.map((name) => ({ apiGroup, kind: "User", name })),
  });
}
