/** What a token for a client is called: what it is for, and since when. Names are unique. */
export function tokenName(client: string, now: Date): string {
  const stamp = now.toISOString().replaceAll(/[-:]/g, "").slice(0, 15).replace("T", "-");
  return `${client}-${stamp}`;
}
