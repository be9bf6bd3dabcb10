import type { ListMeta } from "@kubewright/apimachinery";
import type { StorageListResult } from "@kubewright/storage";

/** A list to return to the client. Computed lists have no `resourceVersion`. */
export type ListResponse = Pick<StorageListResult, "items"> & { readonly metadata: ListMeta };
