export { Client, type ClientDefaults, type ClientOptions } from "./calls/client.ts";
export {
  createOrUpdate,
  createOrUpdateWithResult,
  type Draft,
  type Mutate,
  type OperationResult,
} from "./calls/create-or-update.ts";
export type { Fence, RefusedWrite } from "./calls/fence.ts";
export type { FieldSelectorInput, LabelSelectorInput } from "./calls/selectors.ts";
export type { WarningHandler } from "./calls/warnings.ts";
export { withReader } from "./calls/with-reader.ts";
export {
  Connection,
  type ConnectionOptions,
  type ConnectionRequest,
  type ConnectionResponse,
  type Query,
} from "./connection/connection.ts";
export { ConnectionError, isConnectionError } from "./connection/connection-error.ts";
export type { StreamedResponse } from "./connection/exchange.ts";
export type { CachedReader, CachedReadWriter, CaughtUpOptions } from "./contract/cached-reader.ts";
export type { KubeList } from "./contract/kube-list.ts";
export { kubeList } from "./contract/kube-list.ts";
export type {
  ApplyOptions,
  CallOptions,
  DeleteCollectionOptions,
  DeleteOptions,
  FieldValidation,
  GetOptions,
  ListOptions,
  PatchOptions,
  PatchType,
  SelectionOptions,
  WatchOptions,
  WriteOptions,
} from "./contract/options.ts";
export type { ApplyConfiguration, MergePatch, PatchBody, StatusOf } from "./contract/patch-body.ts";
export type {
  Creatable,
  NamedObject,
  Reader,
  ReadWriter,
  StatusWriter,
  Target,
  Writable,
  Writer,
} from "./contract/reader-writer.ts";
export type { SendableBody, SubResourceBody, SubResourceTypes, SubResourceWriter } from "./contract/sub-resource.ts";
export { type APIGroup, type APIResource, Discovery, type ServerVersion } from "./discovery/discovery.ts";
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
