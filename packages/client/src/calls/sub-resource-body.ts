import { withIntegersOf } from "@kubewright/apimachinery";
import type { NamedObject } from "../contract/objects.ts";
import type { SubResourceTypes } from "../contract/writer.ts";
import { addressOf } from "./object-calls.ts";

const types: Readonly<Record<keyof SubResourceTypes, { readonly apiVersion: string; readonly kind: string }>> = {
  scale: { apiVersion: "autoscaling/v1", kind: "Scale" },
  token: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest" },
  eviction: { apiVersion: "policy/v1", kind: "Eviction" },
  binding: { apiVersion: "v1", kind: "Binding" },
};

interface SubResourceWrite {
  readonly subResource: string;
  readonly object: NamedObject;
  readonly body: object;
}

/** Returns the body of a subresource, with its type (if known) and the required name, if the caller omitted them. */
export function subResourceBody({ subResource, object, body }: SubResourceWrite): object {
  const metadata = ("metadata" in body && typeof body.metadata === "object" && body.metadata) || {};
  const type = Object.hasOwn(types, subResource) ? types[subResource as keyof SubResourceTypes] : {};
  const whole = { ...addressOf(object), ...present(metadata) };
  return withIntegersOf(body, { ...type, ...present(body), metadata: withIntegersOf(metadata, whole) });
}

/** Removes members that are undefined, which are equivalent to absent ones. */
const present = (members: object): object =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
