export type { CnfCallOptions } from "./api.ts";
export { OpenWrtClient, type OpenWrtClientOptions } from "./client.ts";
export type { Collection, CollectionTraits, CreateOptions } from "./collection.ts";
export {
  isNameNotStorableError,
  isObjectNotFound,
  isOpenWrtError,
  isOpenWrtNetworkError,
  isUnexpectedResponseError,
  NameNotStorableError,
  OpenWrtError,
  OpenWrtNetworkError,
  UnexpectedResponseError,
} from "./errors.ts";
export type { NetworkInterfaces } from "./network-interfaces.ts";
export type {
  Application,
  FirewallForwarding,
  FirewallRedirect,
  FirewallRule,
  FirewallZone,
  IpsecConnection,
  IpsecProposal,
  IpsecRemote,
  ModuleStatus,
  Mwan3Member,
  Mwan3Policy,
  Mwan3Rule,
  Nat,
  NetworkFirewallRule,
  NetworkInterface,
  Route,
  RoutingRule,
  ServiceForwarding,
  UciText,
} from "./records.ts";
export type { CnfService, ServiceActionName, ServiceName } from "./service.ts";
export type { ServiceForwardings } from "./service-forwardings.ts";
export type { CnfTransport, TransportOptions, TransportRequest, TransportResponse } from "./transport.ts";
