import type { Kind, KubeObject, NewObjectMeta, Stored, Unstructured } from "@kubewright/apimachinery";
import type { Binding, Eviction, Scale, TokenRequest } from "../kinds/sub-resources.ts";
import type { PatchBody } from "./patch-body.ts";
import type { GetOptions } from "./reader.ts";
import type { Target } from "./target.ts";
import type { PatchOptions, WriteOptions } from "./write-options.ts";

/** The body that a subresource takes and answers. One that is not listed is {@link Unstructured}. */
export interface SubResourceTypes {
  /** `spec.replicas` of workloads. */
  scale: Stored<Scale>;
  /** Of ServiceAccounts: a token for some audiences and time. */
  token: TokenRequest;
  /** Of pods: a deletion that heeds their budgets. */
  eviction: Eviction;
  /** Of pods: onto which node. */
  binding: Binding;
}

/** What the subresource `N` answers. */
export type SubResourceBody<N extends string> = N extends keyof SubResourceTypes ? SubResourceTypes[N] : Unstructured;

/** What a caller sends to the subresource `N`; `apiVersion`, `kind` and the name are filled in where they are known. */
export type SendableBody<N extends string> = N extends keyof SubResourceTypes
  ? Omit<SubResourceTypes[N], keyof KubeObject> & {
      apiVersion?: string | undefined;
      kind?: string | undefined;
      metadata?: NewObjectMeta | undefined;
    }
  : object;

/** One subresource of objects of any kind. @see controller-runtime pkg/client SubResourceClient */
export interface SubResourceWriter<N extends string = string> {
  get(kind: Kind, target: Target, options?: GetOptions): Promise<SubResourceBody<N>>;
  /** The answer as text, as of `log`. `query` holds the subresource's own parameters: `{ container: "web", tailLines: "10" }`. */
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
