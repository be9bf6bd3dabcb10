export { aroundWrites } from "./calls/around-writes.ts";
export { Client, type ClientDefaults, type ClientOptions } from "./calls/client.ts";
export { type Clientset, clientsetOf, type KindGroups, type ResourceClient } from "./calls/clientset.ts";
export {
  createOrPatch,
  createOrPatchWithResult,
  type PatchOperationResult,
} from "./calls/create-or-patch.ts";
export { createOrUpdate, createOrUpdateWithResult, type OperationResult } from "./calls/create-or-update.ts";
export type { Draft, Mutate } from "./calls/drafted.ts";
export { type MergeFromOptions, mergeFrom, strategicMergeFrom } from "./calls/merge-from.ts";
export { spanOfWrite } from "./calls/traced-call.ts";
export type { WarningHandler } from "./calls/warnings.ts";
export { isWatchRefusal, type WatchOptions } from "./calls/watch-batches.ts";
export { type WithReaderOptions, withReader } from "./calls/with-reader.ts";
export { Connection, type ConnectionOptions } from "./connection/connection.ts";
export { ConnectionError, isConnectionError } from "./connection/connection-error.ts";
export type { ConnectionRequest, ConnectionResponse, Query } from "./connection/connection-request.ts";
export type { StreamedResponse } from "./connection/exchange.ts";
export type { ObservedRequest, RequestObserver } from "./connection/request-observer.ts";
export type { CachedReader, CachedReadWriter, CaughtUpOptions } from "./contract/cached-reader.ts";
export type { CallOptions } from "./contract/call-options.ts";
export type { Fence, RefusedWrite } from "./contract/fence.ts";
export { type KubeList, kubeList } from "./contract/kube-list.ts";
export type { ApplyConfiguration, MergePatch, PatchBody, StatusOf } from "./contract/patch-body.ts";
export type { GetOptions, ListOptions, Reader } from "./contract/reader.ts";
export type { FieldSelectorInput, LabelSelectorInput, SelectionOptions } from "./contract/selection-options.ts";
export type { SendableBody, SubResourceBody, SubResourceTypes, SubResourceWriter } from "./contract/sub-resource.ts";
export type { Creatable, NamedObject, Target, Writable } from "./contract/target.ts";
export type { WriteCall, WriteInterceptor } from "./contract/write-call.ts";
export type { ApplyOptions, FieldValidation, PatchOptions, PatchType, WriteOptions } from "./contract/write-options.ts";
export type {
  DeleteCollectionOptions,
  DeleteOptions,
  ReadWriter,
  StatusWriter,
  Writer,
} from "./contract/writer.ts";
export { type APIGroup, type APIResource, type APIVersion, staleVersions } from "./discovery/api-group.ts";
export { Discovery, type ServerVersion } from "./discovery/discovery.ts";
export { DiscoveryRESTMapper } from "./discovery/discovery-rest-mapper.ts";
export type {
  AuthProviderSettings,
  ConnectionSettings,
  ExecSettings,
  Impersonation,
} from "./settings/connection-settings.ts";
export type { DefaultSettingsOptions } from "./settings/kubeconfig.ts";
export { isKubeConfigError, KubeConfigError } from "./settings/kubeconfig-error.ts";
export { LineSplitter } from "./watch/line-splitter.ts";
export { decodeWatchEvent, type RawWatchEvent, rawWatchBatches, rawWatchEvents } from "./watch/watch.ts";
export { type Bookmark, initialEventsEndAnnotation, isInitialEventsEnd, type WatchEvent } from "./watch/watch-event.ts";
