import type { GroupVersionKind, GroupVersionResource, Unstructured } from "@kubewright/apimachinery";
import type { UserInfo } from "../authentication/user/user-info.ts";
import type { ReadonlyObject } from "../registry/resource.ts";
import { Reinvocation } from "./reinvocation.ts";

/** What a request does to its object. `CONNECT` is a request to a subresource such as `exec`. @see apiserver pkg/admission Operation */
export type AdmissionOperation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** What a plugin is told of a request. @see apiserver pkg/admission Attributes */
export interface AdmissionAttributes {
  readonly operation: AdmissionOperation;
  readonly resource: GroupVersionResource;
  readonly subresource: string;
  readonly kind: GroupVersionKind;
  readonly namespace: string;
  /** Empty where the server is still to make one up. */
  readonly name: string;
  /** The name in the URL; empty where a collection is written to. */
  readonly urlName?: string;
  /** The object as it is to become; mutating plugins may change it in place. Absent on DELETE. */
  readonly object: Unstructured | undefined;
  readonly oldObject: ReadonlyObject | undefined;
  /** The options object, such as `{ kind: "CreateOptions", … }`. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly dryRun: boolean;
  readonly user: UserInfo;
  warn(text: string): void;
  /** Notes something for the audit log. */
  annotate?(key: string, value: string): void;
  /** Aborts when the request is over. */
  readonly signal?: AbortSignal;
}

/**
 * A step of admission. A refusal is thrown, as a StatusError.
 *
 * @see apiserver pkg/admission Interface, MutationInterface, ValidationInterface
 */
export interface AdmissionPlugin {
  readonly name: string;
  /** Always answers the same. */
  handles(operation: AdmissionOperation): boolean;
  /** What it looks at, as `resource` or `resource.group`, subresources with them. Default: everything. */
  readonly resources?: readonly string[];
  /** May change the object. */
  admit?(attributes: AdmissionAttributes, reinvocation: Reinvocation): Promise<void> | void;
  /** Sees the object as it will be stored. */
  validate?(attributes: AdmissionAttributes): Promise<void> | void;
}

/** Plugins in order: all of them admit, and later all of them validate. @see apiserver pkg/admission chainAdmissionHandler */
export class AdmissionChain {
  readonly #plugins: readonly AdmissionPlugin[];
  /** By the identity of what names a resource: the same for all its requests. */
  readonly #steps: Readonly<Record<AdmissionOperation, WeakMap<GroupVersionResource, Steps>>> = {
    CREATE: new WeakMap(),
    UPDATE: new WeakMap(),
    DELETE: new WeakMap(),
    CONNECT: new WeakMap(),
  };

  constructor(plugins: readonly AdmissionPlugin[]) {
    this.#plugins = plugins;
  }

  /** A second pass follows where a plugin asks for it. @see apiserver pkg/admission reinvoker */
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

  /** Asks each plugin about the object as it will be stored. @throws {StatusError} the first refusal */
  async validate(attributes: AdmissionAttributes): Promise<void> {
    for (const validate of this.#stepsOf(attributes).validating) {
      const done = validate(attributes);
      if (done) await done;
    }
  }

  /** Which plugins handle an operation on a resource is asked once. */
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
