/** Where the gateway that served this page is reached: with the path below which a proxy may have put it. */
export function gatewayUrl(pageAddress: string): string {
  const { origin, pathname } = new URL("./", pageAddress);
  return `${origin}${pathname}`.replace(/\/$/, "");
}
