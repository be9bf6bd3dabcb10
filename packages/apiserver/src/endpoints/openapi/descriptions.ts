import { ownMember } from "@kubewright/apimachinery";

const conventions = "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md";

/** Descriptions of the fields that every kind has. */
export const typeMetaDescriptions = {
  apiVersion: `APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values. More info: ${conventions}#resources`,
  kind: `Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: ${conventions}#types-kinds`,
} as const;

export const objectMetadataDescription = `Standard object's metadata. More info: ${conventions}#metadata`;
export const listMetadataDescription = `Standard list metadata. More info: ${conventions}#types-kinds`;
export const listItemsDescription = (plural: string): string => `List of ${plural}. More info: ${conventions}`;
export const embeddedTypeMetaDescriptions = {
  apiVersion: `apiVersion defines the versioned schema of this representation of an object. More info: ${conventions}#resources`,
  kind: `kind is a string value representing the type of this object. In CamelCase. More info: ${conventions}#types-kinds`,
} as const;

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1.";

/** Descriptions of types that occur in every object. The texts differ from upstream's. */
const ofTypes: Readonly<Record<string, { readonly type: string; readonly fields: Readonly<Record<string, string>> }>> =
  {
    [`${meta}ObjectMeta`]: {
      type: "ObjectMeta is metadata that all stored objects have: identity, labels, annotations and ownership.",
      fields: {
        annotations:
          "Annotations is a map of arbitrary text for tools and people. The server neither queries nor interprets it.",
        creationTimestamp:
          // Kubernetes' conformance tests expect the first four words in the output of `kubectl explain`.
          "CreationTimestamp is a timestamp of this object's creation by the server, in RFC 3339 form and UTC. Clients cannot set it.",
        deletionGracePeriodSeconds: "Seconds between the deletion request and the removal of this object. Read-only.",
        deletionTimestamp:
          "DeletionTimestamp is the time at which this object will be deleted, set by the server on a deletion request. The object is removed once it has no finalizers. Read-only.",
        finalizers:
          "Identifiers of components that must act before this object is removed. Each component removes its own entry when it is done.",
        generateName: "A prefix from which the server generates a unique name if no name is given.",
        generation: "A number that increases with every change of the desired state. Read-only.",
        labels: "A map of keys and values for organizing and selecting objects.",
        managedFields:
          "ManagedFields maps managers to the fields that they set. The server maintains it for server-side apply.",
        name: "Name must be unique within a namespace, and cannot be updated.",
        namespace:
          'Namespace is the space within which names are unique. An empty namespace is equivalent to "default", except that cluster-scoped objects have none. Cannot be updated.',
        ownerReferences:
          "List of objects that this object depends on. When all of them are deleted, this object is garbage-collected. At most one of them is its controller.",
        resourceVersion:
          "An opaque value that changes with every write of this object. Clients return it unchanged to detect conflicts and to start watches. Read-only.",
        selfLink: "No longer populated.",
        uid: "UID is unique in time and space: every new object has a different one, even if it reuses a name. Read-only.",
      },
    },
    [`${meta}ListMeta`]: {
      type: "ListMeta is metadata that all lists have in addition to their items.",
      fields: {
        continue: "A token for requesting the next page. Empty on the last page.",
        remainingItemCount: "Number of items after this page; absent if unknown.",
        resourceVersion: "Version at which the list was read. Start watches from it.",
        selfLink: "No longer populated.",
      },
    },
    [`${meta}OwnerReference`]: {
      type: "OwnerReference identifies an owner of this object, in the same namespace or cluster-scoped.",
      fields: {
        apiVersion: "API version of the owner.",
        blockOwnerDeletion: "If true, foreground deletion of the owner waits for this object. Default false.",
        controller: "If true, the owner is the controller of this object.",
        kind: "Kind of the owner.",
        name: "Name of the owner.",
        uid: "UID of the owner.",
      },
    },
  };

/** Returns the description of a type, or `undefined` if it has none. */
export const descriptionOf = (model: string): string | undefined => ownMember(ofTypes, model)?.type;

/** Returns the description of a type's member, or `undefined` if it has none. */
export function memberDescription(model: string, member: string, isKind: boolean): string | undefined {
  const own = ownMember(ownMember(ofTypes, model)?.fields, member);
  if (own !== undefined || !isKind) return own;
  const isList = model.endsWith("List");
  switch (member) {
    case "apiVersion":
    case "kind":
      return typeMetaDescriptions[member];
    case "metadata":
      return isList ? listMetadataDescription : objectMetadataDescription;
    default:
      return undefined;
  }
}
