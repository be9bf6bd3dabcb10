export {
  Client,
  type ClientDefaults,
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
  type PatchOperationResult,
} from "./calls/create-or-update.ts";
export { type MergeFromOptions, mergeFrom, strategicMergeFrom } from "./calls/merge-from.ts";
export { spanOfWrite, type WarningHandler } from "./calls/object-calls.ts";
export { aroundWrites, type WithReaderOptions, withReader } from "./calls/wrapped-clients.ts";
export type {
  ApplyCall,
  CreateCall,
  DeleteCall,
  DeleteCollectionCall,
  Fence,
  PatchCall,
  RefusedWrite,
  SubResourceCall,
  UpdateCall,
  WriteCall,
  WriteDefaults,
  WriteInterceptor,
} from "./calls/write-pipeline.ts";
export {
  Connection,
  type ConnectionOptions,
  type ConnectionRequest,
  type ConnectionResponse,
  type Query,
} from "./connection/connection.ts";
export { ConnectionError, isConnectionError } from "./connection/connection-error.ts";
export {
  type APIGroup,
  type APIResource,
  type APIVersion,
  Discovery,
  type ServerVersion,
  staleVersions,
} from "./connection/discovery.ts";
export { DiscoveryRESTMapper } from "./connection/discovery-rest-mapper.ts";
export type { ObservedRequest, RequestObserver, ResponseHeaders, StreamedResponse } from "./connection/exchange.ts";
export type {
  ApplyConfiguration,
  ApplyFields,
  Creatable,
  MergePatch,
  NamedObject,
  PatchBody,
  PatchDirectives,
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
  FieldValidation,
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
  AuthProviderSettings,
  ConnectionSettings,
  ExecSettings,
  Impersonation,
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
