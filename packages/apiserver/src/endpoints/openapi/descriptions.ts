import { ownMember } from "@kubewright/apimachinery";

const conventions = "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md";

/** What is said of the members that every kind has. */
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

/** In our words: types that are part of every object. */
const ofTypes: Readonly<Record<string, { readonly type: string; readonly fields: Readonly<Record<string, string>> }>> =
  {
    [`${meta}ObjectMeta`]: {
      type: "ObjectMeta is what every stored object has beside its own content: who it is, and what others note about it.",
      fields: {
        annotations:
          "Annotations is a map of free text by key, for tools and people. It is neither queried nor interpreted by the server.",
        creationTimestamp:
          "CreationTimestamp is a timestamp of the moment when the server stored this object first. Clients cannot set it. It is in RFC 3339 form and in UTC.",
        deletionGracePeriodSeconds: "Seconds between the request to delete this object and its removal. Read-only.",
        deletionTimestamp:
          "DeletionTimestamp is the time at which this object goes, set by the server when a deletion was asked for. It goes once its finalizers are gone. Read-only.",
        finalizers:
          "Names of those who have to act before this object is removed. Each takes its own entry away when it is done.",
        generateName: "A prefix for the server to make a unique name of, used where no name is given.",
        generation: "A number that rises with every change of what is wanted. Read-only.",
        labels: "Map of keys and values to organize and select objects by.",
        managedFields: "ManagedFields maps who set which fields; the server keeps it for server-side apply.",
        name: "Name must be unique within a namespace, and cannot be updated.",
        namespace:
          'Namespace is the space within which names are unique. An empty namespace is the same as "default", though objects of the cluster have none. Cannot be updated.',
        ownerReferences:
          "List of objects that this object depends on. When all of them are gone, this object is garbage collected. At most one of them is its controller.",
        resourceVersion:
          "An opaque value that changes with every write of this object. Clients give it back as they got it, to detect changes and to begin watches. Read-only.",
        selfLink: "No longer filled in.",
        uid: "UID is unique in time and space: the server gives one to each new object, also to one of a name that was used before. Read-only.",
      },
    },
    [`${meta}ListMeta`]: {
      type: "ListMeta is what every list has beside its items.",
      fields: {
        continue: "A token to ask for the next page with. Empty on the last page.",
        remainingItemCount: "How many items come after this page; absent where that is not known.",
        resourceVersion: "The version at which the list was read: watches go on from here.",
        selfLink: "No longer filled in.",
      },
    },
    [`${meta}OwnerReference`]: {
      type: "OwnerReference names an object that owns this one. It is in the same namespace, or of the cluster.",
      fields: {
        apiVersion: "API version of the owner.",
        blockOwnerDeletion: "Whether a foreground deletion of the owner waits for this object. Default false.",
        controller: "Whether the owner is the controller of this object.",
        kind: "Kind of the owner.",
        name: "Name of the owner.",
        uid: "UID of the owner.",
      },
    },
  };

/** What is said of a type; nothing for most. */
export const descriptionOf = (model: string): string | undefined => ownMember(ofTypes, model)?.type;

/** What is said of a member of a type; nothing for most. */
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
