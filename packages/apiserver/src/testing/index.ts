export {
  type Answer,
  type Call,
  patchReply,
  type Reply,
  reviewReply,
  TestWebhookServer,
} from "../webhook/testing/webhook-server.ts";
