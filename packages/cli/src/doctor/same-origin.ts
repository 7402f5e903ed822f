/** Whether two URLs lead to the same server; `localhost` counts as the loopback address. */
export function sameOrigin(one: string, other: string): boolean {
  return originOf(one) !== undefined && originOf(one) === originOf(other);
}

function originOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).origin.replace("//localhost:", "//127.0.0.1:") : undefined;
}
