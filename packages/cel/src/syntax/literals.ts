import { unquoteBytes, unquoteString } from "../text/unescape.ts";
import { CelBytes, CelUint } from "../values/value.ts";
import type { Expression } from "./ast.ts";
import type { ExpressionBuilder } from "./expression-builder.ts";
import type { TokenStream } from "./token-stream.ts";
import { tokens } from "./token-stream.ts";

/** Maximum length of an integer literal. Longer ones are not parsed. */
const maxLiteral = 100;
const maxInt = 2n ** 63n - 1n;
const minInt = -(2n ** 63n);
const maxUint = 2n ** 64n - 1n;

/** Parses a scalar literal. */
export function parseLiteral(stream: TokenStream, builder: ExpressionBuilder): Expression {
  const sign = stream.peek();
  const isNegative = sign.type === "'-'";
  if (isNegative) stream.match("'-'", tokens("NUM_INT", "NUM_FLOAT"));
  const { type, text } = stream.peek();
  stream.match(type, tokens("end"));
  const at = sign.start;
  const wrong = (message: string): Expression => {
    builder.error(at, message);
    return builder.missing(at);
  };
  switch (type) {
    case "NUM_INT": {
      if (text.length > maxLiteral) return wrong("invalid int literal");
      const value = isNegative ? -BigInt(text) : BigInt(text);
      return value > maxInt || value < minInt ? wrong("invalid int literal") : builder.literal(at, value);
    }
    case "NUM_UINT": {
      if (text.length > maxLiteral) return wrong("invalid uint literal");
      const value = BigInt(text.slice(0, -1));
      return value > maxUint ? wrong("invalid uint literal") : builder.literal(at, new CelUint(value));
    }
    case "NUM_FLOAT": {
      const value = Number(isNegative ? `-${text}` : text);
      return Number.isFinite(value) ? builder.literal(at, value) : wrong("invalid double literal");
    }
    case "STRING": {
      const value = unquoteString(text);
      return typeof value === "string" ? builder.literal(at, value) : wrong(value.error);
    }
    case "BYTES": {
      const value = unquoteBytes(text);
      return value instanceof Uint8Array ? builder.literal(at, new CelBytes(value)) : wrong(value.error);
    }
    case "'true'":
    case "'false'":
      return builder.literal(at, type === "'true'");
    default:
      return builder.missing(at);
  }
}
