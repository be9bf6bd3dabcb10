export { boundedText, within } from "./bounded-response.ts";
export type { InProcessHandle, InProcessRequest, InProcessResponse } from "./in-process.ts";
export type { WebSocketOptions } from "./messages.ts";
export { cut, type MessageHandler, type RequestMessage, type ResponseMessage } from "./messages.ts";
export type { UnreadResponses } from "./unread-responses.ts";
