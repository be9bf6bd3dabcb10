import { fileURLToPath } from "node:url";
import { Client } from "@kubewright/client";
import { Deployment, Namespace, Secret } from "@kubewright/client/kinds";
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
  #operator: RunningOperator | undefined;
  #namespaces = 0;

  private constructor(env: Environment, cnfs: SimulatedCnfs, controllers: RunningControllers, options: TestBedOptions) {
    this.env = env;
    this.cnfs = cnfs;
    this.controllers = controllers;
    this.client = new Client({ connection: env.connection(), fieldOwner: "e2e" });
    this.#options = options;
    this.startOperator();
  }

  static async start(options: TestBedOptions = {}): Promise<TestBed> {
    const env = await Environment.start({ crds: [crds], errorIfCrdPathMissing: true });
    try {
      const cnfs = new SimulatedCnfs();
      const controllers = await startControllers({ connection: env.connection(), images: cnfs.images });
      return new TestBed(env, cnfs, controllers, options);
    } catch (error) {
      await env.stop();
      throw error;
    }
  }

  startOperator(): void {
    this.#operator = new RunningOperator(this.env.connection(), this.#options, this.log);
  }

  async stopOperator(): Promise<void> {
    await this.#operator?.stop();
    this.#operator = undefined;
  }

  /** Ends everything. @throws what ended the operator or the controllers before */
  async stop(): Promise<void> {
    const ends = [() => this.stopOperator(), () => this.controllers.stop(), () => this.client.close()];
    const results: PromiseSettledResult<void>[] = [];
    for (const end of ends) results.push(...(await Promise.allSettled([end()])));
    await this.env.stop();
    for (const result of results) if (result.status === "rejected") throw result.reason;
    await this.controllers.ended;
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
