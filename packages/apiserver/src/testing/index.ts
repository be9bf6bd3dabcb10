export {
  type Call,
  patchReply,
  type Reply,
  type Responder,
  reviewReply,
  TestWebhookServer,
} from "./webhook-server.ts";
