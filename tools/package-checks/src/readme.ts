/**
 * Returns the fenced TypeScript block below the heading `heading` of a Markdown text.
 *
 * @throws {Error} if there is no such heading, or no such block below it
 */
export function fenceUnder(markdown: string, heading: string): string {
  const section = markdown.split(/^## /m).find((part) => part.startsWith(heading));
  const fence = section?.match(/^```ts\n([\s\S]*?)^```/m)?.[1];
  if (fence === undefined) throw new Error(`no \`\`\`ts block below the heading "${heading}"`);
  return fence;
}
