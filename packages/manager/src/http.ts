export { HttpServer, type HttpServerInspection, type HttpServerOptions, parseBindAddress } from "./http-server.ts";
export { type RequestedAccess, refuserOf, requestedAccess } from "./refusals.ts";
export {
  type Admission,
  type KeepMs,
  type ObjectAccess,
  RequestAuthenticator,
  type ReviewedUser,
} from "./request-authenticator.ts";
