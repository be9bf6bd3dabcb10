import type { GroupVersionKind, GroupVersionResource, Unstructured } from "@kubewright/apimachinery";
import type { AdmissionAttributes, AdmissionOperation } from "../../admission/admission.ts";
import type { RequestUser } from "../../authentication/user/user-info.ts";
import { gvkOfResource, type ReadonlyObject, type ServedResource } from "../../registry/resource.ts";
import type { ApiRequest } from "../request/api-request.ts";

/** Information about the object to admit, supplied by a handler. */
export interface AdmittedParts {
  readonly operation: AdmissionOperation;
  readonly object?: Unstructured | undefined;
  readonly oldObject?: ReadonlyObject | undefined;
  readonly options: Readonly<Record<string, unknown>>;
  readonly dryRun: boolean;
  /** Name of the object. Default: the name in the URL or in the object. */
  readonly name?: string | undefined;
  /** Kind of the object, if the kind of a subresource differs from the kind of its resource. */
  readonly kind?: GroupVersionKind | undefined;
}

/** A request in the form in which admission plugins receive it. */
export class RequestAdmission implements AdmissionAttributes {
  readonly operation: AdmissionOperation;
  readonly resource: GroupVersionResource;
  readonly subresource: string;
  readonly kind: GroupVersionKind;
  readonly namespace: string;
  readonly name: string;
  readonly object: Unstructured | undefined;
  readonly oldObject: ReadonlyObject | undefined;
  readonly options: Readonly<Record<string, unknown>>;
  readonly dryRun: boolean;
  readonly #request: ApiRequest;
  readonly #resource: ServedResource;

  constructor(request: ApiRequest, resource: ServedResource, parts: AdmittedParts) {
    const { info } = request;
    this.#request = request;
    this.#resource = resource;
    this.operation = parts.operation;
    const { gvr, gvk } = namesOf(resource);
    this.resource = gvr;
    this.subresource = info.subresource;
    this.kind = parts.kind ?? gvk;
    this.name = parts.name ?? (info.name || parts.object?.metadata.name || "");
    this.namespace = admissionNamespace(request, resource, this.name);
    this.object = parts.object;
    this.oldObject = parts.oldObject;
    this.options = parts.options;
    this.dryRun = parts.dryRun;
  }

  /** Returns the attributes of the same request with a different object, which is derived from the original one. */
  withObject(object: Unstructured): AdmissionAttributes {
    if (object === this.object && this.name === (this.#request.info.name || object.metadata.name || "")) return this;
    const { operation, options, dryRun, kind, oldObject } = this;
    return new RequestAdmission(this.#request, this.#resource, { operation, object, oldObject, options, dryRun, kind });
  }

  get urlName(): string {
    return this.#request.info.name;
  }

  get user(): RequestUser {
    return this.#request.user;
  }

  get signal(): AbortSignal {
    return this.#request.signal;
  }

  warn(text: string): void {
    this.#request.warnings.add(text);
  }

  annotate(key: string, value: string): void {
    this.#request.annotate(key, value);
  }
}

interface ResourceNames {
  readonly gvr: GroupVersionResource;
  readonly gvk: GroupVersionKind;
}

const names = new WeakMap<ServedResource, ResourceNames>();

/** Returns the names of a resource, in an object that is the same for all requests about the resource. */
function namesOf(resource: ServedResource): ResourceNames {
  let known = names.get(resource);
  if (!known) {
    const { group, version, resource: plural } = resource;
    known = { gvr: { group, version, resource: plural }, gvk: gvkOfResource(resource) };
    names.set(resource, known);
  }
  return known;
}

/** Returns the namespace of a request for admission. A Namespace counts as being in the namespace that it represents. */
function admissionNamespace({ info }: ApiRequest, resource: ServedResource, name: string): string {
  if (resource.scope === "Namespaced") return info.namespace;
  return resource.group === "" && resource.resource === "namespaces" ? info.namespace || name : "";
}
