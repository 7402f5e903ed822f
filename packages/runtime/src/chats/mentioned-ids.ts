const chatId = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Every id of the form chats have. A chat started by another is known by this alone: the other one names it. */
export function mentionedIds(content: Uint8Array | string): ReadonlySet<string> {
  const text = typeof content === "string" ? content : Buffer.from(content).toString("latin1");
  return new Set(text.match(chatId) ?? []);
}
