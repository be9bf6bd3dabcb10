import type { Kind, KubeObject, NewObjectMeta, Stored, Unstructured } from "@kubewright/apimachinery";
import type { Binding, Eviction, Scale, TokenRequest } from "../kinds/sub-resources.ts";
import type { PatchBody } from "./patch-body.ts";
import type { GetOptions } from "./reader.ts";
import type { Target } from "./target.ts";
import type { PatchOptions, WriteOptions } from "./write-options.ts";

/** Bodies that subresources accept and return. Subresources that are not listed use {@link Unstructured}. */
export interface SubResourceTypes {
  /** Of workloads: `spec.replicas`. */
  scale: Stored<Scale>;
  /** Of ServiceAccounts: a token with audiences and lifetime. */
  token: TokenRequest;
  /** Of pods: a deletion that respects disruption budgets. */
  eviction: Eviction;
  /** Of pods: the assignment to a node. */
  binding: Binding;
}

/** The body that the subresource `N` returns. */
export type SubResourceBody<N extends string> = N extends keyof SubResourceTypes ? SubResourceTypes[N] : Unstructured;

/** The body that a caller sends to the subresource `N`; `apiVersion`, `kind` and the name are filled in if they are known. */
export type SendableBody<N extends string> = N extends keyof SubResourceTypes
  ? Omit<SubResourceTypes[N], keyof KubeObject> & {
      apiVersion?: string | undefined;
      kind?: string | undefined;
      metadata?: NewObjectMeta | undefined;
    }
  : object;

/** Reads and writes one subresource of objects of any kind. @see controller-runtime pkg/client SubResourceClient */
export interface SubResourceWriter<N extends string = string> {
  get(kind: Kind, target: Target, options?: GetOptions): Promise<SubResourceBody<N>>;
  /**
   * Returns the response as text, for example of `log`. `query` contains the subresource's own parameters:
   * `{ container: "web", tailLines: "10" }`.
   */
  getText(
    kind: Kind,
    target: Target,
    options?: GetOptions & { readonly query?: Readonly<Record<string, string>> | undefined },
  ): Promise<string>;
  create(kind: Kind, target: Target, body: SendableBody<N>, options?: WriteOptions): Promise<SubResourceBody<N>>;
  update(kind: Kind, target: Target, body: SendableBody<N>, options?: WriteOptions): Promise<SubResourceBody<N>>;
  patch(
    kind: Kind,
    target: Target,
    patch: PatchBody<SubResourceBody<N>>,
    options?: PatchOptions,
  ): Promise<SubResourceBody<N>>;
}
