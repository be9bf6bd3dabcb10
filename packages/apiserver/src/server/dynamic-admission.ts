import type { Clock, Random } from "@kubewright/clock";
import { everything, type Storage, type StoredObject } from "@kubewright/storage";
import type { AdmissionPlugin } from "../admission/admission.ts";
import { matchConditionEvaluator } from "../admission/policy/match-condition-evaluator.ts";
import { mutatingAdmissionPolicy } from "../admission/policy/mutating-policy.ts";
import type { AdmissionPolicy, AdmissionPolicyBinding } from "../admission/policy/policy-types.ts";
import { validatingAdmissionPolicy } from "../admission/policy/validating-policy.ts";
import { WatchedObjects } from "../admission/watched-objects.ts";
import type { WebhookConfiguration } from "../admission/webhook/configuration.ts";
import { mutatingAdmissionWebhook } from "../admission/webhook/mutating-webhooks.ts";
import { validatingAdmissionWebhook } from "../admission/webhook/validating-webhooks.ts";
import { webhookUsersOf } from "../admission/webhook/webhook-users.ts";
import type { Authorizer } from "../authorization/authorizer.ts";
import type { InProcessHandle } from "../http/in-process.ts";
import type { ResolveService } from "../webhook/client-config.ts";
import { serviceResolver } from "../webhook/service-resolver.ts";
import { WebhookClients } from "../webhook/webhook-clients.ts";
import { paramReader } from "./param-reader.ts";
import type { AllServedResources } from "./served-resources.ts";

/** The parts of the server that admission webhooks and policies need. */
export interface DynamicAdmissionParts {
  readonly storage: Storage;
  readonly clock: Clock;
  /** Source of random UIDs for reviews. */
  readonly random: Random;
  readonly served: AllServedResources;
  readonly authorize: Authorizer;
  /** File with the configuration of admission plugins. */
  readonly admissionControlConfigFile?: string | undefined;
  /** Returns the server in this process that serves a host, if there is one. Default: none. */
  readonly inProcess?: ((host: string) => InProcessHandle | undefined) | undefined;
}

const group = "/admissionregistration.k8s.io";

/**
 * The admission plugins configured by stored objects: webhooks and policies. These objects are watched while {@link
 * run} is running.
 */
export class DynamicAdmission {
  readonly plugins: readonly AdmissionPlugin[];
  /** Clients for webhooks. They also call the conversion webhooks of custom resources. */
  readonly clients: WebhookClients;
  /** Resolves a Service to an address. */
  readonly resolveService: ResolveService;
  readonly #followed: readonly WatchedObjects<unknown>[];
  readonly #synced = Promise.withResolvers<void>();

  constructor({
    storage,
    clock,
    random,
    served,
    authorize,
    admissionControlConfigFile,
    inProcess,
  }: DynamicAdmissionParts) {
    const follow = <T>(plural: string, read: (object: unknown) => T): WatchedObjects<T> =>
      new WatchedObjects<T>(storage, `${group}/${plural}/`, read, clock);
    const read = async (key: string): Promise<StoredObject | undefined> => storage.get(key, { ignoreNotFound: true });
    const mutating = follow("mutatingwebhookconfigurations", asConfiguration);
    const validating = follow("validatingwebhookconfigurations", asConfiguration);
    const mutatingPolicies = follow("mutatingadmissionpolicies", asPolicy);
    const mutatingBindings = follow("mutatingadmissionpolicybindings", asBinding);
    const validatingPolicies = follow("validatingadmissionpolicies", asPolicy);
    const validatingBindings = follow("validatingadmissionpolicybindings", asBinding);
    this.#followed = [mutating, validating, mutatingPolicies, mutatingBindings, validatingPolicies, validatingBindings];
    this.resolveService = serviceResolver({
      service: (namespace, name) => read(`/core/services/${namespace}/${name}`),
      endpoints: (namespace, name) => read(`/core/endpoints/${namespace}/${name}`),
      endpointSlices: async (namespace) =>
        (await storage.getList(`/discovery.k8s.io/endpointslices/${namespace}/`, { predicate: everything })).items,
      pods: async (namespace) => (await storage.getList(`/core/pods/${namespace}/`, { predicate: everything })).items,
    });
    this.clients = new WebhookClients({ clock, random, resolveService: this.resolveService, inProcess });
    const namespaces = (name: string): Promise<StoredObject | undefined> => read(`/core/namespaces/${name}`);
    const matchConditions = matchConditionEvaluator(authorize, namespaces);
    const hooks = { served, namespaces, matchConditions, clients: this.clients };
    const users = (plugin: string) => webhookUsersOf(admissionControlConfigFile, plugin);
    const policies = { served, namespaces, authorize, params: paramReader(storage, served) };
    this.plugins = [
      mutatingAdmissionPolicy({
        ...policies,
        policies: () => mutatingPolicies.all,
        bindings: () => mutatingBindings.all,
      }),
      mutatingAdmissionWebhook({
        ...hooks,
        userOf: users("MutatingAdmissionWebhook"),
        configurations: () => mutating.all,
      }),
      validatingAdmissionPolicy({
        ...policies,
        policies: () => validatingPolicies.all,
        bindings: () => validatingBindings.all,
      }),
      validatingAdmissionWebhook({
        ...hooks,
        userOf: users("ValidatingAdmissionWebhook"),
        configurations: () => validating.all,
      }),
    ];
  }

  /** Resolves once the initial configurations are known. */
  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  /** Watches the configurations until the signal aborts, and then closes the connections to webhooks. */
  async run(signal: AbortSignal): Promise<void> {
    let left = this.#followed.length;
    const oneSynced = (): void => {
      if (--left === 0) this.#synced.resolve();
    };
    try {
      await Promise.all(this.#followed.map((objects) => objects.run(signal, once(oneSynced))));
    } finally {
      this.#synced.resolve();
      this.clients.close();
    }
  }
}

const asConfiguration = (object: unknown): WebhookConfiguration => object as WebhookConfiguration;
const asPolicy = (object: unknown): AdmissionPolicy => object as AdmissionPolicy;
const asBinding = (object: unknown): AdmissionPolicyBinding => object as AdmissionPolicyBinding;

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
}
