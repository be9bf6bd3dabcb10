export type { MessageHandler, RequestMessage } from "./messages.ts";
export { closing, readMessages } from "./web-socket-messages.ts";
