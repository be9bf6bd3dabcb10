export {
  type Answer,
  admission,
  type Call,
  patched,
  type Reply,
  WebhookServer,
} from "../webhook/testing/webhook-server.ts";
