import type { GroupVersionKind, GroupVersionResource, Unstructured } from "@kubewright/apimachinery";
import type { RequestUser } from "../authentication/user/user-info.ts";
import type { ReadonlyObject } from "../registry/resource.ts";
import { Reinvocation } from "./reinvocation.ts";

/**
 * The operation that a request performs on its object. For requests to a subresource such as `exec`, it is `CONNECT`.
 *
 * @see apiserver pkg/admission Operation
 */
export type AdmissionOperation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** Attributes of a request, as passed to admission plugins. @see apiserver pkg/admission Attributes */
export interface AdmissionAttributes {
  readonly operation: AdmissionOperation;
  readonly resource: GroupVersionResource;
  readonly subresource: string;
  readonly kind: GroupVersionKind;
  readonly namespace: string;
  /** Name of the object; empty if the server will generate it. */
  readonly name: string;
  /** Name in the URL; empty for requests to a collection. */
  readonly urlName?: string | undefined;
  /** The new object, which mutating plugins may change in place. Absent for DELETE. */
  readonly object: Unstructured | undefined;
  readonly oldObject: ReadonlyObject | undefined;
  /** The request's options as an object with a kind, such as `CreateOptions`. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly dryRun: boolean;
  readonly user: RequestUser;
  warn(text: string): void;
  /** Adds an annotation to the request's audit events. */
  annotate?(key: string, value: string): void;
  /** Aborts when the request ends. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * An admission plugin. It may change and validate objects before they are stored, and rejects a request by throwing a
 * `StatusError`.
 *
 * @see apiserver pkg/admission Interface, MutationInterface, ValidationInterface
 */
export interface AdmissionPlugin {
  readonly name: string;
  /** Reports whether the plugin handles an operation. The result for an operation must never change. */
  handles(operation: AdmissionOperation): boolean;
  /** Resources that the plugin handles, as `resource` or `resource.group`, including their subresources. Default: all resources. */
  readonly resources?: readonly string[] | undefined;
  /** Mutating step: may change the object in place. */
  admit?(attributes: AdmissionAttributes, reinvocation: Reinvocation): Promise<void> | void;
  /** Validating step: checks the object in the form in which it will be stored. */
  validate?(attributes: AdmissionAttributes): Promise<void> | void;
}

/**
 * Admission plugins in the order in which they are called. First, all plugins can change the object; then all plugins
 * validate it.
 *
 * @see apiserver pkg/admission chainAdmissionHandler
 */
export class AdmissionChain {
  readonly #plugins: readonly AdmissionPlugin[];
  /**
   * Plugins for each operation and resource. The key is the object that contains the resource's names: all requests for a resource share
   * it.
   */
  readonly #steps: Readonly<Record<AdmissionOperation, WeakMap<GroupVersionResource, Steps>>> = {
    CREATE: new WeakMap(),
    UPDATE: new WeakMap(),
    DELETE: new WeakMap(),
    CONNECT: new WeakMap(),
  };

  constructor(plugins: readonly AdmissionPlugin[]) {
    this.#plugins = plugins;
  }

  /** Runs the mutating pass, and repeats it once if a plugin requests this. @see apiserver pkg/admission reinvoker */
  async admit(attributes: AdmissionAttributes): Promise<void> {
    const { admitting } = this.#stepsOf(attributes);
    const reinvocation = new Reinvocation();
    for (const admit of admitting) {
      const done = admit(attributes, reinvocation);
      if (done) await done;
    }
    if (!reinvocation.isWanted) return;
    reinvocation.begin();
    for (const admit of admitting) await admit(attributes, reinvocation);
  }

  /** Runs the validating pass on the object that will be stored. @throws {StatusError} with which the first plugin rejected the object */
  async validate(attributes: AdmissionAttributes): Promise<void> {
    for (const validate of this.#stepsOf(attributes).validating) {
      const done = validate(attributes);
      if (done) await done;
    }
  }

  /** Returns the plugins for an operation on a resource. They are determined only once. */
  #stepsOf({ operation, resource }: AdmissionAttributes): Steps {
    let steps = this.#steps[operation].get(resource);
    if (!steps) {
      const handling = this.#plugins.filter((plugin) => plugin.handles(operation) && looksAt(plugin, resource));
      steps = {
        admitting: handling.flatMap((plugin) => (plugin.admit ? [plugin.admit.bind(plugin)] : [])),
        validating: handling.flatMap((plugin) => (plugin.validate ? [plugin.validate.bind(plugin)] : [])),
      };
      this.#steps[operation].set(resource, steps);
    }
    return steps;
  }
}

function looksAt({ resources }: AdmissionPlugin, { group, resource }: GroupVersionResource): boolean {
  return resources?.includes(group === "" ? resource : `${resource}.${group}`) ?? true;
}

interface Steps {
  readonly admitting: readonly NonNullable<AdmissionPlugin["admit"]>[];
  readonly validating: readonly NonNullable<AdmissionPlugin["validate"]>[];
}
