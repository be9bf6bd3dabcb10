import type { ListMeta } from "@kubewright/apimachinery";
import type { StorageListResult } from "@kubewright/storage";

/** A list as returned to the client. Computed lists have no version. */
export type ListResponse = Pick<StorageListResult, "items"> & { readonly metadata: ListMeta };
