export { boundedText, within } from "./bounded-answer.ts";
export { cut, type MessageHandler, type RequestMessage, type ResponseMessage } from "./messages.ts";
