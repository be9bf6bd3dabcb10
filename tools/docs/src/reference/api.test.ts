import { expect, it } from "vitest";
import { shortened } from "./api.ts";

it("removes results that repeat the signature, but keeps descriptions", () => {
  const signature = "> **size**(): `number`\n\n";
  const heading = "###### Inherited from\n\n[`Queue`](#queue)\n";
  expect(shortened(`${signature}###### Returns\n\n\`number\`\n\n${heading}`)).toBe(
    `${signature}Inherited from [\`Queue\`](#queue)\n`,
  );
  expect(shortened(`${signature}#### Returns\n\n\`number\`\n`)).toBe(signature);
  expect(shortened(`${signature}#### Returns\n\n\`number\`\n\n***\n`)).toBe(`${signature}***\n`);
  const described = `${signature}###### Returns\n\n\`number\`\n\nthe number of items\n\n##### add()\n`;
  expect(shortened(described)).toBe(described);
});
