const IN_HASH = /#\/sign-in\/([^/?#\s]+)/;
const BARE = /^[\w-]{8,}$/;

/** The one-time code in what somebody pasted: a whole link, or the code alone. */
export function findSignInCode(pasted: string): string | undefined {
  const text = pasted.trim();
  return IN_HASH.exec(text)?.[1] ?? (BARE.test(text) ? text : undefined);
}

/** The code in the page's own address. It is removed there at once: it works once and belongs in no history. */
export function takeSignInCode(): string | undefined {
  const code = IN_HASH.exec(location.hash)?.[1];
  if (code !== undefined) history.replaceState(null, "", `${location.pathname}#/`);
  return code;
}
