export { boundedText, within } from "./bounded-answer.ts";
export type { WebSocketOptions } from "./messages.ts";
export { cut, type MessageHandler, type RequestMessage, type ResponseMessage } from "./messages.ts";
export type { UntakenAnswers } from "./untaken-answers.ts";
