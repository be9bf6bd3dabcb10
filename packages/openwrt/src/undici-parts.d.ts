// Types for the modules of undici that send requests. undici itself declares no types for these modules, but exports the same class and, with
// a dispatcher as an option, the same function from its main module, which would also load its WebSocket and fetch.

declare module "undici/lib/core/connect.js" {
  import type { buildConnector } from "undici";
  export default function build(options: Partial<buildConnector.BuildOptions>): buildConnector.connector;
}
declare module "undici/lib/dispatcher/agent.js" {
  export { Agent as default } from "undici";
}
declare module "undici/lib/api/api-request.js" {
  import type { Dispatcher } from "undici";
  export default function request(
    this: Dispatcher,
    options: Dispatcher.RequestOptions,
  ): Promise<Dispatcher.ResponseData>;
}
