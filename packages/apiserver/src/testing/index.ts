export {
  type Answer,
  admission,
  type Call,
  patched,
  type Reply,
  TestWebhookServer,
} from "../webhook/testing/webhook-server.ts";
