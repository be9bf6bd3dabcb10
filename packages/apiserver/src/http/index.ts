export { AnswerTooLarge, boundedText, within } from "./bounded-answer.ts";
export { cut, type MessageHandler, needsDrain, type RequestMessage, type ResponseMessage } from "./messages.ts";
