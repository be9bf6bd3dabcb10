export type { MessageHandler, RequestMessage } from "./messages.ts";
