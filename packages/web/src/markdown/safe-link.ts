/** The address if it is one a reader may be sent to; scripts, files and data are not. */
export function safeLink(href: string): string | undefined {
  const url = URL.parse(href);
  return url !== null && ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : undefined;
}
