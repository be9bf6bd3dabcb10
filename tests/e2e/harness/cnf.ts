import { keyOf, type ObjectKey } from "@kubewright/apimachinery";
import { Deployment, Pod } from "@kubewright/client/kinds";
import type { CnfSimulator } from "@kubewright/openwrt/testing";
import { expect } from "vitest";
import type { CnfOptions } from "./cnf-deployment.ts";
import { eventually } from "./eventually.ts";
import { expectReady, fieldsOf } from "./fields-of.ts";
import { type RuleKindName, type RuleObject, ruleKind, type Spec } from "./rules.ts";
import type { TestBed } from "./test-bed.ts";

/** A CNF of the test bed and its rules. */
export class Cnf {
  readonly #bed: TestBed;
  readonly #options: CnfOptions;

  constructor(bed: TestBed, options: CnfOptions) {
    this.#bed = bed;
    this.#options = options;
  }

  get purpose(): string {
    return this.#options.purpose;
  }

  get namespace(): string {
    return this.#options.namespace;
  }

  get deployment(): ObjectKey {
    return `${this.namespace}/${this.#options.name ?? "cnf"}`;
  }

  /** Resolves once exactly that many pods exist and are available, each with a CNF. */
  async available(replicas = this.#options.replicas ?? 1): Promise<void> {
    await eventually(async () => {
      const { metadata, status } = await this.#bed.client.get(Deployment, this.deployment);
      expect(status?.observedGeneration).toBe(metadata.generation);
      expect(status?.availableReplicas ?? 0).toBe(replicas);
      expect(status?.updatedReplicas ?? 0).toBe(replicas);
      expect((await this.simulators()).length).toBe(replicas);
    }, 60_000);
  }

  /** Returns its pods, by name. */
  async pods(): Promise<readonly Pod[]> {
    const [namespace, name] = this.deployment.split("/");
    const pods = await this.#bed.client.list(Pod, { namespace, labels: { app: name ?? "" } });
    return [...pods].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  }

  /**
   * Returns the CNFs in its pods.
   *
   * @throws {Error} if one is not running
   */
  async simulators(): Promise<readonly CnfSimulator[]> {
    return (await this.pods()).map((pod) => {
      const simulator = this.#bed.cnfs.of(keyOf(pod));
      if (!simulator) throw new Error(`nothing runs in pod ${keyOf(pod)}`);
      return simulator;
    });
  }

  /** Returns the CNF in its only pod. */
  async simulator(): Promise<CnfSimulator> {
    const [simulator, ...others] = await this.simulators();
    if (!simulator || others.length > 0) throw new Error(`${this.deployment} does not have exactly one pod`);
    return simulator;
  }

  /** Creates a rule for it. */
  create(kind: RuleKindName, name: string, spec: Spec, namespace = this.namespace): Promise<RuleObject> {
    const metadata = { name, namespace, labels: { sdewanPurpose: this.purpose } };
    return this.#bed.client.create(ruleKind(kind), { metadata, spec });
  }

  /** Replaces the spec of a rule. */
  async update(kind: RuleKindName, name: string, spec: Spec): Promise<RuleObject> {
    const patch = [{ op: "replace" as const, path: "/spec", value: spec }];
    return this.#bed.client.patch(ruleKind(kind), `${this.namespace}/${name}`, patch, { type: "json" });
  }

  async delete(kind: RuleKindName, name: string, namespace = this.namespace): Promise<void> {
    await this.#bed.client.delete(ruleKind(kind), `${namespace}/${name}`);
  }

  get(kind: RuleKindName, name: string, namespace = this.namespace): Promise<RuleObject> {
    return this.#bed.client.get(ruleKind(kind), `${namespace}/${name}`);
  }

  /** Resolves once the current rule is in sync. */
  inSync(kind: RuleKindName, name: string, namespace = this.namespace): Promise<RuleObject> {
    return eventually(async () => {
      const rule = await this.get(kind, name, namespace);
      const { generation: appliedGeneration, labels } = rule.metadata;
      const status: Record<string, unknown> = { ...fieldsOf(rule.status) };
      delete status.appliedOrder; // only in our own definitions of some kinds
      expect(status).toEqual({
        ...{ state: "In Sync", appliedGeneration, appliedTime: expect.any(String) },
        appliedPurpose: labels?.sdewanPurpose,
      });
      expect(rule.status).toMatchObject({ observedGeneration: appliedGeneration });
      expectReady(rule.status);
      return rule;
    });
  }

  /** Resolves once the rule has this status. A text matches a part of the message. */
  async hasStatus(
    kind: RuleKindName,
    name: string,
    state: string,
    message: string | RegExp,
    namespace = this.namespace,
  ) {
    const expected = typeof message === "string" ? expect.stringContaining(message) : expect.stringMatching(message);
    await eventually(async () => {
      expect((await this.get(kind, name, namespace)).status).toMatchObject({ state, message: expected });
    });
  }

  /** Resolves once the rule is deleted. */
  async gone(kind: RuleKindName, name: string, namespace = this.namespace): Promise<void> {
    await eventually(async () => {
      const rules = await this.#bed.client.list(ruleKind(kind), { namespace });
      expect(rules.filter(({ metadata }) => metadata.name === name)).toEqual([]);
    });
  }
}
