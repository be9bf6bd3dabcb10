export {
  Client,
  type ClientOptions,
  isWatchRefusal,
  type StatusClient,
  type WatchOptions,
} from "./calls/client.ts";
export { type Clientset, clientsetOf, type KindGroups, type ResourceClient } from "./calls/clientset.ts";
export {
  createOrPatch,
  createOrPatchWithResult,
  createOrUpdate,
  createOrUpdateWithResult,
  type Draft,
  type Mutate,
  type OperationResult,
} from "./calls/create-or-update.ts";
export { type MergeFromOptions, mergeFrom, strategicMergeFrom } from "./calls/merge-from.ts";
export { listQuery, spanOfWrite, type WarningHandler } from "./calls/object-calls.ts";
export { applyAndTakeOver, type TakeOverOptions } from "./calls/take-over.ts";
export {
  aroundCalls,
  aroundWrites,
  type CallInterceptors,
  type ReadCall,
  type WithReaderOptions,
  withReader,
} from "./calls/wrapped-clients.ts";
export type {
  ClientDefaults,
  Fence,
  RefusedWrite,
  WriteCall,
  WriteInterceptor,
} from "./calls/write-pipeline.ts";
export {
  Connection,
  type ConnectionOptions,
  type ConnectionRequest,
  type ConnectionResponse,
} from "./connection/connection.ts";
export { ConnectionError, isConnectionError } from "./connection/connection-error.ts";
export {
  type APIGroup,
  type APIResource,
  Discovery,
  type ServerVersion,
  staleVersions,
} from "./connection/discovery.ts";
export { DiscoveryRESTMapper } from "./connection/discovery-rest-mapper.ts";
export type { ObservedRequest, RequestObserver, StreamedResponse } from "./connection/exchange.ts";
export type {
  ApplyConfiguration,
  ApplyFields,
  Creatable,
  MergePatch,
  NamedObject,
  PatchBody,
  StatusOf,
  Target,
  Writable,
} from "./contract/objects.ts";
export {
  type CachedReader,
  type CallOptions,
  type CaughtUpOptions,
  type FieldSelectorInput,
  type GetOptions,
  type KubeList,
  kubeList,
  type LabelSelectorInput,
  type ListOptions,
  type Reader,
  type SelectionOptions,
} from "./contract/reader.ts";
export type {
  ApplyOptions,
  CachedReadWriter,
  DeleteCollectionOptions,
  DeleteOptions,
  PatchOptions,
  PatchType,
  ReadWriter,
  SendableBody,
  StatusWriter,
  SubResourceBody,
  SubResourceTypes,
  SubResourceWriter,
  WriteOptions,
  Writer,
} from "./contract/writer.ts";
export type {
  ConnectionSettings,
  ExecSettings,
  Impersonation,
  InProcessHandle,
  InProcessRequest,
  InProcessResponse,
} from "./settings/connection-settings.ts";
export { type DefaultSettingsOptions, isKubeConfigError, KubeConfigError } from "./settings/kubeconfig.ts";
export {
  type Bookmark,
  decodeWatchEvent,
  initialEventsEndAnnotation,
  isInitialEventsEnd,
  type RawWatchEvent,
  type WatchEvent,
} from "./watch/watch.ts";
