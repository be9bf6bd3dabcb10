import { fileURLToPath } from "node:url";
import { Client } from "@kubewright/client";
import { ClusterRole, ClusterRoleBinding, Deployment, Namespace, Secret } from "@kubewright/client/kinds";
import { type RunningControllers, startControllers } from "@kubewright/controller-manager";
import { Environment } from "@kubewright/envtest";
import type { OperatorOptions } from "sdewan-operator";
import { Cnf, type CnfOptions, cnfDeployment } from "./cnf.ts";
import { RunningOperator } from "./operator.ts";
import { SimulatedCnfs } from "./simulated-cnfs.ts";

const crds = fileURLToPath(new URL("../../../apps/sdewan-operator/config/crd/bases", import.meta.url));
/** Nobody else's password: a test looks for it where it must not be. */
export const cnfPassword = "pass-of-the-cnf-4711";

/** Gathers changes for a shorter time than usual, where a test makes them one by one. */
export const impatient = { settleMs: 50, longestSettleMs: 200 };

export type TestBedOptions = Omit<OperatorOptions, "connection" | "logger">;

/** Who the API server knows the bed's programs as. Default: both are its administrator. */
export interface BedUsers {
  readonly operator?: string;
  readonly controllers?: string;
}

/**
 * A control plane with the operator and simulated CNFs, all in this process but for the API server where KUBEBUILDER_ASSETS names
 * a real one.
 */
export class TestBed {
  readonly env: Environment;
  readonly client: Client;
  readonly cnfs: SimulatedCnfs;
  readonly controllers: RunningControllers;
  /** What the operators of this bed have logged. */
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

  /** Ends everything. @throws what ended the operator or the controllers before, or what a CNF should not have been sent */
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

  /** A new namespace, with the account of its CNFs. */
  async namespace(): Promise<string> {
    this.#namespaces += 1;
    const namespace = `e2e-${this.#namespaces}`;
    await this.client.create(Namespace, { metadata: { name: namespace } });
    const stringData = { password: cnfPassword };
    await this.client.create(Secret, { metadata: { name: "cnf-account", namespace }, type: "Opaque", stringData });
    return namespace;
  }

  /** A CNF that is not there yet, in a namespace and with a purpose of its own unless told otherwise. */
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

  /** The same, deployed and available. */
  async createCnf(options: Partial<CnfOptions> & Pick<CnfOptions, "quirks">): Promise<Cnf> {
    const { cnf, deploy } = await this.planCnf(options);
    await deploy();
    return cnf;
  }
}

/** By RBAC, and not as members of a group that webhooks let pass. */
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
