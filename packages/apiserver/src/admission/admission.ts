import type { GroupVersionKind, GroupVersionResource, Unstructured } from "@kubewright/apimachinery";
import type { ReadonlyObject } from "../registry/resource.ts";
import type { UserInfo } from "../registry/strategy.ts";

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
  /** The object as it is to become; mutating plugins may change it in place. Absent on DELETE. */
  readonly object: Unstructured | undefined;
  readonly oldObject: ReadonlyObject | undefined;
  /** The options object, such as `{ kind: "CreateOptions", … }`. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly dryRun: boolean;
  readonly user: UserInfo;
  warn(text: string): void;
}

/**
 * A step of admission. A refusal is thrown, as a StatusError.
 *
 * @see apiserver pkg/admission Interface, MutationInterface, ValidationInterface
 */
export interface AdmissionPlugin {
  readonly name: string;
  handles(operation: AdmissionOperation): boolean;
  /** May change the object. */
  admit?(attributes: AdmissionAttributes): Promise<void> | void;
  /** Sees the object as it will be stored. */
  validate?(attributes: AdmissionAttributes): Promise<void> | void;
}

/** Plugins in order: all of them admit, and later all of them validate. @see apiserver pkg/admission chainAdmissionHandler */
export class AdmissionChain {
  readonly #plugins: readonly AdmissionPlugin[];

  constructor(plugins: readonly AdmissionPlugin[]) {
    this.#plugins = plugins;
  }

  async admit(attributes: AdmissionAttributes): Promise<void> {
    for (const plugin of this.#plugins)
      if (plugin.admit && plugin.handles(attributes.operation)) await plugin.admit(attributes);
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    for (const plugin of this.#plugins)
      if (plugin.validate && plugin.handles(attributes.operation)) await plugin.validate(attributes);
  }
}
