export type { CachedReader, CachedReadWriter, CaughtUpOptions } from "./cached-reader.ts";
export { Client, type ClientDefaults, type ClientOptions } from "./client.ts";
export {
  Connection,
  type ConnectionOptions,
  type ConnectionRequest,
  type ConnectionResponse,
  type Query,
} from "./connection.ts";
export { ConnectionError, isConnectionError } from "./connection-error.ts";
export type { AuthProviderSettings, ConnectionSettings, ExecSettings, Impersonation } from "./connection-settings.ts";
export {
  createOrUpdate,
  createOrUpdateWithResult,
  type Draft,
  type Mutate,
  type OperationResult,
} from "./create-or-update.ts";
export { type APIGroup, type APIResource, Discovery, type ServerVersion } from "./discovery.ts";
export { DiscoveryRESTMapper } from "./discovery-rest-mapper.ts";
export type { StreamedResponse } from "./exchange.ts";
export type { Fence, RefusedWrite } from "./fence.ts";
export type { KubeList } from "./kube-list.ts";
export { kubeList } from "./kube-list.ts";
export type { DefaultSettingsOptions } from "./kubeconfig.ts";
export { isKubeConfigError, KubeConfigError } from "./kubeconfig-error.ts";
export { LineSplitter } from "./line-splitter.ts";
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
} from "./options.ts";
export type { ApplyConfiguration, MergePatch, PatchBody, StatusOf } from "./patch-body.ts";
export type {
  Creatable,
  NamedObject,
  Reader,
  ReadWriter,
  StatusWriter,
  Target,
  Writable,
  Writer,
} from "./reader-writer.ts";
export type { FieldSelectorInput, LabelSelectorInput } from "./selectors.ts";
export type { SendableBody, SubResourceBody, SubResourceTypes, SubResourceWriter } from "./sub-resource.ts";
export type { WarningHandler } from "./warnings.ts";
export { decodeWatchEvent, type RawWatchEvent, rawWatchBatches, rawWatchEvents } from "./watch.ts";
export { type Bookmark, initialEventsEndAnnotation, isInitialEventsEnd, type WatchEvent } from "./watch-event.ts";
export { withReader } from "./with-reader.ts";
