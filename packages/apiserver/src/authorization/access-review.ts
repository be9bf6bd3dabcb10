import type { AuthorizationAttributes, SelectorRequirement } from "./authorizer.ts";

/** Returns the spec of a SubjectAccessReview for authorization attributes. */
export function accessReviewSpec(attributes: AuthorizationAttributes, version: string): Record<string, unknown> {
  const { user, isResourceRequest, verb, path } = attributes;
  const { name, uid, groups, extra } = user;
  const asked = isResourceRequest
    ? { resourceAttributes: resourceAttributes(attributes) }
    : { nonResourceAttributes: withoutEmpty({ path, verb }) };
  return {
    ...asked,
    ...withoutEmpty({ user: name }),
    // in v1beta1, the field for groups has a different name
    ...(groups.length > 0 ? { [version === "v1beta1" ? "group" : "groups"]: groups } : {}),
    ...(extra && Object.keys(extra).length > 0 ? { extra } : {}),
    ...withoutEmpty({ uid: uid ?? "" }),
  };
}

function resourceAttributes(attributes: AuthorizationAttributes): Record<string, unknown> {
  const { namespace, verb, group, version, resource, subresource, name, fieldSelector, labelSelector } = attributes;
  return {
    ...withoutEmpty({ namespace, verb, group, version, resource, subresource, name }),
    ...selector("fieldSelector", fieldSelector),
    ...selector("labelSelector", labelSelector),
  };
}

const selector = (name: string, requirements: readonly SelectorRequirement[] | undefined): Record<string, unknown> =>
  requirements?.length ? { [name]: { requirements } } : {};

const withoutEmpty = (members: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== ""));
